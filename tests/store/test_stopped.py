"""Ctrl-C, and memory that is used up, at any moment of a change: it is undone, and can be made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.state import check
from kgreason.store.triple_view import TripleView
from kgreason.store.views import Views
from tests.facade import Triple, add, ex, remove, triples
from tests.interrupts import Interruption

TYPE, SUBCLASS = IRI(RDF + "type"), IRI(RDFS + "subClassOf")
RULE = f"@prefix ex: <http://example.org/> . ex:is(?x, ?y) :- [?x, <{RDF}type>, ?y], ~ex:was(?x, ?y) ."
MOMENTS = 5


@dataclass(slots=True)
class Case:
    """A knowledge base with several graphs, a journal, indexes that are in use, and a listener."""

    base: KnowledgeBase = field(default_factory=KnowledgeBase)
    told: list[tuple[TripleView, TripleView, Dictionary]] = field(default_factory=list)
    start: set[Triple] = field(default_factory=set)

    def __post_init__(self) -> None:
        base = self.base
        add(base, (ex("A"), SUBCLASS, ex("B")), (ex("x"), TYPE, ex("A")), (ex("B"), SUBCLASS, ex("C")))
        add(base, (ex("z"), TYPE, ex("A")), graph=self.graph("one"))
        assert list(base.all().match(base.dictionary.encode(ex("x")), None, None))
        base.subscribe(lambda added, removed: self.told.append((added, removed, base.dictionary)))
        base.history.mark_committed()
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
        now = self.base.state
        graphs = {graph: dict(facts.items()) for graph, facts in now.graphs.items()}
        facts = dict(now.engine.facts.items()), dict(now.engine.explicit.items()), graphs
        return *facts, self.base.rules, now.views.indexes

    def heard(self) -> set[Triple]:
        """Where the changes lead to that the listener was told of."""
        found = self.start
        for added, removed, dictionary in self.told:
            come, gone = (triples(self.base, side, dictionary) for side in (added, removed))
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
    "rollback": (queue_and_flush, lambda case: case.base.history.roll_back()),
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
            check(case.base.state, case.base._current.configuration)
            is_undone = case.held() == before
            assert is_undone or triples(case.base, case.base.state.views.all()) == expected
            undone += is_undone
            change(case)
        assert triples(case.base, case.base.all()) == expected
        assert set(case.base.graphs()) == set(graphs)
        unheard += case.heard() != expected
        case.base._check()
    assert unheard < 4  # stopped in the very call of the listener
    assert undone > MOMENTS // 2


def test_last_step_of_a_change_fails_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case()
    case.queue()
    before = case.held()

    def out_of_memory(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Views, "after", out_of_memory)
        with pytest.raises(MemoryError):
            case.base.flush()
    assert case.held() == before
    case.base._check()
    assert len(case.base.all()) > 0
