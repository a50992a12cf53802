"""How a stratum derives: modules behind four plug-in functions (Hu et al. 2019, Definitions 3 to 7).

* `module`: the protocol. `pass_state`: the facts as they were, and as they are by now, which modules read; `agenda`:
  the work that waits for a pass over a stratum.
* `table_versions`: the next version of a table that a scheme keeps, and its net change; `unsuited`: which relations it
  cannot keep.
* `seminaive`: every rule that no other module stands for; `concerned_rules`: which of them some facts concern;
  `rule_filter`: facts that they need not be given; `guard_rows`: which rules have their guard fact; `whole_relations`:
  relations of which all is new, so that one evaluation of a rule does for all of its atoms.
* `grouping_rules`: those of its rules that group; `passed_sets`: those that pass a set on along pairs; `copies`: those
  that copy sets, closed over at once where many relations wait.
* `spanning_rules`: those that make all members of a group equal; `compared_rules`: those that are evaluated before and
  after where much of a virtual relation goes.
* `few_facts`: rounds of a few facts, one after the other; `fact_queue`: those that come, and those that go.
* `interchangeable_ends`: those of which a few facts have the others follow, since a scheme closes what they derive;
  `late_rules`: which of these wait until nothing else is left to derive.
* `part_module`: what modules share that keep some relations of a stratum in a scheme; `closure_module`: transitive and
  equivalent relations that other rules of their stratum feed; `mutual_module`: what such a closure has both ways;
  `steps_module`: guards that are the steps of one.
* `representatives`: a pass in which rules read some relations over representatives; `represented_part`: such a
  relation, which decides what is equal, and holds of equal things.
* `lists`, `stratum_lists`: RDF lists as a module that derives members and sequences; `list_cells`: the way along the
  cells of a list to rdf:nil, and where it breaks.
* `support`: which facts are sure to hold while others are overdeleted.

A module that is the only one to derive its relations from each other, chains among them, needs no plug-in functions:
its storage scheme gives the next version exactly (`kgreason.engine.modules.table_versions`).
"""
