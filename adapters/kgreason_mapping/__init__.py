"""Raw data to triples by mapping documents: what does not depend on the engine that reads the data.

* `documents`: RML mapping documents, from Turtle to frozen data.
* `plan`: a mapping compiled to one inert tree, which engines translate.
* `sources`: which files a mapping may name, and the grammar and the records of CSV.
* `locations`: paths and URIs as Hadoop has them; `syntax`: well-formed terms.
* `quarantine_reasons`: why rows are in quarantine.

Imports point from right to left only:

    locations, syntax, quarantine_reasons  <-  documents  <-  plan, sources  <-  kgreason_spark
"""
