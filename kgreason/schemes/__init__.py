"""Storage schemes: how the facts of one relation are kept and read.

* `scheme`: the protocol of a table, which is all that the engine and the readers know.
* `unary`, `binary`, `wide`: the plain tables, one per arity, immutable versions that share their columns.
* `relations`: the code of a relation as one integer, and the empty table of each kind.

Relations whose facts follow from others by rules that a scheme knows are virtual: nobody writes them out.

* `virtual`: what virtual tables of pairs share; the lazy difference of two versions.
* `label_sets`: many sets of labels in one buffer.
* `transitive`: transitive closures, as labels and the sets of labels that components reach.
* `equivalence`: symmetric and transitive relations, as components.
* `union`, `inverse`: copies and inverse copies, stored nowhere but in their sources.
* `ends`: which ids pairs lead to, and which are paired with themselves, without the pairs.
* `catalogue`: what a scheme is told about a relation, and which schemes there are; `closures`: those of kgreason.
"""
