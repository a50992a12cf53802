"""What aggregates of rules are by definition: the judge of groups, in plain Python over terms.

Nothing of the store is used but its classes of terms as data; numbers are those of `tests.values`. A group is a list of
terms, one for each binding that counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import AggregateValue
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from tests.operators import NUMBERS, OperatorError, as_float, binary_literal, decimal_literal, line, number
from tests.values import BINARY, XSD

Binding = dict[Variable, Term]


def groups(bindings: Iterable[Binding], group: Sequence[Variable]) -> list[list[Binding]]:
    """Bindings that agree in some variables, together."""
    found: dict[tuple[Term, ...], list[Binding]] = {}
    for binding in bindings:
        found.setdefault(tuple(binding[variable] for variable in group), []).append(binding)
    return [*found.values()]


def value(aggregate: AggregateValue, group: Sequence[Binding]) -> Term:
    """What an aggregate makes of the bindings of one group; raises OperatorError."""
    counted: dict[tuple, Binding] = {}
    for binding in group:
        variables = aggregate.distinct or sorted(filter(is_shown, binding), key=str)
        counted.setdefault(tuple(binding[variable] for variable in variables), binding)
    if aggregate.argument is None:
        return Literal(str(len(counted)), XSD + "integer")
    return FUNCTIONS[aggregate.function]([each[aggregate.argument] for each in counted.values()], aggregate.separator)


def is_shown(variable: Variable) -> bool:
    """Whether a variable was written as one: not `_`, nor a step of a path."""
    return re.fullmatch(r"_\d+|\0.*", variable.name) is None


def count(terms: list[Term], _: str) -> Term:
    return Literal(str(len(terms)), XSD + "integer")


def total(terms: list[Term], _: str) -> Term:
    """Exact for integers and decimals; floats one after the other, the smallest first."""
    space, found = added(terms)
    if space in BINARY:
        return binary_literal(found, space)
    whole = all(term.datatype != XSD + "decimal" for term in terms)
    return Literal(str(found.numerator), XSD + "integer") if whole else decimal_literal(found)


def average(terms: list[Term], _: str) -> Term:
    space, found = added(terms)
    return binary_literal(found / len(terms), space) if space in BINARY else decimal_literal(found / len(terms), False)


def added(terms: list[Term]):
    values = [number(term) for term in terms]
    space = max((value.space for value in values), key=NUMBERS.index)
    if space not in BINARY:
        return space, sum((value.content for value in values), Fraction(0))
    floats = [as_float(value.content) for value in values]
    found = 0.0
    for each in sorted(floats, key=lambda each: (math.isnan(each), each)):
        found += each
    return space, found


def least(terms: list[Term], _: str) -> Term:
    return min(terms, key=order)


def greatest(terms: list[Term], _: str) -> Term:
    return max(terms, key=order)


def concatenation(terms: list[Term], separator: str) -> Term:
    if any(isinstance(term, BlankNode) for term in terms):
        raise OperatorError
    texts = (term.value if isinstance(term, IRI) else term.lexical for term in sorted(terms, key=order))
    return Literal(separator.join(texts))


def order(term: Term) -> tuple:
    """Where a blank node, an IRI, a number or a string is in the order of ORDER BY; equal numbers by their texts. Other
    literals are ordered by their texts, as those are that have no value."""
    if isinstance(term, BlankNode):
        return 0, (), term.label
    if isinstance(term, IRI):
        return 1, (), term.value
    text = f'"{term.lexical}"{term.language or ""}^^{term.datatype}'
    try:
        value = number(term)
    except OperatorError:
        return 2, (term.datatype or XSD + "string", term.language or "", term.lexical), text
    place = (2, 0) if value.content == "NaN" else line(value.content)
    return 2, (XSD + "decimal", *place), text


FUNCTIONS = {
    "count": count, "sum": total, "avg": average, "min": least, "max": greatest, "group_concat": concatenation,
}  # fmt: skip
