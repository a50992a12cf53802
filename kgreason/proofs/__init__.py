"""Explanation: why a triple holds, down to what was asserted.

Nothing is kept for it while the engine runs. The search goes backward from the triple, over the
rules of the program as they were written: so a step shows the rule by its name and all its premises, schema triples and
list cells among them, and none of what specialisation made of the rule.

* `steps`: facts, conditions and steps, over ids or over terms of any kind.
* `rule_patterns`: rules with their constants as ids.
* `fact_reader`: what is asked of the facts.
* `check_values`: filters and assignments of rules over single ids.
* `matching`: the instances of a rule whose head is a given fact, one after the other.
* `list_premises`: the list atoms of a rule.
* `shortest_paths`: transitive rules, and shortest paths in place of their instances.
* `derivations`: all steps that may lead to a fact, the promising ones first.
* `search`: which of these steps make a proof that does not go in circles.
* `near_misses`, `schema_atoms`, `body_search`, `list_expansion`, `why_not`: why a triple does not hold, by the rules
  that came nearest to giving it.
* `proof_texts`, `proof_page`, `proof`: a proof as text, JSON, Markdown and HTML.
* `provenance`, `proof_documents`: proofs as RDF, each step once, as they are found.
"""
