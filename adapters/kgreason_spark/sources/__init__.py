"""Files that are RDF already, as rows.

* `ntriples`: files and folders of N-Triples and N-Quads.
* `grammar`: the grammar of a line, as regular expressions of Java.
* `escapes`: escape sequences in lines, and the characters that they stand for.
"""
