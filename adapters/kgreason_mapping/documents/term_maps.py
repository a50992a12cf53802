"""Term maps, from the graph to the model, and the shortcuts for constant ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from pyoxigraph import Literal, NamedNode

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import XSD_STRING
from kgreason_mapping.documents.function_executions import as_text, call_of
from kgreason_mapping.documents.graph import MappingGraph, Value, key_of
from kgreason_mapping.documents.mapping_model import (
    Call,
    Constant,
    Expression,
    Fresh,
    JoinCondition,
    Reference,
    TermMap,
    TermType,
    Text,
)
from kgreason_mapping.documents.rml_vocabulary import RML, in_rml
from kgreason_mapping.documents.string_templates import TemplateSyntaxError, escaped, parse_template
from kgreason_mapping.syntax import LANGUAGE_TAG

_IRIS: Final = frozenset({TermType.IRI, TermType.URI, TermType.UNSAFE_IRI, TermType.UNSAFE_URI})


@dataclass(frozen=True, slots=True)
class Position:
    """Where in a quad a term map stands: its property, its shortcut, what it may make."""

    name: str
    property: str
    shortcut: str
    allowed: frozenset[TermType]


SUBJECT: Final = Position("subject", "subjectMap", "subject", _IRIS | {TermType.BLANK_NODE})
PREDICATE: Final = Position("predicate", "predicateMap", "predicate", _IRIS)
OBJECT: Final = Position("object", "objectMap", "object", frozenset(TermType))
GRAPH: Final = Position("graph", "graphMap", "graph", _IRIS | {TermType.BLANK_NODE})
DATATYPE: Final = Position("datatype", "datatypeMap", "datatype", _IRIS)
_DATATYPES: Final = (DATATYPE.property, DATATYPE.shortcut)


def term_maps(graph: MappingGraph, node: Value, position: Position) -> Iterator[TermMap]:
    """The term maps that a node has in one position, shortcuts among them; not those that refer to a parent.

    Raises:
        MappingError: one of them is invalid, or makes a term that may not stand there.
    """
    for value in graph.values(node, position.property):
        if graph.values(value, "parentTriplesMap"):
            continue
        made = _checked(_term_map(graph, value, position), position)
        needed = condition(graph, value)
        yield made if needed is None else replace(made, condition=needed)
    for value in graph.values(node, position.shortcut):
        yield _checked(_constant(value), position)


def expression(graph: MappingGraph, node: Value, what: str) -> Expression:
    """What a node says of where a value comes from; `what` names it in errors.

    Raises:
        MappingError: it says nothing, or several things, or has a template or a constant that cannot be.
    """
    found: list[Expression] = []
    for value in graph.values(node, "constant"):
        found.append(Constant(key_of(value)))
    for value in graph.values(node, "reference"):
        found.append(Reference(_text(value, f"the reference of a {what}")))
    for value in graph.values(node, "template"):
        try:
            found.append(parse_template(_text(value, f"the template of a {what}")))
        except TemplateSyntaxError as error:
            raise MappingError(str(error)) from None
    if graph.values(node, "functionExecution"):
        found.append(call_of(graph, node, expression))
    if len(found) == 1:
        return found[0]
    raise MappingError(f"a {what} needs one constant, reference, template or function, and has {len(found)}")


def condition(graph: MappingGraph, node: Value) -> Text | None:
    """What must be true for a node to have any effect; None where nothing must. MappingError for two conditions."""
    given = graph.values(node, "condition")
    if len(given) > 1:
        raise MappingError("a term map has two conditions")
    return as_text(expression(graph, given[0], "condition")) if given else None


def join_condition(graph: MappingGraph, node: Value) -> JoinCondition:
    """What a join condition compares; MappingError where it lacks a side, or has two."""
    return JoinCondition(_side(graph, node, "child"), _side(graph, node, "parent"))


def _side(graph: MappingGraph, condition: Value, side: str) -> Expression:
    found: list[Expression] = [expression(graph, one, f"{side} map") for one in graph.values(condition, side + "Map")]
    found += [Reference(one.value) for one in graph.values(condition, side) if isinstance(one, Literal)]
    if len(found) != 1:
        raise MappingError(f"a join condition needs one {side}, and has {len(found) or 'none'}")
    return found[0]


def _term_map(graph: MappingGraph, node: Value, position: Position) -> TermMap:
    term_type = _term_type(graph, node)
    if position is DATATYPE and any(graph.values(node, one) for one in ("language", "languageMap", *_DATATYPES)):
        raise MappingError("a datatype map makes no literals but has a language or a datatype")
    if term_type is TermType.BLANK_NODE and not any(
        graph.values(node, one) for one in ("constant", "reference", "template", "functionExecution")
    ):
        return TermMap(Fresh(graph.number(node)), TermType.BLANK_NODE)
    made = expression(graph, node, f"{position.name} map")
    language, datatype = _language(graph, node), _datatype(graph, node)
    if language is not None and datatype is not None:
        raise MappingError(f"a {position.name} map has both a language and a datatype")
    is_typed = language is not None or datatype is not None
    if isinstance(made, Constant):
        if not is_typed:
            return _typed(made)
        made = _plain(graph, node, position)
    is_literal = position is OBJECT and (isinstance(made, Reference | Call) or is_typed)
    chosen = term_type or (TermType.LITERAL if is_literal else TermType.IRI)
    if chosen is not TermType.LITERAL and (language is not None or datatype is not None):
        raise MappingError(f"a {position.name} map makes no literals but has a language or a datatype")
    return TermMap(made, chosen, language, datatype)


def _plain(graph: MappingGraph, node: Value, position: Position) -> Expression:
    """The text of a constant, for a literal with the language or the datatype beside it."""
    (value,) = graph.values(node, "constant")
    if not isinstance(value, Literal) or value.language is not None or value.datatype.value != XSD_STRING:
        text = f"a {position.name} map has a language or a datatype beside the constant {value}"
        raise MappingError(text, expected="a constant that is a text")
    return parse_template(escaped(value.value))


def _constant(value: Value) -> TermMap:
    return _typed(Constant(key_of(value)))


def _typed(constant: Constant) -> TermMap:
    return TermMap(constant, TermType.LITERAL if constant.key.startswith('"') else TermType.IRI)


def _checked(term_map: TermMap, position: Position) -> TermMap:
    if term_map.term_type not in position.allowed:
        made = "a blank node" if term_map.term_type is TermType.BLANK_NODE else "a literal"
        raise MappingError(f"a {position.name} map makes {made}, which cannot be a {position.name}")
    if position is GRAPH and isinstance(term_map.expression, Constant):
        return TermMap(Constant(in_rml(term_map.expression.key)), TermType.IRI)
    return term_map


def _term_type(graph: MappingGraph, node: Value) -> TermType | None:
    given = graph.values(node, "termType")
    if not given:
        return None
    names = {RML + one.value: one for one in TermType}
    value = given[0]
    known = names.get(in_rml(value.value)) if isinstance(value, NamedNode) else None
    if known is None or len(given) > 1:
        raise MappingError(f"{', '.join(map(str, given))} is not a term type")
    return known


def _language(graph: MappingGraph, node: Value) -> Expression | None:
    given: list[Expression] = [expression(graph, one, "language map") for one in graph.values(node, "languageMap")]
    given += [Constant(key_of(one)) for one in graph.values(node, "language")]
    if len(given) > 1:
        raise MappingError("a term map has two languages")
    for one in given:
        if isinstance(one, Constant) and not re.match(LANGUAGE_TAG, one.key.strip('"')):
            raise MappingError(f"{one.key} is not a language tag")
    return given[0] if given else None


def _datatype(graph: MappingGraph, node: Value) -> TermMap | None:
    given = list(term_maps(graph, node, DATATYPE))
    if len(given) > 1:
        raise MappingError("a term map has two datatypes")
    return given[0] if given else None


def _text(value: Value, what: str) -> str:
    if isinstance(value, Literal):
        return value.value
    raise MappingError(f"{what} is {value}, not text")
