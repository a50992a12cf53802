"""Single facts that go and come back, of each module of the engine, beside computing all anew.

* `cases`: what is measured: a knowledge base, and which of its facts go and come.
* `triples`: ontologies and data made of triples, for the modules that no graph of pairs calls for.
"""
