"""SPARQL through rdflib: its parser and algebra in front, its results behind, and kgreason.sparql in between.

* `request`: a query with its arguments; `query_engine`: what `ReasoningStore.query` does.
* `parsed_requests`: from text to a question that was translated once; `translation`, `expression_translation`,
  `path_translation`: its parts.
* `lexical_grammar`, `grammar_notes`: rdflib's grammar, and what it does not check; `rdflib_algebra`: its translation;
  `syntax_errors`, `fallback`: its errors, and requests that it evaluates itself.
* `parameters`: queries that differ in their IRIs alone, parsed once.
* `registered_functions`, `services`: what rdflib evaluates: functions that users registered, SERVICE.
* `initial_bindings`: variables that are given from outside.
* `query_sources`: the graphs that a query is asked.
* `query_results`: solutions as rows; `construct_templates`: CONSTRUCT; `bounded_descriptions`: DESCRIBE.
* `updates`: what `ReasoningStore.update` does; `update_operations`: a request as data; `update_effects`: one operation
  carried out; `filled_templates`: templates as columns of quads; `remote_documents`: LOAD.
"""
