"""Function executions of RML-FNML, from the graph to calls: https://w3id.org/rml/fnml/spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pyoxigraph import NamedNode

from kgreason.errors import MappingError
from kgreason_mapping.documents.functions import Function, Parameter, function_named, is_output, local_name
from kgreason_mapping.documents.graph import MappingGraph, Value, key_of
from kgreason_mapping.documents.mapping_model import Call, Constant, Expression, Fresh, Template, Text

ExpressionOf: TypeAlias = Callable[[MappingGraph, Value, str], Expression]
"""Gives what a node says of where a value comes from; the text names it in errors."""


def call_of(graph: MappingGraph, holder: Value, expression_of: ExpressionOf) -> Call:
    """The call of a node that has a function execution, and perhaps says which output it takes.

    Raises:
        MappingError: no such function, parameter or output; or a parameter that is missing.
    """
    _check_output(graph, holder)
    executions = graph.values(holder, "functionExecution")
    if len(executions) != 1:
        raise MappingError("a term map has two function executions")
    execution = executions[0]
    name = _one_iri(graph, execution, "function", "a function execution")
    function = function_named(name)
    if function is None:
        raise MappingError(f"the function {name} is unknown")
    given: list[tuple[str, Text]] = []
    for one in graph.values(execution, "input"):
        parameter = _one_iri(graph, one, "parameter", f"an input of {name}")
        given.append((parameter, _input(graph, one, parameter, expression_of)))
    if function.repeats:
        return Call(function.name, tuple(text for parameter, text in given if _checked(function, parameter, name)))
    by_parameter: dict[Parameter, Text] = {}
    for parameter, text in given:
        found = _parameter(function, parameter)
        if found is None or found in by_parameter:
            wrong = "has no parameter" if found is None else "is given twice its parameter"
            raise MappingError(f"the function {name} {wrong} {parameter}")
        by_parameter[found] = text
    missing = [one for one in function.parameters if one.default is None and one not in by_parameter]
    if missing:
        raise MappingError(f"the function {name} lacks its parameter {missing[0].names[0]}")
    return Call(function.name, tuple(by_parameter.get(one, (one.default or "",)) for one in function.parameters))


def as_text(expression: Expression) -> Text:
    """An expression as a text that a function takes; MappingError for a blank node."""
    match expression:
        case Constant(key):
            return (key[1 : key.rindex('"')] if key.startswith('"') else key,)
        case Template(parts):
            return parts
        case Fresh():
            raise MappingError("a blank node is not text")
        case _:
            return (expression,)


def _input(graph: MappingGraph, node: Value, parameter: str, expression_of: ExpressionOf) -> Text:
    found = [as_text(Constant(key_of(one))) for one in graph.values(node, "inputValue")]
    maps = graph.values(node, "inputValueMap")
    found += [as_text(expression_of(graph, one, f"value of {parameter}")) for one in maps]
    if len(found) != 1:
        raise MappingError(f"the input {parameter} needs one value, and has {len(found) or 'none'}")
    return found[0]


def _one_iri(graph: MappingGraph, node: Value, name: str, what: str) -> str:
    """The IRI that a node has for a property, or a map for it has as a constant."""
    found = list(graph.values(node, name))
    for one in graph.values(node, f"{name}Map"):
        found += graph.values(one, "constant")
    if len(found) != 1 or not isinstance(found[0], NamedNode):
        raise MappingError(f"{what} needs one constant rml:{name}, and has {len(found) or 'none'}")
    return found[0].value


def _check_output(graph: MappingGraph, holder: Value) -> None:
    if graph.values(holder, "return") or graph.values(holder, "returnMap"):
        output = _one_iri(graph, holder, "return", "a term map with a function execution")
        if not is_output(output):
            raise MappingError(f"the output {output} of functions is unknown")


def _parameter(function: Function, iri: str) -> Parameter | None:
    name = local_name(iri)
    return next((one for one in function.parameters if name in one.names), None)


def _checked(function: Function, parameter: str, name: str) -> bool:
    if _parameter(function, parameter) is None:
        raise MappingError(f"the function {name} has no parameter {parameter}")
    return True
