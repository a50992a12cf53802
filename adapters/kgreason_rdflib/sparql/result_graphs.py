"""The graphs of CONSTRUCT and DESCRIBE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rdflib.graph import Graph
from rdflib.namespace import NamespaceManager
from rdflib.plugins.stores.memory import SimpleMemory


class ResultGraph(Graph):
    """A graph in memory, whose prefixes are bound when something first asks for them: with rdflib's own ones these are
    some thirty, and take longer than a small answer."""

    def __init__(self, namespaces: Mapping[str, Any] | None = None) -> None:
        """An empty graph that will have these prefixes beside those of any graph."""
        super().__init__(SimpleMemory())  # unlike Memory, it does not hold the graph: what is given up is free at once
        self._waiting = dict(namespaces or {})

    @property
    def namespace_manager(self) -> NamespaceManager:
        """The prefixes."""
        manager = super().namespace_manager
        waiting, self._waiting = self._waiting, {}
        for prefix, namespace in waiting.items():
            manager.bind(prefix, namespace)
        return manager

    @namespace_manager.setter
    def namespace_manager(self, manager: NamespaceManager) -> None:
        self._waiting = {}
        self._Graph__namespace_manager = manager  # where rdflib keeps it
