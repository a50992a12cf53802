"""Raw data to triples by mapping documents: what does not depend on the engine that reads the data.

* `documents`: RML mapping documents, from Turtle to frozen data.
* `plan`: a mapping compiled to one inert tree, which engines translate.
* `sources`: where sources are and which files a mapping may name; the grammars of CSV and JSONPath.
* `arrow`: the engine of one machine, over columns of Arrow and without Java. The other one is `kgreason_spark`.
* `locations`: paths and URIs as Hadoop has them; `syntax`: well-formed terms; `sql_names`: names as SQL writes them;
  `text_functions`: what functions of mappings make of texts.
* `quarantine_reasons`: why rows are in quarantine; `run_outputs`, `run_reports`: what a run writes and counts.

Imports point from right to left only:

    locations, syntax, sql_names, quarantine_reasons  <-  documents  <-  plan, sources  <-  arrow, kgreason_spark
"""
