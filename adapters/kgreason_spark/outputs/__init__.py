"""Quads, out: each output appears in its directory whole or not at all.

* `encoded`: encoded Parquet (`kgreason.encoded`), by `dictionary` (terms to dense ids), `joining` (columns of terms to
  columns of ids) and `listing` (files with rows and checksums).
* `ntriples`: parts of N-Triples or N-Quads; `zstandard` compresses them where Spark cannot.
* `quarantine`: rows that could not become quads.
"""
