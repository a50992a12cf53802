"""Rules in languages of others, translated to programs: what has no counterpart is refused, by name and with its place.

* `n3`: rules of Notation3, forward and without built-ins.
* `swrl`: SWRL rules of an ontology. `shacl`: triple rules and SPARQL rules of shapes, on `construct_rules`
  and `query_patterns`.
* `ways`: bodies of rules while they are put together. `swrl_builtins`, `shacl_conditions`, `shacl_prefixes`: parts of
  these languages.
* `rule_graph`: RDF documents that hold rules; `rule_triples`: which triples of a document these are read from.
* `rule_files`: which of these a file has, by its name and content.

What a language leaves to the engine is the same as for rules in Datalog: sets of facts, no new blank nodes, stratified
negation. `docs/reference/rule-languages.md` says what of each language is read.
"""
