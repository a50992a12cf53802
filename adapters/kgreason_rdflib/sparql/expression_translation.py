"""From rdflib's parsed expressions to kgreason's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pyparsing import ParseResults
from rdflib.namespace import RDF
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import BNode, Literal, Node, URIRef, Variable

from kgreason.algebra.expressions import tree
from kgreason.algebra.expressions.function_table import function_of_iri
from kgreason.algebra.expressions.tree import Call
from kgreason.rdf import model
from kgreason.rdf.vocabulary import XSD_BOOLEAN
from kgreason.sparql import algebra
from kgreason_rdflib.rdflib_terms import to_model
from kgreason_rdflib.sparql.fallback import UntranslatableError
from kgreason_rdflib.sparql.registered_functions import fallback_call, is_overridden

TRUE: Final = model.Literal("true", XSD_BOOLEAN)

_CHAINED: Final = {"ConditionalOrExpression": "||", "ConditionalAndExpression": "&&"}
_UNARY: Final = {"UnaryNot": "!", "UnaryMinus": "u-", "UnaryPlus": "u+"}
_PARTS: Final = ("arg", "arg1", "arg2", "arg3", "text", "start", "length", "pattern", "replacement", "flags")
"""The arguments of a built-in, in the order in which they are written; which ones it has, its name decides."""


def operand(term: Any) -> algebra.Operand:
    """The operand in a place of a pattern: in a query a blank node is a hidden variable."""
    if isinstance(term, Variable):
        return tree.Variable(str(term))
    if isinstance(term, BNode):
        return tree.Variable(f"_:{term}")
    if not isinstance(term, (URIRef, Literal)):
        raise UntranslatableError(f"{term!r} in a pattern")
    return to_model(term)


def variables_in(part: Any) -> Iterator[Variable]:
    """The variables of what rdflib parsed, as they are written."""
    if isinstance(part, Variable):
        yield part
    elif isinstance(part, CompValue):
        for value in part.values():
            yield from variables_in(value)
    elif isinstance(part, (list, tuple, ParseResults)):
        for value in part:
            yield from variables_in(value)


@dataclass(frozen=True, slots=True)
class Aliases:
    """The variables that rdflib put in the place of others around a group, each with the one that it stands for:
    of `keys` of the group, and all that it `sampled`."""

    keys: Mapping[str, str] = field(default_factory=dict)
    sampled: Mapping[str, str] = field(default_factory=dict)


class Expressions:
    """Translates the expressions of one query."""

    def __init__(self, prologue: Prologue, pattern: Callable[[CompValue, Aliases], algebra.Node]) -> None:
        """`pattern` translates the pattern of EXISTS."""
        self._prologue = prologue
        self._pattern = pattern
        self.foreign: list[str] = []

    def __call__(self, expression: Any, aliases: Aliases) -> algebra.Expression:
        """An expression."""

        def translated(part: Any) -> algebra.Expression:
            return self(part, aliases)

        if isinstance(expression, Variable):
            name = str(expression)
            return tree.Variable(aliases.keys.get(name, name))
        if not isinstance(expression, CompValue):
            return _constant(expression)
        name = expression.name
        if name in _CHAINED:
            return self._chained(expression, translated)
        if name in ("AdditiveExpression", "MultiplicativeExpression"):
            return _arithmetic(expression, translated)
        if name == "RelationalExpression":
            return _relation(expression, translated)
        if name in _UNARY:
            return Call(_UNARY[name], (translated(expression.expr),))
        if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            return algebra.Exists(self._pattern(expression.graph, aliases), name == "Builtin_NOTEXISTS")
        if name == "Function":
            return self._function(expression, translated)
        if name == "TrueFilter":
            return TRUE
        if name.startswith("Builtin_"):
            return self._builtin(expression, translated)
        raise UntranslatableError(name)

    def _chained(self, expression: CompValue, translated: Callable[[Any], algebra.Expression]) -> algebra.Expression:
        operands = (translated(expression.expr), *map(translated, expression.other or ()))
        return Call(_CHAINED[expression.name], operands) if len(operands) > 1 else operands[0]

    def _builtin(self, expression: CompValue, translated: Callable[[Any], algebra.Expression]) -> algebra.Expression:
        function = expression.name.removeprefix("Builtin_").lower()
        arguments: list[algebra.Expression] = []
        for part in _PARTS:
            value = getattr(expression, part)
            if value is not None:
                arguments += map(translated, _listed(value) if function in ("concat", "coalesce") else [value])
        return Call("isiri" if function == "isuri" else function, tuple(arguments))

    def _function(self, expression: CompValue, translated: Callable[[Any], algebra.Expression]) -> algebra.Expression:
        iri = expression.iri
        arguments = tuple(map(translated, _listed(expression.expr)))
        function = None if is_overridden(iri) else function_of_iri(str(iri), len(arguments))
        if function is not None:
            return Call(function, arguments)
        self.foreign.append(f"function <{iri}>")
        return fallback_call(model.IRI(str(iri)), arguments, str(self._prologue.base or "") or None)


def _constant(value: Any) -> algebra.Expression:
    if isinstance(value, BNode):
        return tree.Variable(f"_:{value}")
    if not isinstance(value, Node):
        raise UntranslatableError(f"{value!r} in an expression")
    return to_model(value)


def _arithmetic(expression: CompValue, translated: Callable[[Any], algebra.Expression]) -> algebra.Expression:
    found = translated(expression.expr)
    for operator, other in zip(expression.op or (), expression.other or (), strict=True):
        found = Call(operator, (found, translated(other)))
    return found


def _relation(expression: CompValue, translated: Callable[[Any], algebra.Expression]) -> algebra.Expression:
    left = translated(expression.expr)
    if expression.other is None:
        return left
    if expression.op in ("IN", "NOT IN"):
        function = "in" if expression.op == "IN" else "notin"
        return Call(function, (left, *map(translated, _listed(expression.other))))
    return Call(expression.op, (left, translated(expression.other)))


def _listed(value: Any) -> list[Any]:
    """A list of expressions: rdflib has rdf:nil, or nothing, for an empty one, and none around a single one."""
    if value is None or (isinstance(value, URIRef) and value == RDF.nil):
        return []
    return list(value) if isinstance(value, (list, ParseResults)) else [value]


