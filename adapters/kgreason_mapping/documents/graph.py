"""A mapping document as a graph: what a node has, with every name in RML's own namespace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from kgreason.errors import MappingError
from kgreason.io.parsed_documents import column_of, reason_of
from kgreason.rdf.vocabulary import RDF_TYPE, XSD_STRING
from kgreason_mapping.documents.rml_vocabulary import RML, in_rml

Node: TypeAlias = NamedNode | BlankNode
Value: TypeAlias = NamedNode | BlankNode | Literal


@dataclass(frozen=True, slots=True)
class MappingGraph:
    """The statements about each node, and the IRI of the document; look-ups cost nothing but the answer."""

    base: str
    statements: dict[Node, dict[str, tuple[Value, ...]]]
    _numbers: dict[Node, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {node: number for number, node in enumerate(self.statements)})

    def values(self, node: Value, name: str) -> tuple[Value, ...]:
        """The values that a node has for a property of RML, given by its local name or as a whole IRI."""
        if isinstance(node, Literal):
            return ()
        return self.statements.get(node, {}).get(name if ":" in name else RML + name, ())

    def having(self, names: Iterable[str]) -> Iterator[Node]:
        """The nodes that have one of these properties, in the order of the document."""
        wanted = {RML + name for name in names}
        return (node for node, properties in self.statements.items() if wanted & properties.keys())

    def name_of(self, node: Value) -> str:
        """How errors and reports call a node: what the document calls it, wherever the document is."""
        return node.value.removeprefix(self.base) if isinstance(node, NamedNode) else str(node)

    def number(self, node: Value) -> int:
        """The place of a node in the document: the same whenever the same document is read."""
        return self._numbers[cast("Node", node)]

    def is_a(self, node: Value, name: str) -> bool:
        """Whether a node is declared to be of a class of RML."""
        types = (one.value for one in self.values(node, RDF_TYPE) if isinstance(one, NamedNode))
        return any(in_rml(one) == RML + name for one in types)


def parse_graph(text: str, *, base: str, source: str) -> MappingGraph:
    """Read a document in Turtle; `source` names it in errors.

    Raises:
        MappingError: it is not well-formed Turtle; names the line.
    """
    try:
        return graph_of(parse(input=text, format=RdfFormat.TURTLE, base_iri=base), base)
    except SyntaxError as error:
        raise MappingError(reason_of(error), path=source, line=error.lineno, column=column_of(error)) from None


def graph_of(statements: Iterable[Triple | Quad], base: str) -> MappingGraph:
    """Statements as a graph."""
    gathered: dict[Node, dict[str, list[Value]]] = defaultdict(lambda: defaultdict(list))
    for statement in statements:
        if isinstance(statement.subject, Node) and isinstance(statement.object, Value):
            gathered[statement.subject][in_rml(statement.predicate.value)].append(statement.object)
    return MappingGraph(
        base,
        {
            node: {name: tuple(dict.fromkeys(values)) for name, values in properties.items()}
            for node, properties in gathered.items()
        },
    )


def key_of(value: Value) -> str:
    """The dictionary key of a constant; MappingError for a blank node."""
    if isinstance(value, NamedNode):
        return value.value
    if isinstance(value, BlankNode):
        raise MappingError("a constant cannot be a blank node")
    if value.language:
        return f'"{value.value}"@{value.language}'
    datatype = value.datatype.value
    return f'"{value.value}"' if datatype == XSD_STRING else f'"{value.value}"^^{datatype}'
