"""How a stratum derives: modules behind four plug-in functions (paper 000, Definitions 3 to 7).

* `module`: the protocol.
* `seminaive`: every rule that no other module stands for; `skipping`: facts that it need not be given.
* `closure`: transitive and equivalent relations that other rules of their stratum feed.
* `lists`, `stratum_lists`: RDF lists as a module that derives members and sequences; `list_cells`: the way along the
  cells of a list to rdf:nil, and where it breaks.
* `support`: which facts are sure to hold while others are overdeleted.

A module that is the only one to derive its relations from each other, chains among them, needs no plug-in functions:
its storage scheme gives the next version exactly (`kgreason.engine.maintenance.virtual`).
"""
