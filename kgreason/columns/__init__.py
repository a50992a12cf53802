"""Primitive operations on sorted id columns: the only room with low-level array code.

* `sorted_sets`: sorted unique columns as sets (unique, union, difference, membership), for any sortable dtype.
* `sorted_columns`: sorting, merges, and where the values of a sorted column change; `key_search`: how many values are
  looked for among sorted ones.
* `hash_sets`: membership of many keys in no order.
* `near_pairs`: pairs of ids that are near each other, by a flag for each that these could make.
* `pair_bits`: a growing set of pairs, by a bit for each that their ids could make.
* `pairs`: binary facts as uint64 keys ``subject << 32 | object``; lookups by subject, many at once;
  `pair_scans`: what one pass over them answers.
* `bitmaps`: id columns to Roaring bitmaps and back; membership of many ids at once.
* `id_columns`: a column of one id; `masks`: what a mask says of all its rows.
* `numbering`: distinct numbers, and the place of each among them.
* `id_filters`: which ids a column has.
* `id_flags`: the same as a byte for each id, while a step needs it.
* `key_runs`: where sorted keys that begin alike begin and end.
* `products`: products of relations of pairs as matrices of bits.
* `graphs`: edges as columns: rows of neighbours, a depth-first order.
* `components`: strongly connected and undirected components of graphs; `contractions`: how large ones become small;
  `grown_components`: those of graphs to which nodes and edges have come.
* `horn_clauses`: what follows from numbers by clauses.
* `mixing`: hashes of 64 bits.
* `rows`: facts of three and more columns as one sortable column of fixed-width byte strings; `narrow_rows`: the same
  as numbers, where their ids fit; `row_layouts`: either of these.

Every function states its cost, so that a faster kernel can replace it alone.
"""
