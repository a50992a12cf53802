"""Servers under load: clients of mixed queries beside a writer that commits.

    python -m tests.benchmarks.server [SECONDS [SERVER ...]]

* `load`: clients, what they ask, and what came of it.
* `endpoints`: servers as processes of their own: kgreason over a store on disk, rdflib-endpoint over rdflib's memory
  store, and Oxigraph's server over a store on disk, both with the same triples, those that follow among them.
"""
