"""Stores in a directory: committed changes survive any end of the process, and no others do.

The truth is the log in ``catalogue.sqlite``: a row for each commit, with the terms that were new, the quads that
came and went, and the settings (rules, prefixes, named graphs) that changed. A commit is one insert in one SQLite
transaction (WAL, ``synchronous=FULL``), and is on disk when it returns. What is large lies beside it in Arrow files,
which are written, synced and never changed before the transaction that names them.

A snapshot is a cache: a whole knowledge base, with its closure, as columns to be mapped into memory. It may be missing,
older than the log, damaged, or of another version of kgreason; then it is made again from the log.

A directory may come from a stranger, with checksums that are right. Reading it makes values and runs nothing; a name in
it is the name of a file in it, never a path; what is not as it should be is one LoadError, with the path and the part.

Format 2. The log (`log_schema`) has the tables of format 1, that of version 0.1.0, which is read, but for its
snapshot, a pickle; the first writer makes it format 2. Files of commits: `commit_columns`. Snapshots: `codec`,
and `kgreason.disk.snapshot_format`.

Why SQLite, and not LMDB, DuckDB or Oxigraph's RocksDB: it is in the standard library, its promises about crashes are
the best tested there are, a commit costs what one fsync costs, its locks give one writer beside readers of the
last committed state, and many programs can read the file. ``python -m tests.benchmarks.durable`` compares them.

Three layers: the log (`commit_log`), the directory (`store_directory`), the knowledge base on it (`durable_knowledge`).

* `checked_files`: files that are whole or not there.
* `commit_records`: a commit as data, and as bytes; `commit_columns`: the same as Arrow files.
* `commit_files`: a commit as a row, with its large parts in files.
* `commit_log`: the log in SQLite; `log_file`: its file, made and checked; `log_schema`: its tables, and their rows as
  data; `connections`: for the writer and for readers.
* `codec`: a document and columns as one Arrow file, to be mapped; `json_documents`: JSON that may come from anywhere;
  `arrow_messages`: the memory that an Arrow file asks for.
* `store_directory`: all of it together, for one writer (`writer_lock`) or any number of readers (`read_transaction`);
  `store_folder`: where one may be made, and which files in it are kgreason's; `held_folder`: whether the directory,
  and what is in it, is still the one that was opened.
* `compaction`: one commit in the place of many.
* `store_copies`: copies of a directory.
* `disk_tuning`: the tuned constants.
* `durable_knowledge`: a knowledge base on a directory: opened, committed, rolled back. `opened_knowledge`: what a
  directory says of it; `open_options`, `settings`, `commit_replay`, `snapshot_schedule`; `snapshot_format`: its
  snapshots.
"""
