"""Rules as data, from text to templates; knows nothing of storage.

* `rules`: Variable, atoms, Rule, Program.
* `grammar.lark`, `parser`: the rule syntax of Rulewerk, Nemo and RDFox, and its errors.
* `tree_reader`, `atom_reader`, `expression_reader`, `name_reader`: from the parse tree to rules, to atoms, to terms and
  expressions, and to names and texts; `fact_reader`: from facts in a row, without a tree.
* `aggregate_reader`, `aggregation`: aggregates from their texts, and as rules of their own.
* `relation_names`: names that mean something else than a relation before a round bracket.
* `vlog_format`: VLog's line format.
* `compiled_rule_sets`: the rule sets that ship, parsed.
* `safety`, `stratification`, `dependency_graph`: what makes a rule, and a program, acceptable.
* `negation`: anonymous variables under negation.
* `specialisation`: rules whose schema atoms are evaluated first; `list_rules`: rules over lists, before that.
* `rule_variables`: the variables of rules, and arguments in their place.
"""
