"""A whole knowledge base as a document and columns, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.disk.codec import ColumnReader, ColumnWriter, Json, Sink, expect_list
from kgreason.disk.json_documents import expect, expect_number
from kgreason.disk.snapshot_format import schemas as records
from kgreason.disk.snapshot_format.bounds import Bounds, bounds_of
from kgreason.disk.snapshot_format.dictionaries import read_dictionary, write_dictionary
from kgreason.disk.snapshot_format.programs import Interned, read_program, read_rules, write_program
from kgreason.disk.snapshot_format.rule_groups import StoredGroup, read_groups, read_templates, write_groups
from kgreason.disk.snapshot_format.table_columns import TableReader, TableWriter
from kgreason.engine.effort import Effort
from kgreason.engine.engine_state import EngineState
from kgreason.engine.facts import Facts
from kgreason.engine.persistent_map import PersistentMap
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.reached import Reached
from kgreason.engine.rules.state_rules import Rules
from kgreason.errors import DamageError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.relations.catalogue import (
    CHAIN,
    EQUALITY,
    EQUIVALENCE,
    MUTUAL,
    MUTUAL_OTHERS,
    REPRESENTED,
    STEPS,
    SYMMETRIC,
    TRANSITIVE,
    UNION,
    Definition,
)
from kgreason.relations.stored import ReadTable, check_sorted
from kgreason.store.explicit_triples import Graphs
from kgreason.store.state import KnowledgeState

FORMAT: Final = 10
"""To be raised when what is written means something else, also when rules, keys or hashes become something else, or the
code relies on more of it."""

_CLOSURES: Final = (UNION, SYMMETRIC, TRANSITIVE, EQUIVALENCE, EQUALITY, CHAIN, STEPS, MUTUAL, MUTUAL_OTHERS)


def write_state(state: KnowledgeState, head: dict[str, Json]) -> Callable[[Sink], None]:
    """A function that writes a file with a state; `head` is read without it. All is gathered before this returns, so
    that the knowledge base may be changed by versions from then on.

    Raises:
        KGReasonError: a table of it, of a scheme that is not kgreason's own, for example, cannot be written.
    """
    columns = ColumnWriter()
    tables, rules, templates, definitions = TableWriter(columns), Interned(), Interned(), Interned()
    engine = state.engine
    numbers = {group: number for number, group in enumerate(engine.rules.groups)}
    document: dict[str, Json] = {
        **head,
        "dictionary": write_dictionary(state.dictionary, columns),
        "auxiliaries": [[name, arity, code] for (name, arity), code in state.program.auxiliaries.items()],
        "facts": _write_facts(engine.facts, tables),
        "explicit": _write_facts(engine.explicit, tables),
        "external": _write_facts(engine.external, tables),
        "graphs": [[graph, _write_facts(facts, tables)] for graph, facts in state.graphs.items()],
        "has lists": engine.rules.has_lists,
        "unsuited": sorted(engine.unsuited),
        "effort": _write_effort(engine.effort),
        "defined": [[code, definitions.number(found)] for code, found in engine.definitions.items()],
        **_write_rules(engine, numbers, templates, columns),
        "program": write_program(state.program, numbers, rules, templates, columns),
    }
    # After all that refers to them.
    document |= {"tables": tables.written, "rules": rules.written, "templates": templates.written}
    return columns.file(document | {"definitions": definitions.written})


def read_state(of: ColumnReader, readers: Mapping[str, ReadTable] | None = None) -> KnowledgeState:
    """The state of a file; LoadError, which names the part, for anything else.

    Args:
        readers: how tables of schemes that are not kgreason's own are read.
    """
    return _StateReader(of, readers or {}).read()


def _write_effort(effort: Effort) -> Json:
    return [int(effort.work), effort.rules, effort.facts] if isfinite(effort.work) else None


def _write_facts(facts: Facts, tables: TableWriter) -> Json:
    items = [(code, tables.table(table)) for code, table in facts.items()]
    found = np.array(items, dtype=np.int64).reshape(-1, 2)
    return [tables.columns.numbers(np.ascontiguousarray(found[:, 0])), tables.columns.numbers(found[:, 1])]


def _write_rules(
    engine: EngineState, numbers: dict[int, int], templates: Interned, columns: ColumnWriter
) -> dict[str, Json]:
    rules = engine.rules
    assert rules.reached is not None, "a state with facts elsewhere is never written"
    return {
        "groups": write_groups(rules, [templates.number(group.template) for group in rules.groups.values()], columns),
        "reached": [columns.numbers(some) for some in (rules.reached.classes, rules.reached.properties)],
        "guarded": [[code, [numbers[group] for group in some]] for code, some in rules.guarded.items()],
        "plain": [numbers[group] for group in rules.plain.values()],
        "retired": [numbers[group] for group in rules.retired],
        "sequences": [[length, code] for length, code in engine.sequences.items()],
    }


@dataclass(slots=True)
class _StateReader:
    of: ColumnReader
    readers: Mapping[str, ReadTable]

    def read(self) -> KnowledgeState:
        dictionary, terms = read_dictionary(self._part("dictionary"), self.of)
        auxiliaries = self._auxiliaries()
        bounds = bounds_of(terms, [(name, arity, code) for (name, arity), code in auxiliaries.items()])
        tables = TableReader(self.of, bounds, self.readers)
        tables.read(self._part("tables"))
        facts, explicit, external = (
            self._facts(name, self._part(name), tables) for name in ("facts", "explicit", "external")
        )
        found: dict[int, Facts] = {}
        for entry in self._list("graphs"):
            graph, written = expect_list(entry, 2, "a graph")
            expect_number(graph, "the name of a graph", 0, DEFAULT_GRAPH)
            if graph != DEFAULT_GRAPH and graph >= terms:
                raise DamageError("a graph whose name is not a term")
            found[graph] = self._facts("a graph", written, tables)
        graphs: Graphs = PersistentMap(found)
        templates = read_templates(self._part("templates"))
        groups = read_groups(self._part("groups"), templates, self.of, bounds)
        rules = self._rules(groups, bounds)
        program = replace(
            read_program(
                self._part("program"), len(groups), read_rules(self._part("rules")), templates, self.of, bounds
            ),
            auxiliaries=auxiliaries,
        )
        definitions = self._definitions(bounds)
        if any(code not in definitions for code in external):
            raise DamageError("external facts of a relation that no scheme keeps")
        unsuited = frozenset(
            expect_number(code, "a relation that suits no scheme") for code in self._list("unsuited")
        )
        sequences = self._sequences(bounds)
        effort = self._effort()
        engine = EngineState(facts, explicit, external, definitions, rules, sequences, unsuited, effort)
        return KnowledgeState(dictionary, engine, program, graphs)

    def _effort(self) -> Effort:
        """What deriving takes, which is not known where it was not when the state was written."""
        found = self.of.document.get("effort")
        if found is None:
            return Effort()
        work, rules, facts = (expect_number(each, "what deriving takes") for each in expect_list(found, 3, "an effort"))
        return Effort(work, rules, facts)

    def _part(self, name: str) -> Json:
        if name not in self.of.document:
            raise DamageError(f"the document has no {name}")
        return self.of.document[name]

    def _list(self, name: str) -> list[Any]:
        found: list[Any] = expect(self._part(name), list, f"{name} of the document")
        return found

    def _auxiliaries(self) -> dict[tuple[str, int], int]:
        found: dict[tuple[str, int], int] = {}
        for entry in self._list("auxiliaries"):
            name, arity, code = expect_list(entry, 3, "an auxiliary relation")
            key = expect(name, str, "the name of a relation"), expect_number(arity, "an arity", 1, 1 << 16)
            found[key] = expect_number(code, "the code of a relation")
        return found

    def _facts(self, what: str, written: Json, tables: TableReader) -> Facts:
        codes, numbers = expect_list(written, 2, what)
        code_column = self.of.numbers(codes, np.int64, f"the relations of {what}")
        number_column = self.of.numbers(numbers, np.int64, f"the tables of {what}")
        if len(code_column) != len(number_column) or len(sorted_sets.unique(code_column)) != len(code_column):
            raise DamageError("not one table for each relation", part=what)
        arities = tables.bounds.check_codes(code_column, what)
        found: dict[int, Any] = {}
        for code, number, arity in zip(code_column.tolist(), number_column.tolist(), arities.tolist(), strict=True):
            found[code] = tables.table(number, f"a table of {what}", arity)
        return PersistentMap(found)

    def _guarded(self, groups: list[RuleGroup], bounds: Bounds) -> dict[int, tuple[int, ...]]:
        """The numbers of the groups of each guard."""
        guarded: dict[int, tuple[int, ...]] = {}
        for entry in self._list("guarded"):
            code, some = expect_list(entry, 2, "groups of a guard")
            bounds.arity_of(expect_number(code, "a guard"), "a guard")
            guarded[code] = tuple(_number_of(number, groups) for number in expect(some, list, "groups of a guard"))
        listed = sorted(number for some in guarded.values() for number in some)
        if listed != [each.number for each in groups if each.guard is not None] or any(
            groups[number].guard != code for code, some in guarded.items() for number in some
        ):
            raise DamageError("the groups of a guard are not those that name it")
        return guarded

    def _rules(self, kept: list[StoredGroup], bounds: Bounds) -> Rules:
        groups = [each.group for each in kept]
        guarded = self._guarded(groups, bounds)
        plain = [groups[_number_of(number, groups)] for number in self._list("plain")]
        if any(each.sources or each.guard is not None or each.universals for each in plain):
            raise DamageError("a plain group with a guard, sources or universal variables")
        retired = tuple(_number_of(number, groups) for number in self._list("retired"))
        if len({*retired}) != len(retired):
            raise DamageError("a group is retired twice")
        return Rules(
            dict(enumerate(groups)),
            guarded,
            {(each.name, each.template): each.number for each in plain},
            fresh_bases=_flags(kept, "fresh_bases"),
            fresh=_flags(kept, "fresh"),
            leaving=_flags(kept, "leaving"),
            repeating=_flags(kept, "repeating"),
            retired=retired,
            has_lists=expect(self._part("has lists"), bool, "whether there are lists"),
            reached=self._reached(bounds),
        )

    def _reached(self, bounds: Bounds) -> Reached:
        what = "the relations that were reached"
        found = [self.of.numbers(part, np.int64, what) for part in expect_list(self._part("reached"), 2, what)]
        for column in found:
            check_sorted(column, what)
            bounds.check_ids(column, what)
        return Reached(*found)

    def _sequences(self, bounds: Bounds) -> dict[int, int]:
        sequences: dict[int, int] = {}
        for entry in self._list("sequences"):
            length, code = expect_list(entry, 2, "sequences of lists")
            expect_number(length, "the length of a list", 0, 1 << 15)
            if bounds.arity_of(expect_number(code, "sequences of lists"), "sequences of lists") != length + 1:
                raise DamageError("sequences of lists of another length")
            sequences[length] = code
        return sequences

    def _definitions(self, bounds: Bounds) -> dict[int, Definition]:
        made: list[Definition] = []
        for written in self._list("definitions"):
            what = f"definition {len(made)}"
            definition: Definition = records.read(records.read_definition, written, what)
            named = (*definition.members, *definition.sources, *definition.left, *definition.right)
            bounds.check_codes(np.array([each.code for each in named], dtype=np.int64), what, definition.arity)
            equalities = np.array([each.code for each in definition.equality], dtype=np.int64)
            bounds.check_codes(equalities, what, 2)
            for feed in definition.feeds:
                bounds.check_codes(np.array([feed.relation.code], dtype=np.int64), what, 2)
                bounds.check_ids(np.array([*feed.not_first, *feed.not_last], dtype=np.int64), what)
            if definition.restriction is not None:
                bounds.check_ids(np.array(definition.restriction.excluded, dtype=np.int64), what)
            if definition.naming is not None:
                bounds.check_ids(np.array(definition.naming.excluded, dtype=np.int64), what)
            closure, count = (definition.within, 1) if definition.closure == REPRESENTED else (definition.closure, 0)
            if not definition.members or closure not in _CLOSURES or len(equalities) != count:
                raise DamageError("without members, or of an unknown scheme", part=what)
            made.append(definition)
        found: dict[int, Definition] = {}
        for entry in self._list("defined"):
            code, number = expect_list(entry, 2, "a defined relation")
            definition = made[expect_number(number, "the number of a definition", 0, len(made) - 1)]
            if expect_number(code, "a defined relation") not in {each.code for each in definition.members}:
                raise DamageError("a relation with the definition of another one")
            found[code] = definition
        return found


def _number_of(number: Json, groups: Sequence[RuleGroup]) -> int:
    return expect_number(number, "the number of a group", 0, len(groups) - 1)


def _flags(kept: list[StoredGroup], name: str) -> dict[int, Flags]:
    """Flags of one kind, by the numbers of the groups that have some."""
    return {each.group.number: flags for each in kept if (flags := getattr(each, name)) is not None}
