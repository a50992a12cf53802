"""Basic graph patterns and property paths: what `kgreason.algebra` joins for a query, and with what.

* `resolving`: atoms of terms to atoms over ids. `atoms`, `any_of`, `any_predicate`, `quads_of_graphs`: these, ready
  to be joined.
* `pattern_relations`: the relation of a predicate; `triple_term_relation`: that of triple terms and their parts.
  `path_relations`, `walks`, `closure_patterns`, `reflexive`, `inverted`, `searching`: relations of property paths,
  found from few ends or looked up in a table.
* `bound`: what is kept of these for later queries.
* `planning`, `running`, `basic`: a plan with its filters, and its evaluation a batch at a time. `filters`: the same of
  a conjunction that goes without a plan.
"""
