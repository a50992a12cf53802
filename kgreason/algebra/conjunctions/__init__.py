"""Conjunctions of which only the solutions matter that there are, not how often each: the bodies of rules, and what a
query asks for by DISTINCT or EXISTS.

* `conjunction`: the evaluation, which decides after each step what comes next. Start here.
* `stages`: what is satisfied once for many rows, or before all else, where no step leads on from all rows as they are.
* `remainder`: what is still to be satisfied, and its division in a block that goes first and the rest.
* `blocks`: what of the atoms hangs together. `known_ends`: what was found of their ends, so that none is asked twice.
* `membership`: whether rows are facts, batch after batch.
* `repeated_ends`: rows of which many agree in what is left to be asked for.
* `two_ends`: rows of which atoms only test two ends. `one_end`: by a search from one of them.
* `projections`: atoms without what nothing else has a use for. `semijoins`: facts that another atom leaves;
  `reductions`: those of which others have the ends, too.
* `parts`: what only tests, since it shares no variable with what is needed. `pairing`: rows beside others that only
  conditions connect with them.
* `interchangeable`: values that do as well as each other.
* `conditions`: what is asked of rows beside facts.
"""
