"""Quads, out: each output appears in its directory whole or not at all.

* `encoded`: encoded Parquet (`kgreason.io.encoded`), by `dense_ids` (terms of pieces to dense ids), `piece_ids` (quads
  of pieces to ids) and `written_files` (files with rows and checksums); `driver_encoding` and `driver_files` where
  they are few.
* `statement_files`: parts of N-Triples or N-Quads; `zstandard` compresses them where Spark cannot.
* `key_checks`, `spellings`: columns from elsewhere, checked, with one spelling for each term.
* `quarantine`: rows that could not become quads.
"""
