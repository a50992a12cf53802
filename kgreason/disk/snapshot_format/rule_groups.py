"""Rule groups: templates, sources of parameters, and rows, all of which must fit.

The rows of all groups lie one after the other in one column for each part, so that there are few columns, and each
check is one look at all of them: there may be hundreds of groups of a few rows each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.tree import leaves
from kgreason.disk.codec import ColumnReader, ColumnWriter, Json, expect_list
from kgreason.disk.json_documents import expect, expect_number
from kgreason.disk.snapshot_format import schemas as records
from kgreason.disk.snapshot_format.bounds import CLASS, PROPERTY, Bounds
from kgreason.engine.rules.groups import Column, Flags, ParameterRows, RuleGroup
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.state_rules import Rules
from kgreason.engine.rules.template_parts import TemplateAtom, operation_variables
from kgreason.errors import DamageError

_TABLES: Final = {"bases": 0, "rows": 2, "parameters": 3}
_FLAGS: Final = {"fresh bases": 1, "fresh": 4, "leaving": 5, "repeating": 6}
"""The parts of a state, and where each stands in it."""
_WHAT: Final = "the groups of rules"

Numbers = NDArray[np.int64]
State: TypeAlias = tuple[ParameterRows, Flags, ParameterRows, ParameterRows, Flags, Flags, Flags]
"""Guard rows and which of them are fresh, rows, parameters, and which rows are fresh, leaving, repeating."""


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A rule group with the flags of its rows; None where none of them has the flag."""

    group: RuleGroup
    fresh_bases: Flags | None
    fresh: Flags | None
    leaving: Flags | None
    repeating: Flags | None


def write_groups(rules: Rules, templates: Sequence[int], to: ColumnWriter) -> Json:
    """All groups; `templates` are the numbers of their templates."""
    groups = list(rules.groups.values())
    heads = [
        [group.name, template, group.guard, records.write(group.sources), list(group.universals)]
        for group, template in zip(groups, templates, strict=True)
    ]
    sizes = [(*group.bases.shape, *group.rows.shape, group.parameters.shape[1]) for group in groups]
    states = [_state_of(group, rules) for group in groups]
    parts = [
        to.numbers(np.concatenate([np.empty(0, dtype), *(state[at].reshape(-1) for state in states)]))
        for places, dtype in ((_TABLES, np.int64), (_FLAGS, np.bool_))
        for at in places.values()
    ]
    return [heads, to.numbers(np.array(sizes, dtype=np.int64).reshape(-1)), parts]


def _state_of(group: RuleGroup, rules: Rules) -> State:
    none = np.zeros(len(group.bases), dtype=np.bool_)
    fresh, leaving, repeating = (
        rules.flags(which, group) for which in (rules.fresh, rules.leaving, rules.repeating)
    )
    fresh_bases = rules.fresh_bases.get(group.number, none)
    return group.bases, fresh_bases, group.rows, group.parameters, fresh, leaving, repeating


def read_groups(value: Json, templates: list[RuleTemplate], of: ColumnReader, bounds: Bounds) -> list[StoredGroup]:
    """Groups and the flags of their rows; LoadError where a parameter is not of the kind that the template asks for."""
    heads, written, parts = expect_list(value, 3, _WHAT)
    groups = [_read_head(head, templates) for head in expect(heads, list, _WHAT)]
    sizes = of.numbers(written, np.int64, f"the sizes of {_WHAT}")
    if len(sizes) != 5 * len(groups):
        raise DamageError(f"{len(sizes)} sizes", part=_WHAT, expected=str(5 * len(groups)))
    expect_list(parts, len(_TABLES) + len(_FLAGS), _WHAT)
    columns: dict[int, NDArray[Any]] = {
        at: of.numbers(part, np.int64 if name in _TABLES else np.bool_, f"the {name} of {_WHAT}")
        for part, (name, at) in zip(parts, (*_TABLES.items(), *_FLAGS.items()), strict=True)
    }
    states = _split(columns, sizes.reshape(-1, 5))
    _check_widths(groups, sizes.reshape(-1, 5), bounds)
    _check_rows(groups, columns, sizes.reshape(-1, 5), bounds)
    check_parameters([group.template for group in groups], sizes[2::5], columns[3], _WHAT, bounds)
    return [_kept(number, *each) for number, each in enumerate(zip(groups, states, strict=True))]


def _kept(number: int, head: RuleGroup, state: State) -> StoredGroup:
    bases, fresh_bases, rows, parameters, *flags = state
    group = replace(head, number=number, bases=bases, rows=rows, parameters=parameters)
    return StoredGroup(group, *(each if each.any() else None for each in (fresh_bases, *flags)))


def _read_head(value: Json, templates: list[RuleTemplate]) -> RuleGroup:
    parts = expect_list(value, 5, "a group of rules")
    name: str = expect(parts[0], str, "the name of a rule")
    what = f"the group of {name!a:.60}"
    template = templates[expect_number(parts[1], f"the template of {what}", 0, len(templates) - 1)]
    guard = None if parts[2] is None else expect_number(parts[2], f"the guard of {what}")
    sources = records.read(records.read_sources, parts[3], f"the sources of {what}")
    universals = tuple(
        expect_number(kind, f"the columns of {what}", CLASS, PROPERTY) for kind in expect(parts[4], list, what)
    )
    if len(sources) != (0 if guard is None and not universals else template.parameters):
        raise DamageError(f"{len(sources)} sources of its parameters", part=what)
    return RuleGroup(-1, name, template, guard, sources, universals)


def _split(columns: dict[int, NDArray[Any]], sizes: Numbers) -> list[State]:
    """The states of groups whose parts lie one after the other: views, nothing is copied."""
    bases, base_width, rows, row_width, parameter_width = sizes.T
    lengths = {0: bases * base_width, 1: bases, 2: rows * row_width, 3: rows * parameter_width}
    lengths |= {4: rows, 5: rows, 6: rows}
    counts, widths = sizes[:, [0, 2]], sizes[:, [1, 3, 4]]
    is_small = np.all(counts <= len(columns[1]) + len(columns[4])) and np.all(widths <= records.SLOTS)
    if not is_small or not np.all(sizes >= 0):
        raise DamageError("a size below zero, or too large", part=_WHAT)
    if any(int(lengths[at].sum()) != len(column) for at, column in columns.items()):
        raise DamageError("their rows differ in number", part=_WHAT)
    shapes = {0: (bases, base_width), 2: (rows, row_width), 3: (rows, parameter_width)}
    split = [_pieces(columns[at], lengths[at], shapes.get(at)) for at in range(len(columns))]
    return list(zip(*split, strict=True))


def _pieces(column: NDArray[Any], lengths: Numbers, shapes: tuple[Numbers, Numbers] | None) -> list[NDArray[Any]]:
    ends = np.cumsum(lengths).tolist()
    pieces = [column[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
    if shapes is None:
        return pieces
    counts, widths = (part.tolist() for part in shapes)
    return [piece.reshape(shape) for piece, *shape in zip(pieces, counts, widths, strict=True)]


def _check_widths(groups: list[RuleGroup], sizes: Numbers, bounds: Bounds) -> None:
    guards = np.array([group.guard for group in groups if group.guard is not None], dtype=np.int64)
    arities = iter(bounds.check_codes(guards, f"the guards of {_WHAT}").tolist())
    for group, (bases, base_width, rows, row_width, parameter_width) in zip(groups, sizes.tolist(), strict=True):
        guarded = 0 if group.guard is None else next(arities)
        is_plain = group.guard is None and not group.universals
        width = group.template.parameters if is_plain else guarded + len(group.universals)
        for count, found, expected in (
            (0 if is_plain else bases, base_width, guarded),
            (rows, row_width, width),
            (rows, parameter_width, group.template.parameters),
        ):
            if count and found != expected:
                what = f"the group of {group.name!a:.60}"
                raise DamageError(f"its rows are {found} wide", part=what, expected=str(expected))
        for source in group.sources:
            if isinstance(source, Column) and (
                source.kind not in (None, CLASS, PROPERTY) or source.position >= width
            ):
                raise DamageError("a column outside of the rows", part=f"the group of {group.name!a:.60}")


def _check_rows(groups: list[RuleGroup], columns: dict[int, NDArray[Any]], sizes: Numbers, bounds: Bounds) -> None:
    is_guarded = np.array([group.guard is not None or bool(group.universals) for group in groups], dtype=np.bool_)
    bounds.check_ids(columns[0], f"the guard rows of {_WHAT}")
    bounds.check_ids(columns[2][np.repeat(is_guarded, sizes[:, 2] * sizes[:, 3])], f"the rows of {_WHAT}")
    if len(columns[2]) and int(columns[2].min()) < 0:
        raise DamageError("an id below zero", part=f"the rows of {_WHAT}")


def check_parameters(
    templates: Sequence[RuleTemplate], counts: Numbers, parameters: Numbers, what: str, bounds: Bounds
) -> None:
    """Raise LoadError unless there are relations where templates have relations, and terms where they have terms.

    Args:
        counts: how many rows of parameters each template has; as long as `templates`.
        parameters: the rows, one after the other.
    """
    known: dict[int, Numbers] = {}
    parts: list[Numbers] = [np.empty(0, dtype=np.int64)]
    for template, count in zip(templates, counts.tolist(), strict=True):
        if count:
            one = known.get(id(template))
            if one is None:
                one = known[id(template)] = _arities(template)
            parts.append(one if count == 1 else np.tile(one, count))
    arities = np.concatenate(parts)
    is_relation = arities > 0
    bounds.check_codes(parameters[is_relation], f"the relations of {what}", arities[is_relation])
    bounds.check_ids(parameters[~is_relation], f"the terms of {what}")


def _arities(template: RuleTemplate) -> Numbers:
    """For each parameter the arity of its relation, 0 where it is a term."""
    arities = np.zeros(template.parameters, dtype=np.int64)
    for atom in _atoms(template):
        arities[atom.relation] = len(atom.arguments)
    return arities


def read_templates(value: Json) -> list[RuleTemplate]:
    """Shapes of rules; LoadError where one names a parameter or a variable that it does not have."""
    found: list[RuleTemplate] = []
    for written in expect(value, list, "the templates of rules"):
        what = f"template {len(found)}"
        template: RuleTemplate = records.read(records.read_template, written, what)
        _check_template(template, what)
        found.append(template)
    return found


def _atoms(template: RuleTemplate) -> Iterable[TemplateAtom]:
    return (*template.body, *template.negated, *((template.head,) if template.head is not None else ()))


def _check_template(template: RuleTemplate, what: str) -> None:
    bound = {slot for atom in template.body for slot in atom.arguments if slot >= 0}
    relations = _relations(template, what)
    terms = [slot for atom in _atoms(template) for slot in atom.arguments]
    if template.summaries:
        bound |= _summarised(template, what)
    for operation in template.filters:
        terms += leaves(operation)
    for variable, operation in template.assignments:
        terms += leaves(operation)
        if not operation_variables(operation) <= bound or variable < 0:
            raise DamageError("an assignment of an unbound variable", part=what)
        bound.add(variable)
    if any(slot not in bound for slot in terms if slot >= 0):
        raise DamageError("an unbound variable", part=what)
    if any(~slot >= template.parameters or ~slot in relations for slot in terms if slot < 0):
        raise DamageError("a parameter that it does not have, or that is a relation", part=what)


def _summarised(template: RuleTemplate, what: str) -> set[int]:
    """The variables that a grouping rule binds to what it makes of groups; LoadError where it is none."""
    head, body = template.head, template.body
    others = template.negated or template.filters or template.assignments
    if head is None or len(body) != 1 or others or len(body[0].variables()) != len(body[0].arguments):
        raise DamageError("aggregates of another rule than a grouping one", part=what)
    arity, width = len(body[0].arguments), len(head.arguments) - len(template.summaries)
    values = head.arguments[max(width, 0) :]
    if width < 0 or head.arguments[:width] != body[0].arguments[:width] or len({*values}) < len(values):
        raise DamageError("a head with other arguments than its groups and aggregates", part=what)
    if any(slot < 0 or slot in body[0].arguments for slot in values):
        raise DamageError("an aggregate of a variable that has a value", part=what)
    for summary in template.summaries:
        least = -1 if summary.function == "count" else 0
        if not least <= summary.argument < arity or any(position >= arity for position in summary.over):
            raise DamageError("an aggregate of an argument that does not exist", part=what)
    return {*values}


def _relations(template: RuleTemplate, what: str) -> set[int]:
    """The parameters that are relations; LoadError where one has atoms of different lengths."""
    relations: dict[int, int] = {}
    for atom in _atoms(template):
        count = relations.setdefault(atom.relation, len(atom.arguments))
        if not atom.arguments or count != len(atom.arguments) or atom.relation >= template.parameters:
            raise DamageError("an atom without a relation, or with another count of arguments", part=what)
    return {*relations}
