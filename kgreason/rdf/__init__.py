"""RDF terms as data, what they mean, and the operators and functions on them.

* `model`: IRI, BlankNode and Literal as inert data; `vocabulary`: the IRIs that the code names.
* `keys`: the normal form of a term as one text; `triple_keys`: that of triple terms; `hashing`: 64-bit hashes of keys.
* `iri_resolution`: relative IRIs to absolute ones; `prefixes`: those that documents can declare.
* `literal_values`, `value_classes`: the Python value of a literal by its datatype, and the class that operators
  look at.
* `value_comparison`: the only table of =, <, ...; `casts`, `numbers`, `strings`, `times`, `durations` and `moments`:
  the functions of each kind of value; `term_parts`: those that make terms and take them apart; `functions`: all of
  them by name.
* `regular_expressions`, `pattern_syntax`: XPath's regular expressions in bounded time.
* `text_lengths`: the greatest length of a text that a function makes.

Imports: nothing of kgreason but `errors`.
"""
