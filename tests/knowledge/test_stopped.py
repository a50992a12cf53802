"""Ctrl-C, and memory that is used up, at any moment of a change: it is undone, and can be made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from kgreason.engine.states import RuleState
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.journal import Journal
from kgreason.knowledge.view import TripleView
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import RDF, RDFS
from tests.facade import Triple, add, ex, remove, triples
from tests.interrupts import Interruption

TYPE, SUBCLASS = IRI(RDF + "type"), IRI(RDFS + "subClassOf")
RULE = f"@prefix ex: <http://example.org/> . ex:is(?x, ?y) :- [?x, <{RDF}type>, ?y], ~ex:was(?x, ?y) ."
MOMENTS = 10


@dataclass(slots=True)
class Case:
    """A knowledge base with several graphs, a journal, indexes that are in use, and a listener."""

    base: KnowledgeBase = field(default_factory=KnowledgeBase)
    told: list[tuple[TripleView, TripleView]] = field(default_factory=list)
    start: set[Triple] = field(default_factory=set)

    def __post_init__(self) -> None:
        base = self.base
        add(base, (ex("A"), SUBCLASS, ex("B")), (ex("x"), TYPE, ex("A")), (ex("B"), SUBCLASS, ex("C")))
        add(base, (ex("z"), TYPE, ex("A")), graph=self.graph("one"))
        assert list(base.all().match(base.dictionary.encode(ex("x")), None, None))
        base.subscribe(lambda added, removed: self.told.append((added, removed)))
        base.journal = Journal()
        self.start = triples(base, base.all())

    def graph(self, name: str) -> int:
        return self.base.dictionary.encode(ex(name))

    def queue(self) -> None:
        """Changes of triples and axioms, in two graphs of which one comes and the other goes."""
        remove(self.base, (ex("A"), SUBCLASS, ex("B")))
        add(self.base, (ex("A"), SUBCLASS, ex("D")), (ex("y"), TYPE, ex("A")))
        add(self.base, (ex("z"), TYPE, ex("B")), graph=self.graph("other"))
        remove(self.base, (ex("z"), TYPE, ex("A")), graph=self.graph("one"))

    def held(self) -> object:
        """All tables and indexes, which are immutable."""
        now = self.base._maintained
        graphs = {graph: dict(facts.items()) for graph, facts in now.explicit.graphs.items()}
        facts = dict(now.engine.facts.items()), dict(now.engine.explicit.items()), graphs
        return *facts, self.base.rules, now.views.indexes

    def heard(self) -> set[Triple]:
        """Where the changes lead to that the listener was told of."""
        found = self.start
        for added, removed in self.told:
            come, gone = triples(self.base, added), triples(self.base, removed)
            assert gone <= found
            assert not come & found
            found = found - gone | come
        return found


def queue_alone(case: Case) -> None:
    case.queue()


def queue_and_flush(case: Case) -> None:
    case.queue()
    case.base.flush()


CHANGES: dict[str, tuple[Callable[[Case], object], Callable[[Case], object]]] = {
    "triples": (queue_alone, lambda case: case.base.flush()),
    "a rule": (queue_and_flush, lambda case: case.base.add_rules(RULE)),
    "rollback": (queue_and_flush, lambda case: case.base.roll_back(case.base.rules)),
}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("kind", CHANGES)
def test_stopped_at_any_moment(kind: str, error: type[BaseException]) -> None:
    prepare, change = CHANGES[kind]
    undisturbed = Case()
    prepare(undisturbed)
    counted = Interruption(error)
    with counted.while_running():
        change(undisturbed)
    expected, graphs = triples(undisturbed.base, undisturbed.base.all()), undisturbed.base.graphs()
    assert undisturbed.heard() == expected
    # All over the change, and more of the last ones, when some of it is done already.
    moments = {*range(0, counted.moments, counted.moments // MOMENTS + 1)}
    moments |= {*range(max(0, counted.moments - 20 * MOMENTS), counted.moments, 8)}
    undone = unheard = 0
    for moment in sorted(moments):
        case = Case()
        prepare(case)
        before = case.held()
        try:
            with Interruption(error, moment).while_running():
                change(case)
        except error:
            case.base._maintained._check()
            is_undone = case.held() == before
            assert is_undone or triples(case.base, case.base._maintained.views.all()) == expected
            undone += is_undone
            change(case)
        assert triples(case.base, case.base.all()) == expected
        assert set(case.base.graphs()) == set(graphs)
        unheard += case.heard() != expected
        case.base._check()
    assert unheard < 4  # stopped in the very call of the listener
    assert undone > MOMENTS // 2


@pytest.mark.parametrize("moment", range(0, 200, 20))
def test_stopped_again_while_it_is_undone(moment: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case()
    case.queue()
    before, engine = case.held(), case.base._engine
    restore, stopped = engine.restore_rules, list[bool]()

    def out_of_memory() -> None:
        raise MemoryError

    def stopped_once(state: RuleState) -> None:
        if stopped:
            restore(state)
            return
        stopped.append(True)
        with Interruption(KeyboardInterrupt, moment).while_running():
            restore(state)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(case.base._maintained.views, "changed", out_of_memory)
        patch.setattr(engine, "restore_rules", stopped_once)
        with pytest.raises(MemoryError):
            case.base.flush()
    assert stopped
    assert case.held() == before
    case.base._check()
    assert len(case.base.all()) > 0
