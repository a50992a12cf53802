"""The engine: rules over relations, evaluated and maintained on id columns; knows neither terms nor texts.

* `shapes`: a rule with its relations and constants abstracted to parameters, so that thousands of specialised
  rules share one plan.
* `bindings`, `evaluation`: rule bodies as joins over whole columns.
* `families`: the specialised rules of one shape, as rows of parameters; which of them a relation concerns.
* `strata`: the relations that can have facts, their dependency graph, strata in topological order.
* `definitions`, `choice`: which strata a storage scheme can keep, and which it does.
* `virtual`: the next version of what a scheme keeps, and its net change.
* `waiting`: what waits in a pass.
* `lists`: RDF lists as a module that derives members and sequences.
* `maintenance`: one pass over the strata: overdelete, rederive, insert.
* `engine`: changes go in, passes run until no rule comes or goes, net changes come out.
"""
