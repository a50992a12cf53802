"""Mapping documents, from Turtle to the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode

from kgreason.errors import MappingError, located, unreadable
from kgreason_mapping.documents.graph import MappingGraph, Node, Value, graph_of, parse_graph
from kgreason_mapping.documents.logical_views import check_views, source_of
from kgreason_mapping.documents.mapping_model import (
    Call,
    Constant,
    Expression,
    Fresh,
    Mapping,
    PredicateObjectMap,
    ReferencingObjectMap,
    TermMap,
    TriplesMap,
)
from kgreason_mapping.documents.term_maps import GRAPH, OBJECT, PREDICATE, SUBJECT, condition, join_condition, term_maps
from kgreason_mapping.documents.yaml_documents import loaded
from kgreason_mapping.documents.yarrrml import SCOPE, statements_of
from kgreason_mapping.locations import Location, as_iri, folder_of, location, suffix_of

_DEFINING: Final = ("logicalSource", "subjectMap", "subject", "predicateObjectMap")
_BASE: Final = "file:///"
_YAML: Final = (".yml", ".yaml", ".yarrrml")


def read_mapping(path: str | Path) -> Mapping:
    """The mapping in a file of this machine; `kgreason_spark.ingestion` reads those of other file systems.

    Raises:
        MappingError: the file cannot be read, is not well-formed, or is not an RML mapping; names the triples map.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason, place = unreadable(error, file)
        raise MappingError(f"cannot be read: {reason}", **place) from error
    return parse_mapping(text, place=location(file), source=str(file))


def parse_mapping(
    text: str, *, directory: Location | None = None, place: Location | None = None, source: str = "the mapping"
) -> Mapping:
    """The mapping in a text: of Turtle, or of YARRRML where `source` ends in ``.yml``, ``.yaml`` or ``.yarrrml``.

    Args:
        directory: where relative paths in it start; by default the directory of `place`.
        place: where the text is from: relative IRIs in it are relative to that.
        source: what errors call it.

    Raises:
        MappingError: it is not well-formed, or is not an RML mapping; names the triples map.
    """
    home = location(directory) if directory is not None else None
    if place is not None:
        home = folder_of(location(place)) if home is None else home
        return _mapping(text, as_iri(location(place)), source, home)
    return _mapping(text, as_iri(home).rstrip("/") + "/" if home is not None else _BASE, source, home)


def _mapping(text: str, base: str, source: str, home: str | None) -> Mapping:
    with located(path=source):
        if suffix_of(source) in _YAML:
            graph = graph_of(statements_of(loaded(text, source)), SCOPE)
        else:
            graph = parse_graph(text, base=base, source=source)
        check_views(graph)
        nodes = list(_triples_map_nodes(graph))
        if not nodes:
            raise MappingError("it has no triples map")
        mapping = Mapping(tuple(_triples_map(graph, node) for node in nodes), home)
        _check_parents(mapping)
    mapping._check()
    return mapping


def _triples_map_nodes(graph: MappingGraph) -> Iterator[Node]:
    yielded = dict.fromkeys(graph.having(_DEFINING))
    yielded |= dict.fromkeys(node for node in graph.statements if graph.is_a(node, "TriplesMap"))
    return iter(yielded)


def _triples_map(graph: MappingGraph, node: Node) -> TriplesMap:
    try:
        subjects = list(term_maps(graph, node, SUBJECT))
        if len(subjects) != 1:
            raise MappingError(f"it needs one subject map, and has {len(subjects) or 'none'}")
        holders = graph.values(node, "subjectMap")
        made = TriplesMap(
            name=graph.name_of(node),
            source=source_of(graph, node),
            subject=subjects[0],
            classes=tuple(_class(one) for holder in holders for one in graph.values(holder, "class")),
            graphs=tuple(one for holder in holders for one in term_maps(graph, holder, GRAPH)),
            predicate_objects=tuple(_pairs(graph, one) for one in graph.values(node, "predicateObjectMap")),
            base=_base(graph, node),
        )
        if made.source is None and not all(_is_constant(one) for one in _expressions(made)):
            raise MappingError("it has no logical source, but term maps that are not constant")
        return made
    except MappingError as error:
        raise MappingError(error.reason, graph.name_of(node), expected=error.expected) from None


def _class(value: Value) -> str:
    if isinstance(value, NamedNode):
        return value.value
    raise MappingError(f"the class {value} is not an IRI")


def _base(graph: MappingGraph, node: Node) -> str | None:
    found = graph.values(node, "baseIRI")
    if len(found) > 1:
        raise MappingError("it has two base IRIs")
    return found[0].value if found else None


def _pairs(graph: MappingGraph, node: Value) -> PredicateObjectMap:
    referencing = [one for one in graph.values(node, "objectMap") if graph.values(one, "parentTriplesMap")]
    needed = condition(graph, node)
    predicates = term_maps(graph, node, PREDICATE)
    pairs = PredicateObjectMap(
        predicates=tuple(one if needed is None else replace(one, condition=needed) for one in predicates),
        objects=tuple(term_maps(graph, node, OBJECT)),
        referencing=tuple(_referencing(graph, one) for one in referencing),
        graphs=tuple(term_maps(graph, node, GRAPH)),
    )
    if not pairs.predicates:
        raise MappingError("a predicate-object map has no predicate")
    if not pairs.objects and not pairs.referencing:
        raise MappingError("a predicate-object map has no object")
    return pairs


def _referencing(graph: MappingGraph, node: Value) -> ReferencingObjectMap:
    parents = graph.values(node, "parentTriplesMap")
    if len(parents) > 1:
        raise MappingError("a referencing object map has two parents")
    conditions = tuple(join_condition(graph, one) for one in graph.values(node, "joinCondition"))
    return ReferencingObjectMap(graph.name_of(parents[0]), conditions)


def _expressions(triples_map: TriplesMap) -> Iterator[Expression]:
    terms: list[TermMap] = [triples_map.subject, *triples_map.graphs]
    for pairs in triples_map.predicate_objects:
        terms += [*pairs.predicates, *pairs.objects, *pairs.graphs]
        yield from (condition.child for one in pairs.referencing for condition in one.conditions)
    for term in terms:
        yield term.expression
        yield from () if term.language is None else (term.language,)
        yield from () if term.datatype is None else (term.datatype.expression,)


def _is_constant(one: Expression) -> bool:
    return isinstance(one, Constant | Fresh) or (isinstance(one, Call) and not one.arguments)


def _check_parents(mapping: Mapping) -> None:
    by_name = {one.name: one for one in mapping.triples_maps}
    for child in mapping.triples_maps:
        for reference in (one for pairs in child.predicate_objects for one in pairs.referencing):
            parent = by_name.get(reference.parent)
            if parent is None:
                raise MappingError(f"its parent {reference.parent} is not a triples map", child.name)
            if not reference.conditions and parent.source != child.source:
                raise MappingError(f"it needs a join condition: {parent.name} has another source", child.name)
