"""The engine: rules over relations, evaluated and maintained on id columns; knows neither terms nor texts.

* `rules`: rules as templates and rows of parameters; their bodies as joins over whole columns.
* `strata`: which relation depends on which, and which a storage scheme keeps.
* `modules`: how facts of a stratum follow from each other: seminaively, as closures, from lists.
* `maintenance`: one pass over the strata: overdelete, rederive, insert.
* `facts`: the facts of all relations, and changes to them; `persistent_map`: how versions of them share entries.
* `budget`, `meter`: how much a change may derive, and what it has derived so far.
* `effort`: how much work it takes to derive all facts anew, beyond which a change is dropped; `replacement`: the state
  that is derived anew in its place, as a change.
* `strategy`: what can be switched off, to measure what it is worth; `rule_tuning`: the tuned constants.
* `engine_state`: the state of the engine as a value, and what a change makes of it.
* `adoption`: facts that are given instead of derived.
* `engine`: `apply`, from a state and a change to the next state: passes run until no rule comes or goes;
  `redefinitions`: relations that these give another definition; `pass_totals`: what all of them did, put together.
"""
