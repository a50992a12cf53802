"""Inert data as JSON: an instance of a registered class is ``[word, field, ...]``, read by the types of its fields.

A tree of records is as large as its text, and is read by recursion: `read` and `write` refuse what is nested too deep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from kgreason.algebra.expressions import tree
from kgreason.algebra.expressions.function_table import FUNCTIONS
from kgreason.disk.codec import Json, expect_list
from kgreason.disk.json_documents import expect, expect_number
from kgreason.engine.rules.groups import Column, Constant
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Summary, TemplateAtom
from kgreason.errors import DamageError, Position, WriteError, located
from kgreason.program import rules as model
from kgreason.program.relation_names import AGGREGATES
from kgreason.rdf import model as terms
from kgreason.relations.catalogue import Definition, Feed, Naming, Oriented, Restriction

Reader: TypeAlias = Callable[[Json], Any]

SLOTS: Final = 1 << 16
"""More variables, parameters or arguments no rule has."""


def _text(value: Json) -> str:
    text: str = value if type(value) is str else expect(value, str, "a text of a record")
    return text


def _flag(value: Json) -> bool:
    flag: bool = expect(value, bool, "a flag of a record")
    return flag


def _code(value: Json) -> int:
    return expect_number(value, "a number of a record")


def _small(value: Json) -> int:
    return expect_number(value, "a number of a record", 0, SLOTS)


def _slot(value: Json) -> int:
    return expect_number(value, "a slot", -SLOTS, SLOTS)


def _optional(reader: Reader) -> Reader:
    return lambda value: None if value is None else reader(value)


def _many(reader: Reader) -> Reader:
    def read_many(value: Json) -> tuple[Any, ...]:
        parts: list[Any] = value if type(value) is list else expect(value, list, "parts of a record")
        return tuple([reader(part) for part in parts]) if parts else ()

    return read_many


def _pair(first: Reader, second: Reader) -> Reader:
    def read(value: Json) -> tuple[Any, Any]:
        one, other = expect_list(value, 2, "a pair")
        return first(one), second(other)

    return read


def any_of(*words: str) -> Reader:
    """A reader of records of some classes, by their words."""

    def read_any(value: Json) -> Any:
        if type(value) is not list or not value or value[0] not in words:
            raise DamageError("a record of another kind", expected=", ".join(words))
        maker, fields = _RECORDS[value[0]]
        if not len(fields) - _LATER.get(value[0], 0) < len(value) <= len(fields) + 1:
            raise DamageError(f"{value[0]} with {len(value) - 1} parts", expected=str(len(fields)))
        return maker(*[field(part) for field, part in zip(fields, value[1:], strict=False)])

    return read_any


def _slot_or_operation(value: Json) -> Any:
    return _slot(value) if type(value) is int else _operation(value)


def _operation(value: Json) -> Any:
    """A call on slots, which has the same form as one on terms."""
    word, *parts = expect_list(value, 3, "a call on slots")
    if word != "call":
        raise DamageError("a record of another kind", expected="call")
    return _call(_text(parts[0]), _many(_slot_or_operation)(parts[1]))


def _call(function: str, arguments: tuple[Any, ...]) -> tree.Call[Any]:
    known = FUNCTIONS.get(function)
    if known is None or not known.in_rules:
        raise DamageError(f"a call of {function[:99]!r}", expected="a function that rules have")
    if not known.least <= len(arguments) <= known.most:
        raise DamageError(f"a call of {function} with {len(arguments)} arguments")
    return tree.Call(function, arguments)


def _aggregate(value: Json) -> Any:
    return any_of("aggregate")(value)


def _aggregate_value(variable: Any, function: str, argument: Any, distinct: tuple[Any, ...], separator: str) -> Any:
    if function not in AGGREGATES:
        raise DamageError(f"an aggregate {function[:99]!r}")
    return model.AggregateValue(variable, function, argument, distinct, separator)


def _summary(function: str, argument: int, over: tuple[int, ...], separator: str) -> Summary:
    if function not in AGGREGATES:
        raise DamageError(f"an aggregate {function[:99]!r}")
    return Summary(function, argument, over, separator)


_VARIABLE: Final = any_of("variable")
_TERM: Final = any_of("iri", "blank", "literal", "triple term")
_ARGUMENT: Final = any_of("variable", "iri", "blank", "literal", "triple term")
_ATOM: Final = any_of("triple", "fact")
_BODY_ATOM: Final = any_of("triple", "fact", "member", "every", "path")
_EXPRESSION: Final = any_of("variable", "iri", "blank", "literal", "triple term", "call")
_SHAPE_ATOM: Final = any_of("atom")
_ORIENTED: Final = _many(any_of("oriented"))

_RECORDS: Final[dict[str, tuple[Callable[..., Any], tuple[Reader, ...]]]] = {
    "iri": (terms.IRI, (_text,)),
    "blank": (terms.BlankNode, (_text,)),
    "literal": (terms.Literal, (_text, _optional(_text), _optional(_text), _optional(_text))),
    "triple term": (terms.TripleTerm, (any_of("iri", "blank"), any_of("iri"), _TERM)),
    "variable": (tree.Variable, (_text,)),
    "triple": (model.TripleAtom, (_ARGUMENT, _ARGUMENT, _ARGUMENT)),
    "fact": (model.FactAtom, (_text, _many(_ARGUMENT))),
    "member": (model.Member, (_VARIABLE, _VARIABLE, _ARGUMENT)),
    "every": (model.Every, (_VARIABLE, _VARIABLE, _many(_ATOM))),
    "path": (model.Path, (_ARGUMENT, _VARIABLE, _ARGUMENT)),
    "call": (_call, (_text, _many(_EXPRESSION))),
    "assignment": (model.Assignment, (_VARIABLE, _EXPRESSION)),
    "position": (Position, (_text, _code, _code)),
    "rule": (
        model.Rule,
        (
            *(_many(_ATOM), _many(_BODY_ATOM), _many(_ATOM), _many(_EXPRESSION), _many(any_of("assignment"))),
            *(_text, _optional(any_of("position")), _many(_aggregate)),
        ),
    ),
    "value": (_aggregate_value, (_VARIABLE, _text, _optional(_VARIABLE), _many(_VARIABLE), _text)),
    "aggregate": (
        model.Aggregate,
        (
            *(_many(_BODY_ATOM), _many(_VARIABLE), _many(any_of("value")), _many(_ATOM), _many(_EXPRESSION)),
            *(_many(any_of("assignment")), _many(_aggregate)),
        ),
    ),
    "atom": (TemplateAtom, (_small, _many(_slot))),
    "template": (
        RuleTemplate,
        (
            *(_optional(_SHAPE_ATOM), _many(_SHAPE_ATOM), _many(_SHAPE_ATOM), _many(_operation)),
            *(_many(_pair(_slot, _operation)), _small, _flag, _many(any_of("summary")), _many(_operation)),
        ),
    ),
    "summary": (_summary, (_text, _slot, _many(_small), _text)),
    "constant": (Constant, (_code,)),
    "column": (Column, (_small, _optional(_small))),
    "oriented": (Oriented, (_code, _flag)),
    "restriction": (Restriction, (_flag, _many(_code))),
    "naming": (Naming, (_small, _many(_code))),
    "feed": (Feed, (any_of("oriented"), _flag, _many(_code), _many(_code), _flag)),
    "definition": (
        Definition,
        (
            *(_text, _small, _ORIENTED, _ORIENTED, _flag, _flag, _ORIENTED, _ORIENTED),
            *(_ORIENTED, _text, _flag, _optional(any_of("restriction")), _optional(any_of("naming"))),
            _many(any_of("feed")),
        ),
    ),
}
_FIELDS: Final[dict[type, tuple[str, tuple[str, ...]]]] = {
    maker: (word, tuple(maker.__match_args__[: len(fields)]))  # type: ignore[attr-defined]  # dataclasses and NamedTuples have it
    for word, (maker, fields) in _RECORDS.items()
    if isinstance(maker, type)
}
_FIELDS[tree.Call] = "call", ("function", "arguments")
_FIELDS[model.AggregateValue] = "value", ("variable", "function", "argument", "distinct", "separator")
_FIELDS[Summary] = "summary", ("function", "argument", "over", "separator")
_LATER: Final = {"rule": 1, "template": 1, "literal": 1}
"""How many of the last parts of a record older files do not have: they have no aggregates and no base directions."""


def write(value: Any) -> Json:
    """Records, tuples of them, and what they consist of, as JSON; WriteError for anything else."""
    try:
        return _written(value)
    except RecursionError:
        raise WriteError("a rule that is nested too deep cannot be kept in a file") from None


def _written(value: Any) -> Json:
    if value is None or type(value) in (str, int, bool):
        return value
    if type(value) is tuple:
        return [_written(part) for part in value]
    known = _FIELDS.get(type(value))
    if known is None:
        raise WriteError(f"something cannot be kept in a file: {type(value).__name__}")
    word, names = known
    return [word, *(_written(getattr(value, name)) for name in names)]


def read(reader: Reader, value: Json, what: str) -> Any:
    """The value that a reader makes of JSON; LoadError, with `what` it should be, where that is something else."""
    with located(part=what):
        try:
            return reader(value)
        except RecursionError:
            raise DamageError("nested too deep") from None


read_rule: Final = any_of("rule")
read_template: Final = any_of("template")
read_definition: Final = any_of("definition")
read_sources: Final = _many(any_of("constant", "column"))
read_variables: Final = _many(_VARIABLE)
read_atoms: Final = _many(_ATOM)
read_expressions: Final = _many(_EXPRESSION)
