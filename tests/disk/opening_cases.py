"""Helpers of `test_opening` and `test_committed_options`."""

from __future__ import annotations

from pathlib import Path

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF, RDFS
from tests.facade import Triple, add, ex, remove, triples

TYPE = IRI(RDF + "type")


SCHEMA = (ex("Cat"), IRI(RDFS + "subClassOf"), ex("Animal"))


FACTS = [(ex(f"c{number}"), TYPE, ex("Cat")) for number in range(20)]


RULES = OpenOptions("rdfs-plus")


def held(store: DurableKnowledge) -> set[Triple]:
    return triples(store.knowledge, store.knowledge.all())


def filled(path: Path) -> set[Triple]:
    """Two commits with files, a snapshot after the first; what is there then."""
    store = DurableKnowledge(path, RULES, create=True)
    add(store.knowledge, SCHEMA, *FACTS[:10])
    store.commit({"a setting": "first"})
    store.write_snapshot()
    add(store.knowledge, *FACTS[10:])
    remove(store.knowledge, FACTS[0])
    store.commit({"a setting": "second"})
    found = held(store)
    store.directory.close()
    return found
