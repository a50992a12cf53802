"""Expressions: one tree, one table of functions, one evaluator over columns, for rules, queries, proofs and Spark.

    evaluator = ColumnEvaluator(LocalTerms(dictionary))
    longer = Call(">", (Call("strlen", (Variable("s"),)), Literal("3", XSD_INTEGER)))
    evaluator.passes(longer, ColumnBatch({Variable("s"): ids}, len(ids)))     # a mask: one bool for each row

* `tree`: Variable, Call, FallbackCall, Equation; what an expression is, and how it is walked. `sides`: conditions
  between two sets of rows. `separation`: comparisons of sums with one value on each side.
* `function_table`: every function and operator by its name.
* `evaluator`: from the inside out over a batch of rows; what an error is. `operands`: batches, and what functions get.
* `truth`: three-valued logic. `logic`: &&, ||, IF, COALESCE, BOUND and the kinds of terms.
* `comparison`, `column_comparison`: =, <, ... and IN, by the table of `kgreason.rdf.value_comparison`.
  `equality_keys`: keys that are the same for equal values, to join by these; `order_ranks`: numbers in their order.
* `arithmetic`: numbers that stay numbers as long as nothing asks for a term.
* `lexical_functions`, `text_tests`: what the texts of keys show. `text_columns`: texts made of texts, one in the other;
  `text_replacements`: REPLACE.
  `term_functions`: any other function, term by term.
* `triple_parts`: triple terms and their parts, by ids.
* `fresh_terms`: what only queries may call.
"""
