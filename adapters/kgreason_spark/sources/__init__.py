"""Files that are RDF already, as rows.

* `statement_rows`: files and folders of N-Triples and N-Quads, listed by `source_files`; `parquet_lines`: Parquet.
* `statement_lines`: their lines, read in the executors as a store reads them.
* `statement_grammar`: the grammar of terms, as regular expressions of Java.
* `line_faults`: why a line is not a statement.
* `escapes`: escape sequences in terms, and the characters that they stand for.
"""
