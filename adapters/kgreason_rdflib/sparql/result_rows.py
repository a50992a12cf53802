"""The rows of rdflib's results: tuples with a class for each list of variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

from rdflib.query import ResultRow

_ROW_METHODS: Final = {name: method for name, method in vars(ResultRow).items() if isinstance(method, FunctionType)}


@lru_cache(maxsize=1024)
def row_class(names: Sequence[str]) -> type[ResultRow]:
    """The rows of results with these variables: with what rdflib's can do, but the names are kept with the class.

    They are tuples with the methods of rdflib's class, but not of that class: each would be made past its constructor,
    which takes a third longer, and have eight bytes more. `isinstance` says that they are of it.
    """
    labels = {name: position for position, name in enumerate(names)}
    own = {"__slots__": (), "labels": labels, "__getattr__": _first_time, "__reduce__": _reduced}
    return type("ResultRow", (tuple,), {**_ROW_METHODS, **own, "__class__": property(lambda row: ResultRow)})


def _first_time(row: ResultRow, name: str) -> Any:
    """The value of a variable, which the class has as a property from then on: a third of the time."""
    position = row.labels.get(name)
    if position is None:
        raise AttributeError(name)
    setattr(type(row), name, _value_at(position))
    return tuple.__getitem__(row, position)


def _value_at(position: int) -> property:
    get = tuple.__getitem__
    return property(lambda row: get(row, position))


def _reduced(row: ResultRow) -> tuple[Any, ...]:
    return _restored, (tuple(row.labels), tuple(row))


def _restored(names: tuple[str, ...], values: Iterable[Any]) -> ResultRow:
    return tuple.__new__(row_class(names), values)
