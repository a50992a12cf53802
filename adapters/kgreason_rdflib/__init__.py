"""kgreason as an rdflib plugin: the store, its parsers, and the only border between rdflib's terms and ours.

* `terms`: rdflib nodes to ids and back.
* `store`: ReasoningStore.
* `graphs`: read-only graphs of the explicit and of the inferred triples.
* `parsers`: the parser plugins ``kg-nt``, ``kg-turtle``, ... that load in bulk.
"""
