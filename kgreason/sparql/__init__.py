"""SPARQL over columns of ids: whole batches of solutions at a time, read straight from the storage schemes.

* `algebra`: queries as inert data; `algebra_tree`: what is inside of what; `scope`: which variables there are.
* `rewriting`: the same query, plainer, with its paths taken apart (`path_unfolding`).
* `source`: the narrow protocol that queries read through; `terms`: ids also for terms that a query makes.
* `solutions`: a multiset of solutions as columns; `rows`, `joins`, `seen`: operations on them.
* `patterns`: basic graph patterns and property paths: an order by cost, joins of columns with relations.
* `expressions`: filters and functions, evaluated once for each distinct combination of terms.
* `evaluation`: the nodes of the algebra; `combining`, `correlation`: joins, OPTIONAL, MINUS, EXISTS;
  `modifiers`: DISTINCT, LIMIT; `aggregates` with `sums`; `ordering`; `solver`: what these ask of the whole.
* `demand`, `seeding`, `choices`, `pruning`: what goes down to a part, so that it does no more than it must.
* `tables`: solutions for Arrow.
* `limits`: time-outs; `journal`: what explains a plan.

Knows neither rdflib nor the knowledge base.
"""
