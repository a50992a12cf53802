"""SPARQL over columns of ids: whole batches of solutions at a time, read straight from the storage schemes.

* `syntax`: from the text of a query or an update to algebra.
* `algebra`: queries as inert data; `algebra_tree`: what is inside of what; `scope`: which variables there are.
* `rewrites`: the same query, plainer, with its paths taken apart (`path_unfolding`).
* `source`: the narrow protocol that queries read through.
* `solutions`: a multiset of solutions as columns; the operations on them are those of `kgreason.algebra`.
* `patterns`: basic graph patterns and property paths, as atoms and relations that `kgreason.algebra` joins.
* `solution_expressions`: filters and functions, evaluated once for each distinct combination of terms.
* `node_evaluation`: the nodes of the algebra; `group_joins`, `group_order`: joins; `combinations`, `correlation`:
  OPTIONAL, MINUS, EXISTS; `stages`: how batches go through OPTIONAL, MINUS, BIND and filters; `divisions`,
  `division_joins`: parts that no variable connects; `fallbacks`: parts that something else solves; `modifiers`:
  DISTINCT, LIMIT; `aggregates`; `order_keys`; `solver`: what these ask of the whole.
* `all_graphs`: patterns in many graphs, evaluated in all of them at once.
* `required_columns`, `sideways_passing`, `choices`, `graph_pruning`: what goes down to a part, so that it does no more
  than it must.
* `term_texts`, `result_documents`: solutions as text, and as the W3C's documents.
* `put_query`: a query put to graphs; `arrow_results`: solutions for Arrow; `data_frames`: for pandas and Polars.
* `limits`: time, rows and access; `query_tuning`: tuned constants; `plan_trace`, `pattern_texts`: what explains a
  plan.

Knows neither rdflib nor the knowledge base.
"""
