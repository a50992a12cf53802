"""Prefixes and named graphs, which are rdflib's, as settings of a durable knowledge base."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from rdflib.term import BNode, IdentifiedNode, URIRef

from kgreason.disk.settings import GRAPHS, PREFIXES, names_of_graphs, prefixes_of
from kgreason_rdflib.graph_scopes import Scopes
from kgreason_rdflib.prefixes import Prefixes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CommittedNames:
    """The names of graphs, and the prefixes with their namespaces; None where none were ever committed."""

    graphs: list[IdentifiedNode]
    prefixes: list[tuple[str, URIRef]] | None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> CommittedNames:
        """Read them from settings; LoadError for settings that have none."""
        graphs = names_of_graphs(settings)
        named: list[IdentifiedNode] = [BNode(key[2:]) if key.startswith("_:") else URIRef(key) for key in graphs]
        bound = [(prefix, URIRef(namespace)) for prefix, namespace in prefixes_of(settings)]
        return cls(named, bound if PREFIXES in settings else None)


def settings_of(scopes: Scopes, prefixes: Prefixes) -> dict[str, str]:
    """The settings that say which named graphs and prefixes there are."""
    named = [f"_:{name}" if isinstance(name, BNode) else str(name) for name in scopes]
    bound = [[str(prefix), str(namespace)] for prefix, namespace in prefixes]
    return {GRAPHS: json.dumps(named), PREFIXES: json.dumps(bound)}
