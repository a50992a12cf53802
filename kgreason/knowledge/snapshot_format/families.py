"""Rule families: shapes, where parameters come from, and rows of parameters, all of which must fit each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.durable.codec import ColumnReader, ColumnWriter, Json, expect_list
from kgreason.durable.documents import expect, expect_number
from kgreason.engine.rules.families import Column, Family, State
from kgreason.engine.rules.shapes import Shape, ShapeAtom
from kgreason.errors import LoadError
from kgreason.knowledge.snapshot_format import records
from kgreason.knowledge.snapshot_format.bounds import CLASS, PROPERTY, Bounds

_TABLES: Final = ("bases", "rows", "parameters")
_FLAGS: Final = ("fresh bases", "fresh", "leaving", "repeating")


def write_family(family: Family, state: State, shape: int, to: ColumnWriter) -> Json:
    """A family in some state; `shape` is the number of its shape."""
    bases, fresh_bases, rows, parameters, fresh, leaving, repeating = state
    tables = [to.table(table) for table in (bases, rows, parameters)]
    flags = [to.numbers(flag) for flag in (fresh_bases, fresh, leaving, repeating)]
    sources = records.write(family.sources)
    return [family.name, shape, family.guard, sources, list(family.universals), tables, flags]


def read_family(value: Json, shapes: list[Shape], of: ColumnReader, bounds: Bounds) -> tuple[Family, State]:
    """A family and its state; LoadError where a parameter is of another kind than its place in the shape."""
    parts = expect_list(value, 7, "a family of rules")
    name: str = expect(parts[0], str, "the name of a rule")
    what = f"the family of {name!a:.60}"
    shape = shapes[expect_number(parts[1], f"the shape of {what}", 0, len(shapes) - 1)]
    guard = None if parts[2] is None else expect_number(parts[2], f"the guard of {what}")
    sources = records.read(records.read_sources, parts[3], f"the sources of {what}")
    universals = tuple(
        expect_number(kind, f"the columns of {what}", CLASS, PROPERTY) for kind in expect(parts[4], list, what)
    )
    tables = expect_list(parts[5], len(_TABLES), what)
    bases, rows, parameters = (
        of.table(table, f"{part} of {what}") for part, table in zip(_TABLES, tables, strict=True)
    )
    flags = expect_list(parts[6], len(_FLAGS), what)
    fresh_bases, fresh, leaving, repeating = (
        of.numbers(flag, np.bool_, f"{part} of {what}") for part, flag in zip(_FLAGS, flags, strict=True)
    )
    counts = {len(rows), len(parameters), len(fresh), len(leaving), len(repeating)}
    if len(counts) > 1 or len(bases) != len(fresh_bases):
        raise LoadError(f"damaged: {what}: its rows differ in number")
    family = Family(name, shape, guard, sources, universals)
    _check_widths(family, bases, rows, what, bounds)
    check_row(shape, parameters, what, bounds)
    return family, (bases, fresh_bases, rows, parameters, fresh, leaving, repeating)


def _check_widths(family: Family, bases: NDArray[np.int64], rows: NDArray[np.int64], what: str, bounds: Bounds) -> None:
    is_plain = family.guard is None and not family.universals
    if len(family.sources) != (0 if is_plain else family.shape.parameters):
        raise LoadError(f"damaged: {what}: {len(family.sources)} sources of its parameters")
    width = family.shape.parameters
    if not is_plain:
        guarded = 0 if family.guard is None else bounds.arity_of(family.guard, f"the guard of {what}")
        width = guarded + len(family.universals)
        if len(bases) and bases.shape[1] != guarded:
            raise LoadError(f"damaged: {what}: its guard rows are {bases.shape[1]} wide ({guarded} was expected)")
    if len(rows) and rows.shape[1] != width:
        raise LoadError(f"damaged: {what}: its rows are {rows.shape[1]} wide ({width} was expected)")
    if bool((bases < 0).any()) or bool((rows < 0).any()):
        raise LoadError(f"damaged: {what}: an id below zero in its rows")
    for source in family.sources:
        if isinstance(source, Column):
            is_kind = source.kind in (None, CLASS, PROPERTY)
            if not is_kind or source.position >= width:
                raise LoadError(f"damaged: {what}: a column of no row")
    if not is_plain:
        bounds.check_ids(rows.reshape(-1), f"the rows of {what}")


def check_row(shape: Shape, parameters: NDArray[np.int64], what: str, bounds: Bounds) -> None:
    """Relations where the shape has relations, and terms where it has terms."""
    if not len(parameters):
        return
    if parameters.shape[1] != shape.parameters:
        raise LoadError(f"damaged: {what}: {parameters.shape[1]} parameters ({shape.parameters} were expected)")
    arities = np.zeros(shape.parameters, dtype=np.int64)
    for atom in _atoms(shape):
        arities[atom.relation] = len(atom.arguments)
    is_relation = arities > 0
    codes = parameters[:, is_relation]
    bounds.check_codes(codes.reshape(-1), f"the relations of {what}", np.tile(arities[is_relation], len(codes)))
    bounds.check_ids(parameters[:, ~is_relation].reshape(-1), f"the terms of {what}")


def read_shapes(value: Json) -> list[Shape]:
    """Shapes of rules; LoadError where one speaks of a parameter or a variable that it has not."""
    found: list[Shape] = []
    for written in expect(value, list, "the shapes of rules"):
        what = f"shape {len(found)}"
        shape: Shape = records.read(records.read_shape, written, what)
        _check_shape(shape, what)
        found.append(shape)
    return found


def _atoms(shape: Shape) -> Iterable[ShapeAtom]:
    return (*shape.body, *shape.negated, *((shape.head,) if shape.head is not None else ()))


def _check_shape(shape: Shape, what: str) -> None:
    bound = {slot for atom in shape.body for slot in atom.arguments if slot >= 0}
    relations: dict[int, int] = {}
    for atom in _atoms(shape):
        count = relations.setdefault(atom.relation, len(atom.arguments))
        if not atom.arguments or count != len(atom.arguments) or atom.relation >= shape.parameters:
            raise LoadError(f"damaged: {what}: an atom of no relation, or with another count of arguments")
    terms: list[int] = [slot for atom in _atoms(shape) for slot in atom.arguments]
    for operation in shape.filters:
        terms += operation.slots()
    for variable, operation in shape.assignments:
        terms += operation.slots()
        if not operation.variables() <= bound or variable < 0:
            raise LoadError(f"damaged: {what}: an assignment of what nothing binds")
        bound.add(variable)
    if any(slot >= 0 and slot not in bound for slot in terms):
        raise LoadError(f"damaged: {what}: a variable that nothing binds")
    if any(slot < 0 and (~slot >= shape.parameters or ~slot in relations) for slot in terms):
        raise LoadError(f"damaged: {what}: a parameter that it has not, or that is a relation")
