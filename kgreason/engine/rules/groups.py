"""Rule groups: all specialised rules of one template, as rows of parameters.

The life of a rule, from the text that a user wrote to the last fact that it derived:

1. *Asserted.* The program has the rule (`kgreason.store.specialiser`). It is checked, and becomes templates.
2. *Template.* A rule that names all its relations becomes one row of a plain group. A rule with schema variables,
   ``[?x, ?q, ?y] :- [?p, rdfs:subPropertyOf, ?q], [?x, ?p, ?y]``, becomes a guarded group without rows, and a rule of
   its own that derives the group's guard relation, ``guard(?p, ?q) :- [?p, rdfs:subPropertyOf, ?q]``.
3. *Guard fact.* A pass over the strata derives facts of the guard relation, as of any other one.
4. *Row.* After the pass, the driver (`kgreason.engine.engine`) hands the guard facts that came to the specialisation,
   which adds a row to the group for each of them whose body relations have been reached (`Reached`). The others can
   derive nothing; they come when their relations are reached (`kgreason.engine.strata.possible_relations`). Rows of
   guard facts that went are dropped: within the pass, the rules of a guard fact that is overdeleted derive nothing
   more, and what they derived is overdeleted with it.
5. *Fresh.* A new row waits for the next pass, which evaluates it against all facts. From then on it is only evaluated
   from changes.
6. *Leaving.* A row whose rule was taken out of the program is evaluated once more in the next pass, to overdelete what
   it derived.
7. *Gone.* After that pass the row is dropped. A group that was retired goes when the change is complete.

A group is immutable and keeps its number through all its versions. Which rows are fresh or leaving is said beside the
groups, in `Rules` (`kgreason.engine.rules.state_rules`), and so is which rows are *repeating*: left out, because other
rules derive the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.tree import leaves
from kgreason.columns import sorted_sets
from kgreason.engine.rules.guard_rows import as_keys, columns_of, facts_naming, name_all
from kgreason.engine.rules.reached import Reached
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Operation
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, kind_of
from kgreason.relations.table import Ids, Mask, Table

ParameterRows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Kinds: TypeAlias = dict[int, set[int]]
Names: TypeAlias = Callable[[Ids, int], Mask]
"""For ids and a kind of relations, whether each can name one of that kind."""

Test: TypeAlias = Callable[[Operation, Mapping[int, Ids], int, Callable[[], None]], Mask]
"""For each row of columns whether an operation is true (`kgreason.engine.rules.rule_inputs.Terms`)."""

NO_ROWS: ParameterRows = np.empty((0, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Constant:
    """A parameter that is the same in every row: a relation code or a term id."""

    value: int


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter read from a column of the guard row: a term id, or a relation where `kind` says which."""

    position: int
    kind: int | None = None


Source: TypeAlias = Constant | Column


@dataclass(frozen=True, slots=True, eq=False)
class RuleGroup:
    """The rules of one template: one per row of `parameters`. A version of the group with its `number`.

    `rows` are the guard rows followed by the universal columns; `universals` says for each of these whether it
    ranges over CLASS or PROPERTY relations, and `bases` are then the guard rows alone. A plain group has no
    `guard` and no `sources`: its rows are its parameters.
    """

    number: int
    name: str
    template: RuleTemplate
    guard: int | None = None
    sources: tuple[Source, ...] = ()
    universals: tuple[int, ...] = ()
    bases: ParameterRows = field(default_factory=lambda: NO_ROWS)
    rows: ParameterRows = field(default_factory=lambda: NO_ROWS)
    parameters: ParameterRows = field(default_factory=lambda: NO_ROWS)

    # -- versions -----------------------------------------------------------------------------------------------

    def with_rows(self, rows: ParameterRows) -> RuleGroup:
        """The group with more rows after its own."""
        parameters = self._parameters_of(rows)
        if len(self.rows):
            rows = np.concatenate((self.rows, rows))
            parameters = np.concatenate((self.parameters, parameters))
        return replace(self, rows=rows, parameters=parameters)

    def with_bases(self, bases: ParameterRows) -> RuleGroup:
        """The group with more guard rows, whose rows `missing` gives."""
        return replace(self, bases=np.concatenate((self.bases, bases)) if len(self.bases) else bases)

    def where(self, kept: Flags) -> RuleGroup:
        """The group with some of its rows."""
        return replace(self, rows=self.rows[kept], parameters=self.parameters[kept])

    def where_bases(self, kept: Flags) -> RuleGroup:
        """The group with some of its guard rows, and all rows."""
        return replace(self, bases=self.bases[kept])

    def without_rows(self, *, keeps_bases: bool) -> RuleGroup:
        """The group without rows, and without guard rows unless it keeps these."""
        bases = self.bases if keeps_bases else self.bases[:0]
        return replace(self, bases=bases, rows=self.rows[:0], parameters=self.parameters[:0])

    def begins_with(self, other: RuleGroup) -> bool:
        """Whether this group has the rules of another one, and perhaps more behind them: O(parameters)."""
        if self.template is not other.template or self.guard != other.guard:
            return False
        mine, theirs = self.parameters, other.parameters
        return mine is theirs or np.array_equal(mine[: len(theirs)], theirs)

    # -- rows ---------------------------------------------------------------------------------------------------

    def missing(
        self, classes: NDArray[np.int64], properties: NDArray[np.int64]
    ) -> tuple[ParameterRows, NDArray[np.int64]]:
        """The universal rows for classes and properties, given by ids, that the group does not have; and the number of
        the guard row that each begins with."""
        rows, base = self.bases, np.arange(len(self.bases))
        for kind in self.universals:
            relations = classes if kind == CLASS else properties
            base = np.repeat(base, len(relations))
            rows = np.concatenate(
                (np.repeat(rows, len(relations), axis=0), np.tile(relations, len(rows))[:, None]), axis=1
            )
        if len(self.rows):
            new = ~sorted_sets.among(as_keys(rows), as_keys(self.rows))
            rows, base = rows[new], base[new]
        return rows, base

    def passes(self, rows: ParameterRows, test: Test) -> Flags:
        """For each row whether it passes the filters that are about parameters alone; those about a universal relation
        wait where the rows are guard rows."""
        kept = np.ones(len(rows), dtype=np.bool_)
        if len(rows) and self.template.row_filters:
            known = [number for number, source in enumerate(self.sources) if self._is_in(source, rows)]
            columns = {~number: self._parameter(rows, number).astype(np.uint32) for number in known}
            for operation in self.template.row_filters:
                if all(slot in columns for slot in leaves(operation)):
                    slots = {slot: columns[slot] for slot in leaves(operation)}
                    kept &= test(operation, slots, len(rows), lambda: None)
        return kept

    @staticmethod
    def _is_in(source: Source, rows: ParameterRows) -> bool:
        return isinstance(source, Constant) or source.position < rows.shape[1]

    def rows_for(self, classes: int, properties: int) -> int:
        """How many rows there are for so many classes and properties."""
        rows = len(self.bases)
        for kind in self.universals:
            rows *= classes if kind == CLASS else properties
        return rows

    def bytes_of(self, rows: int) -> int:
        """About how many bytes so many rows take."""
        return rows * 8 * int(self.bases.shape[1] + len(self.universals) + len(self.sources))

    def find(self, guards: ParameterRows) -> Flags:
        """Which rows begin with one of the guard rows."""
        if not len(guards) or not len(self.rows):
            return np.zeros(len(self.rows), dtype=np.bool_)
        if not guards.shape[1]:
            return np.ones(len(self.rows), dtype=np.bool_)
        return sorted_sets.among(as_keys(self.rows[:, : guards.shape[1]]), as_keys(guards))

    def find_guards(self, guards: Table) -> Flags:
        """Which rows begin with a guard fact of the table: O(rows), by `contains`."""
        width = self.rows.shape[1] - len(self.universals)
        if not width or not len(self.rows):
            return np.full(len(self.rows), bool(guards), dtype=np.bool_)
        return guards.contains(columns_of(self.rows[:, :width]))

    def find_bases(self, guards: Table) -> Flags:
        """Which guard rows are facts of the table."""
        if not self.bases.shape[1] or not len(self.bases):
            return np.full(len(self.bases), bool(guards), dtype=np.bool_)
        return guards.contains(columns_of(self.bases))

    def rows_reached(self, guards: Table, fresh: Reached, known: Reached) -> ParameterRows:
        """The guard facts whose body relations are all among `known`, and one of them at least among `fresh`; those of
        a rule that names none of its body relations by its guard have come with the guard facts themselves."""
        named = self.named()
        rows = facts_naming(guards, named, fresh)
        return rows[name_all(rows, named, known)] if len(rows) else rows

    def are_reached(self, rows: ParameterRows, known: Reached) -> Flags:
        """For each guard row whether the body relations that it names are known."""
        return name_all(rows, self.named(), known)

    def are_named(self, rows: ParameterRows, names: Names) -> Flags:
        """For each guard row whether its ids can name the relations that they are to name; a relation that is only
        denied may have any name, since without a proper one it has no facts."""
        kept = np.ones(len(rows), dtype=np.bool_)
        for column, kinds in self.relation_columns()[0].items():
            if column < rows.shape[1]:
                kept &= names(rows[:, column].astype(np.uint32), PROPERTY if PROPERTY in kinds else CLASS)
        return kept

    def have_name(self, rows: ParameterRows, code: int) -> Flags:
        """For each guard row whether it names this relation, affirmed or denied."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for column in self.columns_naming(kind_of(code), rows.shape[1]):
            found |= rows[:, column] == code >> 2
        return found

    def columns_naming(self, kind: int, width: int) -> list[int]:
        """Those of the first `width` columns whose ids name relations of a kind, affirmed or denied."""
        affirmed, denied = self.relation_columns()
        naming = {column for kinds in (affirmed, denied) for column, some in kinds.items() if kind in some}
        return sorted(column for column in naming if column < width)

    def named(self) -> list[tuple[int, int]]:
        """The columns of the guard whose ids name relations of the body, each with the kind of these; none for a rule
        with universal columns, which has its rows by them."""
        if self.guard is None or self.universals:
            return []
        sources = (self.sources[atom.relation] for atom in self.template.body)
        found = [(each.position, each.kind) for each in sources if isinstance(each, Column) and each.kind is not None]
        return list(dict.fromkeys(found))

    def guard_holds(self, row: int, guards: Table) -> bool:
        """Whether the guard fact of a row is in the table."""
        return bool(self.guards_hold(guards, slice(row, row + 1))[0])

    def guards_hold(self, guards: Table, rows: slice | NDArray[np.int64] = slice(None)) -> Mask:
        """The same for each of some rows."""
        wanted = self.rows[rows, : self.rows.shape[1] - len(self.universals)].astype(np.uint32)
        return guards.contains(tuple(wanted.T))

    # -- what the rules are about -------------------------------------------------------------------------------

    def heads(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The relations that some rows derive, by their numbers; the group has no integrity conditions."""
        assert self.template.head is not None
        found: NDArray[np.int64] = self.parameters[rows, self.template.head.relation]
        return found

    def heads_of(self, rows: ParameterRows) -> NDArray[np.int64]:
        """The relations that guard rows with all parameters would derive; the group has no integrity conditions."""
        assert self.template.head is not None
        return self._parameter(rows, self.template.head.relation)

    def relation_columns(self) -> tuple[Kinds, Kinds]:
        """For each guard column the kinds of relations that its ids name, where the rule affirms and where it denies.

        The subject of a triple in the head counts as the name of a class: it is not a literal either.
        """
        affirmed: Kinds = {}
        denied: Kinds = {}
        head = self.template.head
        for atom in (*self.template.body, *((head,) if head is not None else ())):
            self._record_kind(atom.relation, affirmed)
        for atom in self.template.negated:
            self._record_kind(atom.relation, denied)
        if head is not None and head.arguments[0] < 0 and self._is_about_triples(head.relation):
            subject = self.sources[~head.arguments[0]]
            if isinstance(subject, Column):
                affirmed.setdefault(subject.position, set()).add(CLASS)
        return affirmed, denied

    def _record_kind(self, relation: int, found: Kinds) -> None:
        source = self.sources[relation]
        if isinstance(source, Column) and source.kind is not None:
            found.setdefault(source.position, set()).add(source.kind)

    def _is_about_triples(self, relation: int) -> bool:
        source = self.sources[relation]
        return isinstance(source, Column) or kind_of(source.value) != AUXILIARY

    def _parameters_of(self, rows: ParameterRows) -> ParameterRows:
        if self.guard is None and not self.universals:
            return rows
        parameters = np.empty((len(rows), len(self.sources)), dtype=np.int64)
        for number in range(len(self.sources)):
            parameters[:, number] = self._parameter(rows, number)
        return parameters

    def _parameter(self, rows: ParameterRows, number: int) -> ParameterRows:
        """A parameter of rows that have it."""
        source = self.sources[number]
        if isinstance(source, Constant):
            return np.full(len(rows), source.value, dtype=np.int64)
        found = rows[:, source.position]
        return found if source.kind is None else found << 2 | source.kind
