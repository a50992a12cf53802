"""Many rules of one template that are evaluated together: they differ in constants, in the relation that facts come
from, and in the relation that they derive.

A rule by itself takes some 50 to 150 microseconds, even where it finds nothing. Thousands of restrictions
`owl:hasValue` have as many rules ``R(x) <- p(x, y), hasValue(R, y)``; as one join the constants are one more column,
and so is the relation of the head, by which the solutions are divided afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.engine import rule_tuning
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.rings import bridges
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.relations.plain import union_of
from kgreason.relations.table import Columns, Ids, Table

_HEAD: Final = 1 << 30
"""The variable of the relation that a row derives a fact of, beside the slots of a template."""

Numbers: TypeAlias = NDArray[np.int64]


@lru_cache(maxsize=4096)
def can_be_joined(template: RuleTemplate) -> bool:
    """Whether rules of a template are joins and nothing else, which need all that they find; or facts."""
    if template.negated or template.filters or template.assignments or template.summaries or template.head is None:
        return False
    is_join = 2 <= len(template.body) < tuning.LONG_BODY and template.clique is None and not bridges(template)
    return is_join or template.is_fact


@dataclass(slots=True, eq=False, repr=False)
class RuleBatch:
    """Rules of one template with the same relations, but for the one of the atom at `position`, -1 for none, of which
    each has some facts in `tables`; those of one relation have the same.

    The slots of constants are variables here, too.
    """

    template: RuleTemplate
    position: int
    uses: list[Occurrence] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.uses)

    @property
    def _is_shared(self) -> bool:
        """Whether all have the same facts of their atom, which is one more to be joined."""
        return all(table is self.tables[0] for table in self.tables)

    def joins(self, read: Reader) -> list[Join[int]] | None:
        """The atoms that are joined with the rows, and their facts; None where one has none."""
        found: list[Join[int]] = []
        for number, atom in enumerate(self.template.body):
            is_own = number == self.position
            if is_own and not self._is_shared:
                continue
            table = self.tables[0] if is_own else read(self.uses[0].parameters[atom.relation])
            if not table:
                return None
            found.append((Atom.of(atom.arguments), table.written_few()))
        return found

    @property
    def wanted(self) -> frozenset[int]:
        """The variables of a solution."""
        assert self.template.head is not None
        return frozenset((*self.template.head.arguments, _HEAD))

    def rows(self) -> Bindings[int]:
        """The constants of each rule, the number of what it derives, and each of its facts unless all have the same."""
        parameters = np.array([use.parameters for use in self.uses], dtype=np.int64)
        own = [] if self._is_shared else self.tables
        index = np.repeat(np.arange(len(self.uses)), [len(table) for table in own] or 1)
        atoms = (self.template.head, *self.template.body)
        slots = {slot for atom in atoms if atom is not None for slot in atom.arguments if slot < 0}
        columns = {slot: parameters[index, ~slot].astype(np.uint32) for slot in slots}
        columns[_HEAD] = self._heads()[1][index].astype(np.uint32)
        kept = np.ones(len(index), dtype=np.bool_)
        for at, slot in enumerate(self.template.body[self.position].arguments if own else ()):
            column = np.concatenate([table.columns()[at] for table in own])
            kept &= columns.setdefault(slot, column) == column
        return Bindings(columns, len(index)).where(kept)

    def subjects(self, rows: Bindings[int]) -> Ids:
        """The subjects of what solutions derive."""
        assert self.template.head is not None
        return rows.columns[self.template.head.arguments[0]]

    def heads(self, rows: Bindings[int]) -> Iterator[tuple[int, Columns]]:
        """The relations that solutions, one at least, derive facts of, and the columns of these, perhaps repeated."""
        assert self.template.head is not None
        number = rows.columns[_HEAD]
        order = np.argsort(number, kind="stable")
        columns = [rows.columns[slot][order] for slot in self.template.head.arguments]
        begins = np.flatnonzero(np.diff(number[order], prepend=np.uint32(_HEAD)))
        codes = self._heads()[0][number[order[begins]]].tolist()
        for code, begin, end in zip(codes, begins.tolist(), [*begins[1:].tolist(), len(order)], strict=True):
            yield code, tuple(column[begin:end] for column in columns)

    def _heads(self) -> tuple[Numbers, Numbers]:
        """The relations that the rules derive, each once, and for each rule the number of its own."""
        codes = np.array([use.head for use in self.uses], dtype=np.int64)
        distinct, numbers = np.unique(codes, return_inverse=True)
        return distinct, numbers


class RuleBatches:
    """The rules of a round that may be evaluated together."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], RuleBatch] = {}

    def take(self, use: Occurrence, facts: Table | None) -> bool:
        """Whether a rule is one of them, with new facts of its atom, or with all facts; then it is kept for `taken`."""
        template = use.group.template
        if not can_be_joined(template) or use.passes_on:
            return False
        is_for_few = facts is not None and not facts.is_virtual and len(facts) <= rule_tuning.FEW_ROWS
        is_small = is_for_few or template.is_fact
        if not is_small and not (template.has_constants and (facts is None or not facts.is_virtual)):
            return False
        position, parameters = -1 if facts is None else use.position, use.parameters
        varying = position if is_for_few else -1
        relations = [parameters[each.relation] for at, each in enumerate(template.body) if at != varying]
        batch = self._found.setdefault(
            (use.group.number, position, varying, *relations), RuleBatch(template, position)
        )
        batch.uses.append(use)
        if facts is not None:
            batch.tables.append(facts)
        return True

    def taken(self) -> Iterator[RuleBatch]:
        """The rules, those together that are evaluated together."""
        yield from self._found.values()


class Intersections:
    """The rules of one round whose long body is an intersection, each with the new facts of all its atoms together:
    from those of one atom after the other, the whole body would be joined as often as it has atoms."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[Occurrence, list[Table]]] = {}

    def take(self, use: Occurrence, table: Table, negated: bool = False) -> bool:
        """Whether a rule is one of them; then the facts are kept for `taken`."""
        template = use.group.template
        if negated or len(template.body) < tuning.LONG_BODY or not template.is_intersection:
            return False
        self._found.setdefault((use.group.number, use.row), (use, []))[1].append(table)
        return True

    def taken(self) -> Iterator[tuple[Occurrence, Table]]:
        """Each rule with its facts."""
        for use, tables in self._found.values():
            yield use, union_of(tables)
