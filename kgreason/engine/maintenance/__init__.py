"""From net changes of explicit facts and of rules to net changes of all facts: DRED^c-MOD of paper 000.

* `maintenance`: one pass over the strata that a change can reach, in topological order.
* `visit`: one stratum: overdelete, rederive, insert. Start here to see how a deleted fact finds what no longer follows.
* `waiting`: what waits for a stratum to be visited.
* `state`: the facts as they were, and as they are by now.
* `virtual`: the next version of what a scheme keeps as a whole, and its net change.
"""
