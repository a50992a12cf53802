"""Logical views (RML-LV), from the graph to the model: fields, records within records, and joins of views.

Structural annotations only tell what holds anyway, and are passed over. Source: https://w3id.org/rml/lv/spec.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pyoxigraph import Literal

from kgreason.errors import MappingError
from kgreason_mapping.documents.graph import MappingGraph, Node, Value
from kgreason_mapping.documents.logical_sources import formulation, logical_source, namespaces, one_value
from kgreason_mapping.documents.mapping_model import (
    AnySource,
    ExpressionField,
    Field,
    Formulation,
    Fresh,
    IterableField,
    LogicalView,
    ViewJoin,
)
from kgreason_mapping.documents.term_maps import expression, join_condition

_JOINS: Final = {"leftJoin": False, "innerJoin": True}
_NESTED: Final = (Formulation.CSV, Formulation.JSON, Formulation.XML)


def source_of(graph: MappingGraph, triples_map: Node) -> AnySource | None:
    """The source of a triples map, None when it names none.

    Raises:
        MappingError: it has several, or one that is incomplete.
    """
    found = graph.values(triples_map, "logicalSource")
    if len(found) > 1:
        raise MappingError("it has two logical sources")
    return _source(graph, found[0], ()) if found else None


def check_views(graph: MappingGraph) -> None:
    """Raise MappingError for a view that is wrong, whether or not a triples map uses it."""
    for node in graph.having(["viewOn"]):
        _view(graph, node, ())


def _source(graph: MappingGraph, node: Value, above: tuple[Value, ...]) -> AnySource:
    if graph.values(node, "viewOn") or graph.is_a(node, "LogicalView"):
        return _view(graph, node, above)
    return logical_source(graph, node)


def _view(graph: MappingGraph, node: Value, above: tuple[Value, ...]) -> LogicalView:
    assert not isinstance(node, Literal)
    name = graph.name_of(node)
    if node in above:
        raise MappingError(f"the logical view {name} is based on itself")
    inner = (*above, node)
    try:
        on = one_value(graph, node, "viewOn")
        if on is None:
            raise MappingError("it has no rml:viewOn")
        if one_value(graph, node, "iterator") or one_value(graph, node, "referenceFormulation"):
            raise MappingError("a view has no iterator and no reference formulation of its own")
        source = _source(graph, on, inner)
        root = None if isinstance(source, LogicalView) else source.formulation
        fields = tuple(_field(graph, one, root, ()) for one in graph.values(node, "field"))
        if not fields:
            raise MappingError("it has no rml:field")
        joins = tuple(
            _join(graph, one, is_inner, inner) for kind, is_inner in _JOINS.items() for one in graph.values(node, kind)
        )
        _check_names([*fields, *(one for join in joins for one in join.fields)])
        return LogicalView(name, source, fields, joins)
    except MappingError as error:
        reason = error.reason if "the logical view" in error.reason else f"the logical view {name}: {error.reason}"
        raise MappingError(reason) from None


def _field(
    graph: MappingGraph, node: Value, parent: Formulation | None, above: tuple[Value, ...], *, in_text: bool = False
) -> Field:
    """A field of records with a formulation, None for any; `in_text` where it is of records in a text."""
    if node in above:
        raise MappingError("a field is nested in itself")
    inner = (*above, node)
    name = one_value(graph, node, "fieldName")
    if name is None:
        raise MappingError("a field has no rml:fieldName")
    nested = graph.values(node, "field")
    if not _is_iterable(graph, node):
        made = expression(graph, node, f"field {name.value!r}")
        if in_text or isinstance(made, Fresh):
            raise MappingError(f"the field {name.value!r} is in a text, and needs a reference formulation")
        inside = [_field(graph, one, None, inner, in_text=True) for one in nested]
        _check_names(inside)
        return ExpressionField(name.value, made, tuple(one for one in inside if isinstance(one, IterableField)))
    given = formulation(graph, node)
    if in_text and given not in _NESTED:
        raise MappingError(f"the field {name.value!r} is in a text, and needs a reference formulation")
    if not in_text and None not in (given, parent) and given is not parent:
        raise MappingError(f"the field {name.value!r} has another reference formulation than the record that it is in")
    iterator = one_value(graph, node, "iterator")
    if iterator is None and given is not Formulation.CSV:
        raise MappingError(f"the field {name.value!r} has no rml:iterator")
    fields = tuple(_field(graph, one, given or parent, inner) for one in nested)
    _check_names(fields)
    selected = None if iterator is None else iterator.value
    return IterableField(name.value, given if in_text else None, selected, namespaces(graph, node), fields)


def _is_iterable(graph: MappingGraph, node: Value) -> bool:
    has = (graph.values(node, name) for name in ("iterator", "referenceFormulation"))
    return graph.is_a(node, "IterableField") or any(has)


def _join(graph: MappingGraph, node: Value, is_inner: bool, above: tuple[Value, ...]) -> ViewJoin:
    parent = one_value(graph, node, "parentLogicalView")
    if parent is None or not (graph.values(parent, "viewOn") or graph.is_a(parent, "LogicalView")):
        raise MappingError("a join names no logical view as its parent")
    conditions = tuple(join_condition(graph, one) for one in graph.values(node, "joinCondition"))
    if not conditions:
        raise MappingError("a join has no condition")
    found = [_field(graph, one, None, ()) for one in graph.values(node, "field")]
    fields = tuple(one for one in found if isinstance(one, ExpressionField) and not one.fields)
    if not fields or len(fields) < len(found):
        raise MappingError("the fields of a join are expressions over its parent, one at least")
    return ViewJoin(_view(graph, parent, above), conditions, fields, is_inner)


def _check_names(fields: Sequence[Field]) -> None:
    twice = next((name for name, count in Counter(one.name for one in fields).items() if count > 1), None)
    if twice is not None:
        raise MappingError(f"two fields are called {twice!r}")
