"""SPARQL through rdflib: what it is asked in front, its results behind, and kgreason.sparql in between.

* `request`: a query with its arguments; `query_engine`: what `ReasoningStore.query` does.
* `questions`: from a text to a question; `translations`: each translated once.
* `syntax_errors`, `malformed_requests`: errors of texts; `fallback`: requests that rdflib evaluates itself.
* `query_extensions`: what a query may call: `services`, and `registered_functions`, those that users gave to rdflib.
* `prepared_requests`, `prepared_updates`, `prepared_services`: the door for what rdflib parsed and kept no text of;
  `translation`, `expression_translation`, `path_translation`: its parts.
* `initial_bindings`: variables that are given from outside.
* `query_sources`: the graphs that a query is asked.
* `query_results`: solutions as rdflib's results; `solution_terms`: from ids to terms; `result_rows`: the classes of
  rows; `row_collection`: the garbage collector while they are made.
* `construct_templates`, `answer_triples`: CONSTRUCT; `bounded_descriptions`:
  DESCRIBE; `result_graphs`: the graphs of both.
* `updates`: what `ReasoningStore.update` does; `update_operations`: a request as data; `update_effects`: one operation
  carried out; `filled_templates`: templates as columns of quads; `remote_documents`: LOAD.

rdflib's own parser is imported for that door alone: it takes as long to import as the rest of rdflib.
"""
