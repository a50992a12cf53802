"""From net changes of explicit facts and of rules to net changes of all facts: DRED^c-MOD of Hu et al. 2019.

* `maintenance_pass`: one pass over the strata that a change can reach, in topological order.
* `stratum_pass`: one stratum: overdelete, rederive, insert. Start here to see how a deleted fact finds what no longer
  follows.
* `overdeletion`, `insertion`: the first of these steps, and the other two; `stratum_modules`: what takes part in them.
* `sweeps`: in which order the relations of a stratum take in what was derived.
* `remaking`: whether to remake a stratum costs less than to go on; `remade_strata`: how it is emptied, or left to the
  next pass.
* `moved_facts`: how much a change of what is equal concerns.
* `rule_free`: strata in which no rule has anything to do; `idle_triggers`: rules that what changed cannot match.

The facts of a pass, and the work that waits in it, are in `kgreason.engine.modules`.
"""
