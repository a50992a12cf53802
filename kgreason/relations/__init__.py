"""Storage schemes: how the facts of one relation are kept and read.

What other rooms import:

* `table`: the protocol of a table, which is all that the engine and the readers know; what it is asked for is in
  `table_reads`.
* `codes`: the code of a relation as one integer. `plain`: plain tables of any arity.
* `catalogue`: what a scheme is told about a relation, and which schemes there are; `schemes`: those of kgreason.
* `net_changes`: what came and what went between two versions.
* `free_closures`: closures made for a query, or from labels that were written elsewhere (`given_labels`).
* `labels`, `paths`: the labels of a closure, and a table as steps, for a cluster.
* `alike`: facts over representatives, for rules that are evaluated there, and back.
* `class_images`: what groups lead to along pairs within classes.
* `stored`, `table_readers`: tables taken apart for files, and read again.

What stays here; a contract of import-linter and `tests/relations/test_protocol.py` see to it:

* `default_reads`: reads of any table by its `distinct` and `lookup` alone. `comparisons`: what a comparison of two
  tables found.
* `unary`, `binary`, `wide`: the plain tables of one, two, and more arguments, immutable versions that share their
  columns. `block_table`: versions of sorted keys in `blocks`, which pairs and wider rows share; `pair_reads` and
  `wide_reads`: what these are asked; `pair_blocks`: blocks of pairs; `block_notes`: what was found out about a large
  one.
* `virtual`: tables whose facts are not written out, on `unwritten`, what they and views of them share; these are
  `inverse`, and `table_difference`, that of two tables.
* `virtual_pairs`: tables of pairs that say what their subjects lead to.
* `transitive`: transitive closures, as labels and the sets of labels that components reach
  (`label_sets`, on `serialised_sets`; `set_writers` makes them; `shared_sets` where many have most members in common;
  what both offer is in `numbered_sets`).
* `equivalence`: symmetric and transitive relations, as components (`edge_components`, and `node_components`, which are
  versions of each other); `equality`: the same without pairs of a thing with itself; `symmetric_pairs`: what both
  share.
* `mutual`: what a closure has both ways.
* `represented`, `represented_sets`, `representation`: facts of equal things over representatives, pairs and sets, and
  the scheme that keeps them so; `represented_changes`: what differs between two versions.
* `union`, `unions_of_sets`, `chain`: copies, and continuations by closures, stored nowhere but in their sources.
* `steps`: pairs of a closure that are enough for rules which follow it.
* `table_tuning`: the tuned constants of tables.

A scheme of your own derives its table from `virtual.VirtualTable`, and goes into a `Catalogue`.
"""
