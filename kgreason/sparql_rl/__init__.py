"""SPARQL-RL, the rule language of the W3C's Data Shapes group: from its text to the Program that a store runs.

    program = read_text("PREFIX : <http://e/> RULE { ?x :exposed ?v } WHERE { ?x :uses ?y . ?y :exposed ?v }")

* `rule_set`: rules as the draft has them, as inert data.
* `reader`: the grammar; `body_reader`: that of bodies, on top of the readers of `kgreason.sparql.syntax`; `rule_paths`,
  `rule_functions`.
  `earlier_drafts`: what earlier drafts wrote in another way.
* `wellformedness`, `stratification`: what the draft asks of rules, and its errors.
* `bodies`: elements of a body to atoms, filters and assignments; `read_triples`: its triples; `construct`: those of
  CONSTRUCT; `value_joins`: atoms that only computed values join. `negations`: NOT, as a relation of its own.
* `translation`: rules to rules of a Program. `matched_patterns`: the same for rule sets that are stratified pattern by
  pattern, but not relation by relation.
* `documents`: texts, files and what they import. `recognition`: what is one.
* `writer`: a Program as a text.

Source: SPARQL 1.2 RL, editors' draft of 2026.
"""
