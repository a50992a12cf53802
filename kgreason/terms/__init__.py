"""RDF terms: what they are, what they are worth as values, and the dictionary between terms and ids.

* `model`: IRI, BlankNode and Literal as inert data.
* `dictionary`: dense uint32 ids for terms and back.
* `vocabulary`: the IRIs of RDF, RDFS, OWL, XSD and SKOS that the code names.
* `values`: the Python value of a literal, by its datatype.
* `functions`: built-in operators and functions on terms; `numbers` and `strings` have those on literals.
"""
