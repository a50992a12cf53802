"""A whole knowledge base as a document and columns, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kgreason.durable.codec import ColumnReader, ColumnWriter, Json, Sink, expect_list
from kgreason.durable.documents import expect, expect_number
from kgreason.engine.facts import Facts
from kgreason.engine.rules.families import Family, State
from kgreason.engine.states import EngineState, RuleState
from kgreason.errors import LoadError
from kgreason.knowledge.snapshot_format import records
from kgreason.knowledge.snapshot_format.bounds import Bounds, arities_of
from kgreason.knowledge.snapshot_format.dictionaries import read_dictionary, write_dictionary
from kgreason.knowledge.snapshot_format.families import read_family, read_shapes, write_family
from kgreason.knowledge.snapshot_format.programs import Interned, read_program, read_rules, write_program
from kgreason.knowledge.snapshot_format.tables import TableReader, TableWriter
from kgreason.knowledge.states import KnowledgeState
from kgreason.loading.quads import DEFAULT_GRAPH
from kgreason.schemes.catalogue import CHAIN, EQUIVALENCE, SYMMETRIC, TRANSITIVE, UNION, Definition

FORMAT: Final = 2
"""To be raised when what is written means something else, also when rules, keys or hashes become something else, or the
code relies on more of it."""

_CLOSURES: Final = (UNION, SYMMETRIC, TRANSITIVE, EQUIVALENCE, CHAIN)


def write_state(state: KnowledgeState, head: dict[str, Json]) -> Callable[[Sink], None]:
    """What writes a file with a state; `head` is read without it. All is gathered before this returns, so that the
    knowledge base may be changed by versions from then on.

    Raises:
        KGReasonError: something in it, a table of somebody else's scheme, say, is not made to be kept.
    """
    columns = ColumnWriter()
    tables, rules, shapes, definitions = TableWriter(columns), Interned(), Interned(), Interned()
    engine = state.engine
    families = {id(family): number for number, (family, _) in enumerate(engine.rules.families)}
    document: dict[str, Json] = {
        **head,
        "dictionary": write_dictionary(state.dictionary, columns),
        "auxiliaries": [[name, arity, code] for (name, arity), code in state.auxiliaries.items()],
        "facts": _write_facts(engine.facts, tables),
        "explicit": _write_facts(engine.explicit, tables),
        "external": _write_facts(engine.external, tables),
        "graphs": [[graph, _write_facts(facts, tables)] for graph, facts in state.graphs.items()],
        "has lists": engine.has_lists,
        "unsuited": sorted(engine.unsuited),
        "defined": [[code, definitions.number(found)] for code, found in engine.definitions.items()],
        **_write_rules(engine.rules, families, shapes, columns),
        "program": write_program(state.specialiser, families, rules, shapes),
    }
    # After all that refers to them.
    document |= {"tables": tables.written, "rules": rules.written, "shapes": shapes.written}
    return columns.file(document | {"definitions": definitions.written})


def read_state(of: ColumnReader) -> KnowledgeState:
    """The state of a file; LoadError, which names the part, for what is none."""
    return _StateReader(of).read()


def _write_facts(facts: Facts, tables: TableWriter) -> Json:
    items = [(code, tables.number(table)) for code, table in facts.items()]
    found = np.array(items, dtype=np.int64).reshape(-1, 2)
    return [tables.columns.numbers(np.ascontiguousarray(found[:, 0])), tables.columns.numbers(found[:, 1])]


def _write_rules(
    state: RuleState, families: dict[int, int], shapes: Interned, columns: ColumnWriter
) -> dict[str, Json]:
    written = [write_family(family, kept, shapes.number(family.shape), columns) for family, kept in state.families]
    guarded = [[code, [families[id(family)] for family in some]] for code, some in state.guarded.items()]
    return {
        "families": written,
        "guarded": guarded,
        "plain": [families[id(family)] for family in state.plain.values()],
        "retired": [families[id(family)] for family in state.retired],
        "sequences": [[length, code] for length, code in state.sequences.items()],
    }


@dataclass(slots=True)
class _StateReader:
    of: ColumnReader

    def read(self) -> KnowledgeState:
        dictionary, terms = read_dictionary(self._part("dictionary"), self.of)
        auxiliaries = self._auxiliaries()
        bounds = Bounds(terms, arities_of([(name, arity, code) for (name, arity), code in auxiliaries.items()]))
        tables = TableReader(self.of, bounds)
        tables.read(self._part("tables"))
        facts, explicit, external = (
            self._facts(name, self._part(name), tables) for name in ("facts", "explicit", "external")
        )
        graphs: dict[int, Facts] = {}
        for entry in self._list("graphs"):
            graph, written = expect_list(entry, 2, "a graph")
            expect_number(graph, "the name of a graph", 0, DEFAULT_GRAPH)
            if graph != DEFAULT_GRAPH and graph >= terms:
                raise LoadError("damaged: a graph with the name of no term")
            graphs[graph] = self._facts("a graph", written, tables)
        shapes = read_shapes(self._part("shapes"))
        families = [read_family(each, shapes, self.of, bounds) for each in self._list("families")]
        rules = self._rules(families, bounds)
        program = read_program(
            self._part("program"), [each for each, _ in families], read_rules(self._part("rules")), shapes, bounds
        )
        definitions = self._definitions(bounds)
        if any(code not in definitions for code in external):
            raise LoadError("damaged: external facts of a relation that no scheme keeps")
        unsuited = frozenset(
            expect_number(code, "a relation that suits no scheme") for code in self._list("unsuited")
        )
        has_lists = expect(self._part("has lists"), bool, "whether there are lists")
        engine = EngineState(facts, explicit, external, definitions, rules, has_lists, unsuited)
        return KnowledgeState(dictionary, engine, program, auxiliaries, graphs)

    def _part(self, name: str) -> Json:
        if name not in self.of.document:
            raise LoadError(f"damaged: the document has no {name}")
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
        if len(code_column) != len(number_column) or len(np.unique(code_column)) != len(code_column):
            raise LoadError(f"damaged: {what}: not one table for each relation")
        arities = tables.bounds.check_codes(code_column, what)
        found: dict[int, Any] = {}
        for code, number, arity in zip(code_column.tolist(), number_column.tolist(), arities.tolist(), strict=True):
            found[code] = tables.table(number, object, f"a table of {what}", arity)
        return Facts(found)

    def _rules(self, families: list[tuple[Family, State]], bounds: Bounds) -> RuleState:
        def family(number: Json) -> Family:
            return families[expect_number(number, "the number of a family", 0, len(families) - 1)][0]

        guarded: dict[int, list[Family]] = {}
        for entry in self._list("guarded"):
            code, some = expect_list(entry, 2, "families of a guard")
            bounds.arity_of(expect_number(code, "a guard"), "a guard")
            guarded[code] = [family(number) for number in expect(some, list, "families of a guard")]
        listed = sorted(id(each) for some in guarded.values() for each in some)
        if listed != sorted(id(each) for each, _ in families if each.guard is not None) or any(
            each.guard != code for code, some in guarded.items() for each in some
        ):
            raise LoadError("damaged: the families of a guard are not those that name it")
        plain = {(each.name, each.shape): each for each in map(family, self._list("plain"))}
        if any(each.sources or each.guard is not None or each.universals for each in plain.values()):
            raise LoadError("damaged: a plain family that is none")
        retired = [family(number) for number in self._list("retired")]
        sequences: dict[int, int] = {}
        for entry in self._list("sequences"):
            length, code = expect_list(entry, 2, "sequences of lists")
            expect_number(length, "the length of a list", 0, 1 << 15)
            if bounds.arity_of(expect_number(code, "sequences of lists"), "sequences of lists") != length + 1:
                raise LoadError("damaged: sequences of lists of another length")
            sequences[length] = code
        return RuleState(families, guarded, plain, retired, sequences)

    def _definitions(self, bounds: Bounds) -> dict[int, Definition]:
        made: list[Definition] = []
        for written in self._list("definitions"):
            what = f"definition {len(made)}"
            definition: Definition = records.read(records.read_definition, written, what)
            named = (*definition.members, *definition.reads)
            codes = np.array([each.code for each in named], dtype=np.int64)
            bounds.check_codes(codes, what, definition.arity)
            if not definition.members or definition.closure not in _CLOSURES:
                raise LoadError(f"damaged: {what}: of nothing, or of no scheme that there is")
            made.append(definition)
        found: dict[int, Definition] = {}
        for entry in self._list("defined"):
            code, number = expect_list(entry, 2, "a defined relation")
            definition = made[expect_number(number, "the number of a definition", 0, len(made) - 1)]
            if expect_number(code, "a defined relation") not in {each.code for each in definition.members}:
                raise LoadError("damaged: a relation with the definition of another one")
            found[code] = definition
        return found
