"""The values of references: one value a row as plain columns, or many as an array; and all combinations of them.

One value is kept apart from many, as expressions over plain columns are compiled by Spark and functions over
arrays are interpreted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from pyspark.sql import Column
from pyspark.sql import functions as F


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a row: null `text` where there is none, its natural datatype (None or null: a string), and why it is
    no value, null where it is one."""

    text: Column
    datatype: Column | str | None = None
    reason: Column | None = None

    def packed(self) -> Column:
        """The value as a struct."""
        datatype = self.datatype if isinstance(self.datatype, Column) else F.lit(self.datatype).cast("string")
        return F.struct(self.text.alias("text"), datatype.alias("datatype"), or_null(self.reason).alias("reason"))


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a row as a dictionary key, null where there is none.

    Where `reason` is not null `key` is the text that is not a term. `blank` tells that it may be a blank node.
    """

    key: Column
    reason: Column | None = None
    blank: bool = False

    def packed(self) -> Column:
        """The term as a struct."""
        return F.struct(self.key.alias("key"), or_null(self.reason).alias("reason"))

    def is_good(self) -> Column:
        """Whether there is a term."""
        return self.key.isNotNull() if self.reason is None else self.key.isNotNull() & self.reason.isNull()


Item = TypeVar("Item", bound=Value | Term)


@dataclass(frozen=True, slots=True)
class Many(Generic[Item]):
    """An array of packed items; `unpack` makes an item of an element."""

    column: Column
    unpack: Callable[[Column], Item]


Values: TypeAlias = tuple[Value | Many[Value], ...]
"""The values of a reference in a row: one value, many, or in rows of JSON the one or the other, row by row."""

Terms: TypeAlias = tuple[Term | Many[Term], ...]
"""The terms of a term map in a row, in the same way."""


def packed_value(column: Column) -> Value:
    """The value in a struct."""
    return Value(column["text"], column["datatype"], column["reason"])


def many_values(column: Column) -> Many[Value]:
    """An array of packed values."""
    return Many(column, packed_value)


def many_terms(column: Column, *, blank: bool = False) -> Many[Term]:
    """An array of packed terms."""
    return Many(column, lambda one: Term(one["key"], one["reason"], blank))


@dataclass(frozen=True, slots=True)
class Product:
    """The results of the combinations: a struct, or an array of them."""

    column: Column
    is_array: bool


def products(items: Sequence[tuple[Item | Many[Item], ...]], make: Callable[[Sequence[Item]], Column]) -> list[Product]:
    """The result of `make` for each combination of items, one of each: RML's n-ary Cartesian product."""
    return [_product(chosen, make) for chosen in alternatives(items)]


def alternatives(items: Sequence[tuple[Item | Many[Item], ...]]) -> Iterator[tuple[Item | Many[Item], ...]]:
    """Each way to take of each item the one or the other."""
    return itertools.product(*items)


def as_array(made: Sequence[Product], kind: str) -> Column:
    """All that was made, as one array; `kind` is the type of its elements.

    No function is applied to the whole, as Spark would interpret all that is in it.
    """
    nothing = F.array().cast(f"array<{kind}>")
    arrays = [F.coalesce(one.column, nothing) for one in made if one.is_array]
    single = [one.column for one in made if not one.is_array]
    together = [F.array(*single)] if single else []
    parts = [*together, *arrays] or [nothing]
    return F.concat(*parts) if len(parts) > 1 else parts[0]


def _product(items: Sequence[Item | Many[Item]], make: Callable[[Sequence[Item]], Column]) -> Product:
    def combined(rest: Sequence[Item | Many[Item]], chosen: list[Item]) -> Product:
        if not rest:
            return Product(make(chosen), False)
        first, others = rest[0], rest[1:]
        if not isinstance(first, Many):
            return combined(others, [*chosen, first])
        nested = any(isinstance(one, Many) for one in others)
        made = F.transform(first.column, lambda one: combined(others, [*chosen, first.unpack(one)]).column)
        return Product(F.flatten(made) if nested else made, True)

    return combined(items, [])


def or_null(column: Column | None) -> Column:
    """The column, or null for none."""
    return column if column is not None else F.lit(None).cast("string")


def first_reason(*reasons: Column | None) -> Column | None:
    """The first that is not null; None when there never is one."""
    possible = [one for one in reasons if one is not None]
    return F.coalesce(*possible) if possible else None


def with_nulls(value: Value, nulls: frozenset[str]) -> Value:
    """The value, none where its text is one that stands for none."""
    if not nulls:
        return value
    return replace(value, text=F.when(~value.text.isin(*sorted(nulls)), value.text))
