"""Ontologies in the syntaxes of OWL, as the triples that the W3C's mapping gives for them.

Each syntax has a parser, which gives one `Expression` after the other, by the names of the functional-style syntax.
`rdf_mapping` makes triples of them.

* `expressions`: what a parser gives.
* `functional_syntax`, `owl_xml`, `manchester_syntax`: the parsers; the last one on `manchester_descriptions`,
  `manchester_rules` and `manchester_tokens`.
* `obo_format`: OBO, on `obo_logic`, `obo_axioms`, `obo_lines` and `obo_vocabulary`.
* `rdf_mapping`, `expression_triples`: axioms and expressions to triples, as keys of terms; `axiom_terms`: the terms for
  their names.
* `owl_documents`: a stream to a part.
"""
