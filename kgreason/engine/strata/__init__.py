"""Which relations can have facts, in which order they follow from each other, and who keeps them.

* `strata`: the dependency graph of the relations, and its components in topological order.
* `definitions`, `choice`: which strata, and which parts of them, a storage scheme can keep, and which it does.
"""
