"""Files to columns of ids.

* `reading`: `gather_files`, `load_files` and `load_stream`, which read everything or change nothing; on `gathering`.
* `inferred`: what follows from encoded triples, read with them.
* `report`: what they say of it.
* `formats`, `streams`, `blocks`: files by their names, opened, and in pieces that threads share.
* `ntriples`, on `lines` and `tokens`: N-Triples and N-Quads whole columns at a time.
* `parsed`: every other format, through pyoxigraph.
* `parts`, `quads`: what a piece gives, and all of it over one dictionary.
"""
