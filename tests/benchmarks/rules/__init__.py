"""Datalog programs off the ground of closures, beside DuckDB and clingo: python -m tests.benchmarks.rules [NAME ...]

* `graphs`: seeded random graphs as columns of numbers.
* `programs`: programs in one neutral text, each with its graph.
* `contestants`: what runs a program: this engine, DuckDB driven by a seminaive loop, clingo; each in a process of its
  own.
"""
