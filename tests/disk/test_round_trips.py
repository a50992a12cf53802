"""A store that was committed, rolled back, closed, killed and opened again in any order equals one that never was.

It is compared with the oracle over what should be explicit; every buffer of a snapshot is mapped, so that a
writer into one fails here.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.disk.compaction import drop_unused_terms
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import StratificationError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.store.knowledge_base import DEFAULT_GRAPH
from kgreason.store.rule_sets import resolve_rules
from tests import oracle, thresholds
from tests.disk import small
from tests.engine import test_oracle as known
from tests.facade import Triple, ex, show, triples
from tests.profiles import examples
from tests.thresholds import tuning_context

GRAPH = ex("graph")
Quad = tuple[bool, Triple]
"""Whether a triple is in the named graph, and the triple."""


@dataclass(slots=True)
class Model:
    """What a store should hold: now, and as it was committed last."""

    program: Program
    quads: set[Quad] = field(default_factory=set)
    committed: tuple[Program, frozenset[Quad]] = (Program(()), frozenset())

    def commit(self) -> None:
        self.committed = (self.program, frozenset(self.quads))

    def roll_back(self) -> None:
        self.program, quads = self.committed
        self.quads = set(quads)


@dataclass(slots=True)
class Life:
    """A durable store beside its model."""

    path: Path
    store: DurableKnowledge
    model: Model

    def change(self, batch: list[tuple[bool, bool, Triple]]) -> None:
        base = self.store.knowledge
        for is_added, is_named, triple in batch:
            graph = base.dictionary.encode(GRAPH) if is_named else DEFAULT_GRAPH
            (base.add if is_added else base.remove)(graph, *map(base.dictionary.encode, triple))
            (self.model.quads.add if is_added else self.model.quads.discard)((is_named, triple))

    def commit(self) -> None:
        self.store.commit({})
        self.model.commit()

    def roll_back(self) -> None:
        self.store.roll_back()
        self.model.roll_back()

    def reopen(self) -> None:
        self.commit()
        self.store.close()
        self.store = DurableKnowledge(self.path, OpenOptions())

    def die(self) -> None:
        self._let_go()
        self.store = DurableKnowledge(self.path, OpenOptions())
        self.model.roll_back()

    def _let_go(self) -> None:
        # A process that dies takes its threads along; here they must be over before SQLite's connection is closed.
        self.store._snapshots.wait()
        self.store.directory.close()

    def lose_snapshot(self) -> None:
        for snapshot in self.path.glob("snapshot-*"):
            snapshot.unlink()
        self.die()

    def snapshot(self) -> None:
        self.commit()
        self.store.write_snapshot()

    def compact(self) -> None:
        self.commit()
        self.store.compact()

    def drop_unused_terms(self) -> None:
        self._let_go()
        directory = StoreDirectory(self.path)
        drop_unused_terms(directory)
        directory.close()
        self.store = DurableKnowledge(self.path, OpenOptions())
        self.model.roll_back()

    def toggle_rules(self, more: Program) -> None:
        rules = dict.fromkeys(self.model.program.rules)
        if all(rule in rules for rule in more.rules):
            self.store.knowledge.remove_rules(more)
            kept = [rule for rule in rules if rule not in more.rules]
        else:
            more = Program(tuple(rule for rule in dict.fromkeys(more.rules) if rule not in rules))
            self.store.knowledge.add_rules(more)
            kept = [*rules, *more.rules]
        self.model.program = Program(tuple(kept))

    def check(self) -> None:
        base = self.store.knowledge
        base._check()
        explicit = {triple for _, triple in self.model.quads}
        expected = oracle.closure(self.model.program, explicit)
        found = triples(base, base.all())
        assert found == expected, f"missing:\n{show(expected - found)}\nwrong:\n{show(found - expected)}"
        graphs = {base.dictionary.encode(GRAPH): True, DEFAULT_GRAPH: False}
        quads = {(flag, triple) for graph, flag in graphs.items() for triple in triples(base, base.graph(graph))}
        assert quads == self.model.quads


def live(program: Program, more: Program, deeds: list, start: Sequence[Triple] = ()) -> None:
    distinct = Program(tuple(dict.fromkeys(program.rules)))
    with (
        pytest.MonkeyPatch.context() as patch,
        tuning_context() as tuned,
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        small.shrink(tuned)
        thresholds.shrink(tuned)
        path = Path(folder)
        complaints: list[str] = []
        logger = logging.getLogger("kgreason.disk")

        def complain(text: str, *values: object) -> None:
            # The thread of a store that was left by an earlier example may still complain of its own directory.
            if str(values[0]) == folder:
                complaints.append(text % values)

        patch.setattr(logger, "warning", complain)
        life: Life | None = None
        try:
            store = DurableKnowledge(path, OpenOptions(distinct), create=True)
            life = Life(path, store, Model(distinct, committed=(distinct, frozenset())))
            life.change([(True, False, triple) for triple in start])
            life.commit()
            for deed in deeds:
                if isinstance(deed, list):
                    life.change(deed)
                elif deed == "toggle_rules":
                    life.toggle_rules(more)
                else:
                    getattr(life, deed)()
                life.check()
                # A process may die while a snapshot is written, and one that is lost is missed.
                assert deed in ("die", "drop_unused_terms", "lose_snapshot") or not complaints, complaints
                complaints.clear()
        except (StratificationError, oracle.UndefinedError):
            if life is not None:
                life.store._snapshots.wait()
            return
        life.store.close()
        assert not complaints, complaints


def changes(found: st.SearchStrategy[Triple]) -> st.SearchStrategy[list]:
    return st.lists(st.tuples(st.integers(0, 2).map(bool), st.booleans(), found), min_size=1, max_size=8)


NAMES = [
    *("commit", "roll_back", "reopen", "die", "lose_snapshot", "snapshot", "toggle_rules"),
    *("compact", "drop_unused_terms"),
]
names = st.sampled_from(NAMES)


@given(
    text=known.programs,
    more=known.programs,
    deeds=st.lists(st.one_of(changes(known.facts), names), min_size=2, max_size=12),
)
@known.relaxed
def test_random_programs(text: str, more: str, deeds: list) -> None:
    live(parse_program(known.PREFIX + text), parse_program(known.PREFIX + more), deeds)


@pytest.mark.parametrize("name", ["rdfs", "owl-rl"])
def test_random_schemas(name: str) -> None:
    lists = [triple for cells in known.CELLS for triple in known.list_triples(cells)]
    more = parse_program(known.PREFIX + "[?c, rdfs:subClassOf, ?d] :- e:p3(?c, ?d) .")

    @given(
        deeds=st.lists(
            st.one_of(changes(st.one_of(known.axioms, known.facts)), names), min_size=2, max_size=10
        )
    )
    @settings(known.relaxed, max_examples=examples(13))
    def check(deeds: list) -> None:
        live(resolve_rules(name), more, deeds, lists)

    check()


@given(deeds=st.lists(st.one_of(changes(known.skos_facts), names), min_size=2, max_size=12))
@known.relaxed
def test_closures(deeds: list) -> None:
    live(resolve_rules("skos"), parse_program(known.PREFIX + "e:C3(?x) :- [?x, ?p, ?x] ."), deeds)
