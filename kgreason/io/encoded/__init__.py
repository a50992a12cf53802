"""Encoded triples: a directory of Parquet files that a store loads without parsing, and Spark reads and writes.

* ``manifest.json``: what there is, with counts and checksums (`manifest`). It is written last: a directory without one
  is not finished.
* ``dictionary/*.parquet``: ``id`` (int64, dense from 0), ``term`` (string, the dictionary's key of it, see
  `kgreason.dictionary.dictionary`), ordered by id: IRIs first, then blank nodes, then literals, each in the order of
  their UTF-8 bytes. So the kind of a term can be told from its id.
* ``triples/predicate=ID/*.parquet``: ``subject``, ``object``, ``graph`` (int64; null in the default graph), ordered by
  subject and object in each file.

What follows from encoded triples is written the same way (`inferred_directory`): its ids are those of the explicit
triples and, behind them, those of its own terms, and its manifest says what it follows from. ``closures/`` and
``definitions.json`` have relations that are not written out (`label_tables`).

`encoded_reader` and `encoded_writer` read and write directories, on `parquet_files`.

Ids are int64 because neither Spark nor most readers of Parquet have unsigned types; all of them fit in 32 bits.
"""
