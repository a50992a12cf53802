"""The engine: rules over relations, evaluated and maintained on id columns; knows neither terms nor texts.

* `rules`: rules as shapes and rows of parameters; their bodies as joins over whole columns.
* `strata`: which relation depends on which, and which a storage scheme keeps.
* `modules`: how facts of a stratum follow from each other: seminaively, as closures, from lists.
* `maintenance`: one pass over the strata: overdelete, rederive, insert.
* `facts`: the facts of all relations, and changes to them.
* `budget`, `meter`: how much a change may derive, and what it has derived so far.
* `strategy`: what can be switched off, to measure what it is worth.
* `states`: the whole engine between two changes, and what a change that fails takes back.
* `adoption`: facts that are given instead of derived.
* `engine`: changes go in, passes run until no rule comes or goes, net changes come out.
"""
