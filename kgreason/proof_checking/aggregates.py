"""The values of aggregates of rules, by their definition (`docs/reference/rule-syntax.md`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import FunctionError
from kgreason.program.negation import is_anonymous
from kgreason.program.rules import AggregateValue
from kgreason.proof_checking.fact_index import Binding
from kgreason.rdf.functions import evaluate
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.value_classes import NUMBERS, classified
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER, XSD_STRING

_Key: TypeAlias = tuple[int, str, str, tuple[int, float | str], str]


def grouped(bindings: Iterable[Binding], group: Sequence[Variable]) -> list[list[Binding]]:
    """Bindings that agree in some variables, together."""
    found: dict[tuple[Term, ...], list[Binding]] = {}
    for binding in bindings:
        found.setdefault(tuple(binding[variable] for variable in group), []).append(binding)
    return [*found.values()]


def aggregated(value: AggregateValue, group: Sequence[Binding]) -> Term:
    """What an aggregate makes of the bindings of a group; FunctionError where it has no value."""
    counted: dict[tuple[Term, ...], Binding] = {}
    for binding in group:
        named = value.distinct or sorted((v for v in binding if not is_anonymous(v)), key=str)
        counted.setdefault(tuple(binding[variable] for variable in named), binding)
    if value.argument is None:
        return _count([*range(len(counted))])
    terms = [binding[value.argument] for binding in counted.values()]
    if value.function == "group_concat":
        return _joined(terms, value.separator)
    return _FUNCTIONS[value.function](terms)


def _count(terms: Sequence[object]) -> Term:
    return Literal(str(len(terms)), XSD_INTEGER)


def _sum(terms: Sequence[Term]) -> Term:
    """Exact for integers and decimals; floats are added from the least to the greatest."""
    if any(classified(term)[0] not in NUMBERS for term in terms):
        raise FunctionError("a sum of a value that is not a number")
    binary = [isinstance(term, Literal) and term.datatype in (XSD_FLOAT, XSD_DOUBLE) for term in terms]
    zero: Term = Literal("0", XSD_INTEGER)
    return reduce(lambda a, b: evaluate("+", (a, b)), sorted(terms, key=_number) if any(binary) else terms, zero)


def _average(terms: Sequence[Term]) -> Term:
    return evaluate("/", (_sum(terms), Literal(str(len(terms)), XSD_INTEGER)))


def _joined(terms: Sequence[Term], separator: str) -> Term:
    texts: list[str] = []
    for term in sorted(terms, key=_order):
        if not isinstance(term, IRI | Literal):
            raise FunctionError(f"{term} has no text")
        texts.append(term.value if isinstance(term, IRI) else term.lexical)
    return Literal(separator.join(texts))


def _number(term: Term) -> tuple[bool, float]:
    found = float(classified(term)[1])
    return math.isnan(found), found


def _order(term: Term) -> _Key:
    """The place in the order of ORDER BY: blank nodes, IRIs, literals by datatype and value, triple terms."""
    match term:
        case BlankNode(label):
            return 0, "", "", (0, label), label
        case IRI(value):
            return 1, "", "", (0, value), value
        case Literal(lexical, datatype, language):
            if classified(term)[0] in NUMBERS:
                return 2, XSD_DECIMAL, "", (1 + _number(term)[0], _number(term)[1]), str(term)
            return 2, datatype or XSD_STRING, language or "", (0, lexical), str(term)
    return 3, "", "", (0, str(term)), str(term)


_FUNCTIONS: Final[dict[str, Callable[[Sequence[Term]], Term]]] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "min": lambda terms: min(terms, key=_order),
    "max": lambda terms: max(terms, key=_order),
}
