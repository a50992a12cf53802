"""Storage schemes: how the facts of one relation are kept and read.

* `scheme`: the protocol that the engine and the readers know.
* `unary`, `binary`, `wide`: the plain tables, one per arity, immutable versions that share their columns.
* `relations`: the code of a relation as one integer, and the empty table of each kind.
"""
