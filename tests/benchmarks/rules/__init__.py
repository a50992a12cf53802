"""Datalog programs off the ground of closures, beside DuckDB, clingo and datafrog:
python -m tests.benchmarks.rules [NAME ...]

* `graphs`: seeded random graphs as columns of numbers.
* `programs`: programs in one neutral text, each with its graph.
* `contestants`: what runs a program: this engine, DuckDB driven by a seminaive loop, clingo; each in a process of its
  own.
* ``datafrog/``: the programs on datafrog, a library of Rust: a crate of a few lines for each, each the quickest of
  several forms of its joins. ``cargo build --release`` in that folder builds ``target/release/kgreason-datafrog``. It
  is a contestant where `KGREASON_DATAFROG` has the path of that program. Without crates.io, a checkout of datafrog
  serves: ``cargo build --release --offline --config 'patch.crates-io.datafrog.path="CHECKOUT"'``.
"""
