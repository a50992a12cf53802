"""Built-ins of SWRL (swrlb:) as conditions, or as values of their first argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Call
from kgreason.program.rules import Argument, Expression
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import XSD_INTEGER
from kgreason.rule_translation.rule_graph import TranslationError

SWRLB: Final = "http://www.w3.org/2003/11/swrlb#"
Value: TypeAlias = tuple[Argument, Expression]

_TESTS: Final = {
    "equal": "=", "notEqual": "!=", "lessThan": "<", "lessThanOrEqual": "<=", "greaterThan": ">",
    "greaterThanOrEqual": ">=", "contains": "contains", "startsWith": "strstarts", "endsWith": "strends",
    "matches": "regex",
}  # fmt: skip
_TEXT_TESTS: Final = frozenset(("contains", "startsWith", "endsWith", "matches"))
_SUMS: Final = {"add": "+", "multiply": "*"}
_OF_TWO: Final = {"subtract": "-", "divide": "/"}
_OF_ONE: Final = {
    "unaryMinus": "u-", "unaryPlus": "u+", "abs": "abs", "ceiling": "ceil", "floor": "floor", "round": "round",
    "booleanNot": "!",
}  # fmt: skip
_OF_TEXTS: Final = {
    "stringLength": ("strlen", 1), "upperCase": ("ucase", 1), "lowerCase": ("lcase", 1), "replace": ("replace", 3),
    "substringBefore": ("strbefore", 2), "substringAfter": ("strafter", 2),
}  # fmt: skip


def builtin(name: Term, arguments: Sequence[Argument]) -> Expression | Value:
    """A condition, or the first argument with the expression of its value.

    Raises:
        TranslationError: a built-in without a counterpart, or with another number of arguments.
    """
    if not isinstance(name, IRI) or not name.value.startswith(SWRLB):
        raise TranslationError(f"the built-in {name} is not of SWRL")
    called = name.value.removeprefix(SWRLB)
    if called in _TESTS or called in ("stringEqualIgnoreCase", "containsIgnoreCase"):
        return _test(called, _counted(called, arguments, 2))
    if not arguments:
        raise TranslationError(f"swrlb:{called} without arguments")
    result, *given = arguments
    if called in _SUMS and len(given) > 1:
        return result, _chained(_SUMS[called], given)
    if called in _OF_TWO:
        return result, Call(_OF_TWO[called], tuple(_counted(called, given, 2)))
    if called in _OF_ONE:
        return result, Call(_OF_ONE[called], tuple(_counted(called, given, 1)))
    if called in _OF_TEXTS:
        function, count = _OF_TEXTS[called]
        return result, Call(function, tuple(map(_text, _counted(called, given, count))))
    if called == "stringConcat" and given:
        return result, Call("concat", tuple(map(_text, given)))
    if called == "substring" and len(given) in (2, 3):
        return result, Call("substr", (_text(given[0]), *given[1:]))
    if called == "mod" and len(given) == 2:
        return result, _remainder(*given)
    raise TranslationError(f"the built-in swrlb:{called} with {len(arguments)} arguments has no counterpart")


def _test(called: str, arguments: Sequence[Argument]) -> Expression:
    first, second = arguments
    if called in _TEXT_TESTS:
        return Call(_TESTS[called], (_text(first), _text(second)))
    if called in _TESTS:
        return Call(_TESTS[called], (first, second))
    lower: tuple[Expression, ...] = tuple(Call("lcase", (_text(argument),)) for argument in arguments)
    return Call("=" if called == "stringEqualIgnoreCase" else "contains", lower)


def _chained(operator: str, arguments: Sequence[Argument]) -> Expression:
    found: Expression = arguments[0]
    for argument in arguments[1:]:
        found = Call(operator, (found, argument))
    return found


def _remainder(a: Argument, b: Argument) -> Expression:
    """a - b * the quotient, which the cast rounds towards 0."""
    return Call("-", (a, Call("*", (b, Call(XSD_INTEGER, (Call("/", (a, b)),))))))


def _text(argument: Argument) -> Expression:
    """The text of an argument: XPath's functions on strings take what can be cast to one."""
    return argument if isinstance(argument, Literal) and argument.datatype is None else Call("str", (argument,))


def _counted(called: str, arguments: Sequence[Argument], count: int) -> Sequence[Argument]:
    if len(arguments) != count:
        raise TranslationError(f"swrlb:{called} with {len(arguments)} arguments where it takes another number")
    return arguments
