"""The rdflib plugin: a Store that reasons, and parsers that load into it in bulk.

* `store`: ReasoningStore, the `rdflib.store.Store`; its docstring says what each kind of graph shows.
* `reasoning`: what it has beyond rdflib's protocol: rules, the change feed, proofs, inconsistencies.
* `querying`: SPARQL as the store has it, with tables and plans; `sparql`: how it is done.
* `changes`: what a change added or removed, as an rdflib graph.
* `graphs`: from an rdflib graph to the explicit and inferred triples that it stands for.
* `contents`: the quads of a knowledge base, changed and read by rdflib terms.
* `reading`: from id columns to rdflib triples.
* `terms`: the only border between rdflib's terms and the ids of the dictionary.
* `parsers`: the formats ``kg-nt``, ``kg-turtle``, ...
* `state`, `directory`: what is kept of a store in a pickle, and in a directory that it was opened with.
* `prefixes`: the namespace table; `events`: rdflib's events.
"""

from __future__ import annotations

from kgreason_rdflib.graphs import EXPLICIT, INFERRED
from kgreason_rdflib.reasoning import Inconsistency
from kgreason_rdflib.store import ReasoningStore

__all__ = ["EXPLICIT", "INFERRED", "Inconsistency", "ReasoningStore"]
