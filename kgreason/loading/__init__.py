"""Files to columns of ids.

* `reading`: `gather_files`, `load_files` and `load_stream`, which read everything or change nothing; on `gathering`.
* `inferred`: what follows from encoded triples, read with them.
* `report`: what they say of it.
* `documents`, on `job_directories`: from paths to files, and which of them share their blank nodes.
* `formats`, `sniffing`: formats and compressions, by name and by content.
* `streams`, `hadoop_blocks`, `blocks`: files opened, and in pieces that threads share.
* `ntriples`, on `lines` and `tokens`: N-Triples and N-Quads whole columns at a time.
* `term_tables`: Parquet with columns of terms, on the same.
* `parsed`: every other format, through pyoxigraph.
* `parts`, `quads`: what a piece gives, and all of it over one dictionary.
"""
