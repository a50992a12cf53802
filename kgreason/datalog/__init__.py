"""Rules as data, from text to templates; knows nothing of storage.

* `model`: Variable, atoms, Rule, Program.
* `grammar.lark`, `parser`, `reader`: the rule syntax of Rulewerk, Nemo and RDFox.
* `vlog`: VLog's line format.
* `safety`, `stratification`: what makes a rule, and a program, acceptable.
* `specialise`: rules whose schema atoms are evaluated first.
"""
