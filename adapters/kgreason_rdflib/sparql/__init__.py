"""SPARQL through rdflib: its parser and algebra in front, its results behind, and kgreason.sparql in between.

* `request`: what somebody asks; `engine`: what `ReasoningStore.query` does.
* `parsing`: from text to a question that was translated once; `translation`, `expressions`, `paths`: its parts.
* `parameters`: queries that differ in their IRIs alone, parsed once.
* `functions`, `services`: what rdflib evaluates: functions that users registered, SERVICE.
* `binding`: variables that are given from outside.
* `sources`: the graphs that a query is asked.
* `results`: solutions as rows; `templates`: CONSTRUCT; `descriptions`: DESCRIBE.
* `updates`: what `ReasoningStore.update` does; `operations`: a request as data; `changing`: one operation carried out;
  `filling`: templates as columns of quads; `loading`: LOAD.
"""
