"""Parser plugins on pyoxigraph: ``graph.parse(path, format="kg-nt")`` loads in bulk into a ReasoningStore.

Into any other store they add triple by triple, as rdflib's own parsers do, only faster.
"""

from __future__ import annotations

from typing import Any, BinaryIO, ClassVar

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.parser import InputSource, Parser

from kgreason.errors import LoadError
from kgreason.knowledge.loading import read_stream
from kgreason.knowledge.quads import DEFAULT_GRAPH, Quads
from kgreason.terms.dictionary import Dictionary
from kgreason_rdflib.store import ReasoningStore
from kgreason_rdflib.terms import NodeTable


class BulkParser(Parser):
    """A parser of one format; all or nothing."""

    format: ClassVar[str]

    def parse(self, source: InputSource, sink: Graph, **_: Any) -> None:
        """Read the whole source, then hand it to the sink. LoadError names the place and the reason."""
        store = sink.store
        dictionary = store.knowledge_base.dictionary if isinstance(store, ReasoningStore) else Dictionary()
        name = source.getPublicId() or source.getSystemId() or "the input"
        quads = read_stream(
            _bytes_of(source), dictionary, format=self.format, base=_absolute(name), source=source.getSystemId() or name
        )
        if isinstance(store, ReasoningStore):
            store.load_quads(quads, None if isinstance(sink, ConjunctiveGraph) else sink.identifier)
        else:
            _add_one_by_one(quads, NodeTable(dictionary), sink)


def _add_one_by_one(quads: Quads, nodes: NodeTable, sink: Graph) -> None:
    columns = (quads.graph, quads.subject, quads.predicate, quads.object)
    for graph, subject, predicate, object_ in zip(*(column.tolist() for column in columns), strict=True):
        triple = (nodes.decode(subject), nodes.decode(predicate), nodes.decode(object_))
        if graph == DEFAULT_GRAPH or not isinstance(sink, ConjunctiveGraph):
            sink.add(triple)
        else:
            sink.get_context(nodes.decode(graph)).add(triple)  # type: ignore[arg-type]


def _bytes_of(source: InputSource) -> BinaryIO | bytes:
    stream = source.getByteStream()
    if stream is not None:
        return stream  # type: ignore[no-any-return]
    characters = source.getCharacterStream()
    if characters is None:
        raise LoadError("the source has nothing to read")
    return characters.read().encode()  # type: ignore[no-any-return]


def _absolute(name: str) -> str | None:
    return str(name) if ":" in str(name) and " " not in str(name) else None


class NTriplesParser(BulkParser):
    """``kg-nt``"""

    format = "nt"


class NQuadsParser(BulkParser):
    """``kg-nquads``"""

    format = "nquads"


class TurtleParser(BulkParser):
    """``kg-turtle``"""

    format = "turtle"


class TriGParser(BulkParser):
    """``kg-trig``"""

    format = "trig"


class RDFXMLParser(BulkParser):
    """``kg-xml``"""

    format = "xml"


class N3Parser(BulkParser):
    """``kg-n3``"""

    format = "n3"


class JSONLDParser(BulkParser):
    """``kg-jsonld``"""

    format = "jsonld"
