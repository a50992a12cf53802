"""What logical views have: the names that references may use, and the references of their fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kgreason.errors import MappingError
from kgreason_mapping.documents.mapping_model import (
    AnySource,
    Call,
    Expression,
    ExpressionField,
    Field,
    IterableField,
    LogicalSource,
    LogicalView,
    Reference,
    Template,
    Text,
)

ROOT_POSITION: Final = "#"
POSITION: Final = ".#"
"""At the end of the name of a field: the position of its value in the record that it is from."""


def sources_under(source: AnySource) -> Iterator[LogicalSource]:
    """The logical sources that a source is, or that a view and its parents are based on."""
    if isinstance(source, LogicalView):
        for one in (source.on, *(join.parent for join in source.joins)):
            yield from sources_under(one)
    else:
        yield source


def names_in(view: LogicalView) -> list[str]:
    """The names that references may use, without positions."""
    joined = (one.name for join in view.joins for one in join.fields)
    return [*own_names(view), *joined]


def own_names(view: LogicalView, asked: Iterable[str] = ()) -> list[str]:
    """The names of the fields of a view that are not from its joins, and those of their positions that are asked."""
    names = dict(_names(view.fields, ""))
    own = {ROOT_POSITION, *(name + POSITION for name in names)}
    places = [one for one in asked if one in own]
    return [name for name, is_value in names.items() if is_value] + places


def check_name(view: LogicalView, reference: str) -> None:
    """Raise MappingError for a reference that means nothing in a view: records themselves have no value."""
    fields = dict(_names(view.fields, ""))
    fields |= {one.name: True for join in view.joins for one in join.fields}
    name = reference.removesuffix(POSITION)
    known = reference == ROOT_POSITION or (name in fields and (fields[name] or name != reference))
    if not known:
        fields_there = ", ".join(names_in(view))
        raise MappingError(f"the logical view {view.name} has no field {reference!r}; it has {fields_there}")


def field_references(fields: Iterable[Field], *, deep: bool = True) -> list[str]:
    """The references of fields; `deep`: and the iterators and references of those that are nested in records."""
    found: list[str] = []
    for one in fields:
        if isinstance(one, ExpressionField):
            found += expression_references(one.expression)
        elif deep:
            found += [one.iterator or "", *field_references(one.fields)]
    return list(dict.fromkeys(found))


def expression_references(expression: Expression) -> list[str]:
    """The references of an expression, those of calls among them."""
    match expression:
        case Reference(text):
            return [text]
        case Template(parts):
            return _in_text(parts)
        case Call(_, arguments):
            return [one for argument in arguments for one in _in_text(argument)]
        case _:
            return []


def _in_text(text: Text) -> list[str]:
    return [one for part in text if not isinstance(part, str) for one in expression_references(part)]


def _names(fields: Sequence[Field], prefix: str) -> Iterator[tuple[str, bool]]:
    """The names of fields with those around them, and whether they have values."""
    for one in fields:
        yield prefix + one.name, not isinstance(one, IterableField)
        yield from _names(one.fields, f"{prefix}{one.name}.")
