"""Filters and functions over columns of ids, evaluated once for each distinct combination of terms.

* `evaluation`: from the inside out; `operands`: what the parts hand each other; `truth`: three-valued logic;
  `values`: the values of a query's terms; `distinct`.
* `comparing`, `membership`, `logic`, `texts`: what gives true, false or an error.
* `arithmetic`: numbers that stay numbers as long as nobody asks for a term.
* `by_key`, `calls`: functions of terms, on the keys of terms or on the terms; `functions`: those of SPARQL by name.
* `fresh`: what is new in each solution.
"""
