"""Files that are RDF already, as rows.

* `statement_rows`: files and folders of N-Triples and N-Quads, listed by `source_files`; `parquet_lines`: Parquet.
* `statement_grammar`: the grammar of a line, as regular expressions of Java.
* `line_faults`: why a line is not a statement.
* `escapes`: escape sequences in lines, and the characters that they stand for.
"""
