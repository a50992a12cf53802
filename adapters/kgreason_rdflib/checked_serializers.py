"""rdflib's serialisers of formats that have no triple terms and no base directions: they say so, and leave nothing out.

Without a look at the terms first, JSON-LD, TriX and hextuples would be written without triple terms, and RDF/XML with a
base direction as part of the language. These classes take the places of rdflib's when the adapter is imported, and
write the same as those for all other graphs. ``kg-xml`` writes RDF/XML 1.2, and ``kg-json-ld`` base directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.plugins.serializers.hext import HextuplesSerializer
from rdflib.plugins.serializers.jsonld import JsonLDSerializer
from rdflib.plugins.serializers.rdfxml import PrettyXMLSerializer, XMLSerializer
from rdflib.plugins.serializers.trix import TriXSerializer
from rdflib.serializer import Serializer
from rdflib.term import Node

from kgreason.errors import WriteError
from kgreason_rdflib.rdf_1_2_terms import DirectedLiteral, TripleTerm


class _Checked(Serializer):
    """Looks at all objects before another serialiser writes."""

    name: ClassVar[str]
    writer: ClassVar[type[Serializer]]

    def serialize(self, stream: Any, *arguments: Any, **options: Any) -> None:
        """Write the graph; WriteError where it has a term that the format has not."""
        graph = self.store
        for term in _objects(graph):
            if isinstance(term, TripleTerm | DirectedLiteral):
                expected = "Turtle, TriG, N-Triples or N-Quads"
                raise WriteError(f"{self.name} cannot say {term.n3()}, a term of RDF 1.2", expected=expected)
        type(self).writer(graph).serialize(stream, *arguments, **options)


def _objects(graph: Graph) -> Iterator[Node]:
    if isinstance(graph, ConjunctiveGraph):
        return (object for _, _, object, _ in graph.quads())
    return (object for _, _, object in graph)


class CheckedXML(_Checked):
    name, writer = "RDF/XML", XMLSerializer


class CheckedPrettyXML(_Checked):
    name, writer = "RDF/XML", PrettyXMLSerializer


class CheckedTriX(_Checked):
    name, writer = "TriX", TriXSerializer


class CheckedJSONLD(_Checked):
    name, writer = "JSON-LD", JsonLDSerializer


class CheckedHextuples(_Checked):
    name, writer = "Hextuples", HextuplesSerializer
