"""RDF terms: what they are, what they are worth as values, and the dictionary between terms and ids.

* `model`: IRI, BlankNode and Literal as inert data.
* `keys`: what the dictionary keeps of a term, and its kind.
* `dictionary`: dense uint32 ids for terms and back, on `runs` (ids to keys) and `kinds`; its ways with many terms are
  `segments` and `texts`, `folded_keys`, `key_columns` with `hash_index` and `hashing`, and `ordered_keys`.
* `vocabulary`: the IRIs of RDF, RDFS, OWL, XSD and SKOS that the code names.
* `values`: the Python value of a literal, by its datatype.
* `functions`: built-in operators and functions on terms; `numbers` and `strings` have those on literals, `patterns`
  regular expressions.
* `value_classes`: what SPARQL's operators look at; `value_columns` keeps it for many terms; `comparison`, `casts`,
  `times` and `durations` are those operators.
"""
