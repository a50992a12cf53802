"""Serializer plugins on pyoxigraph: ``kg-nt``, ``kg-nquads``, ``kg-turtle``, ``kg-trig``, ``kg-xml``, ...

They write what a graph shows, explicit and inferred; of a dataset and of `store.explicit`, in a format that has them,
the explicit triples of each named graph under its name. Turtle and the like are sorted, with the prefixes that are of
use: what is written twice is the same byte for byte. From a ReasoningStore no rdflib term is made.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from rdflib.graph import ConjunctiveGraph, Dataset, Graph
from rdflib.serializer import Serializer

from kgreason.errors import WriteError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_writer import Triples, write_graphs
from kgreason_rdflib.graph_scopes import EXPLICIT
from kgreason_rdflib.store import ReasoningStore


class BulkSerializer(Serializer):
    """Writes one format; the subclasses only name it."""

    format: ClassVar[str]
    keeps_names: ClassVar[bool] = False

    def serialize(self, stream: Any, base: str | None = None, encoding: str | None = None, **options: Any) -> None:
        """Write the graph.

        Raises:
            WriteError: an encoding that is not UTF-8, an option, or triples that the format cannot say.
        """
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8"):
            raise WriteError(f"{self.format} in the encoding {encoding} (expected UTF-8)")
        unknown = [name for name, value in options.items() if value is not None]
        if unknown or base is not None:
            raise WriteError(f"{self.format} has no option {', '.join(unknown) or 'base'}")
        graph: Graph = self.store
        prefixes = {prefix: str(namespace) for prefix, namespace in graph.namespaces()}
        graph = graph if isinstance(graph.store, ReasoningStore) else _copied(graph)
        store = cast(ReasoningStore, graph.store)
        knowledge = store.knowledge_base
        graphs: list[tuple[int | None, list[Triples]]] = [(None, [store.view(graph)])]
        if self.keeps_names and isinstance(graph, ConjunctiveGraph):
            # rdflib deprecates the name without an underscore for a Dataset.
            graphs = [(None, [store.view(graph._default_context)]), *_named_graphs(knowledge)]
        elif self.keeps_names and graph.identifier == EXPLICIT:
            graphs = [(None, [knowledge.graph(DEFAULT_GRAPH)]), *_named_graphs(knowledge)]
        write_graphs(graphs, knowledge.dictionary, stream, self.format, prefixes)


def _named_graphs(knowledge: KnowledgeBase) -> list[tuple[int | None, list[Triples]]]:
    return [(name, [knowledge.graph(name)]) for name in knowledge.graphs() if name != DEFAULT_GRAPH]


def _copied(graph: Graph) -> Graph:
    """The same triples, or quads, over a ReasoningStore."""
    store = ReasoningStore(rules="none")
    if isinstance(graph, ConjunctiveGraph):
        copy = Dataset(store=store, default_union=graph.default_union)
        for subject, predicate, object, context in graph.quads():
            name = getattr(context, "identifier", context)
            is_default = name is None or name == graph._default_context.identifier
            (copy.default_graph if is_default else copy.graph(name)).add((subject, predicate, object))
        return copy
    return Graph(store=store).__iadd__(graph)


class NTriplesSerializer(BulkSerializer):
    format = "nt"


class NQuadsSerializer(BulkSerializer):
    format = "nq"
    keeps_names = True


class TurtleSerializer(BulkSerializer):
    format = "ttl"


class TriGSerializer(BulkSerializer):
    format = "trig"
    keeps_names = True


class RDFXMLSerializer(BulkSerializer):
    format = "rdf"


class N3Serializer(BulkSerializer):
    format = "n3"


class JSONLDSerializer(BulkSerializer):
    format = "jsonld"
    keeps_names = True
