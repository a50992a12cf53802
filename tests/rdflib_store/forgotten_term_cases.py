"""Helpers of `test_forgotten_terms` and `test_forgotten_terms_of_failures`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rdflib import Graph, Literal, Namespace, URIRef

from kgreason import ReasoningStore

EX = Namespace("http://example.org/")


FACT = (EX.tom, EX.likes, EX.milk)


def keys(store: ReasoningStore) -> set[str]:
    """The keys of all terms that a store knows."""
    dictionary = store.knowledge_base.dictionary
    return {dictionary.key(identifier) for identifier in range(len(dictionary))}


def opened(path: Path, **options: Any) -> Graph:
    graph = Graph(store=ReasoningStore(**options))
    graph.open(str(path), create=True)
    return graph


def many(name: str, count: int = 50) -> Iterator[tuple[URIRef, URIRef, Literal]]:
    return ((EX[f"{name}{number}"], EX[f"of-{name}"], Literal(f"{name} {number}")) for number in range(count))
