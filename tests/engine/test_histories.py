"""Random histories: changes of facts in several graphs, of whole graphs, of rules, reads, and refusals.

The store equals naive evaluation at each read, in every view and for every pattern. What cannot be maintained (a broken
list, a program that is not stratified) is refused with all as it was at the last read, and the history goes
on: leftovers of a refused change show later. Nothing is refused without a reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.budget import Budget
from kgreason.engine.strategy import Strategy
from kgreason.errors import BudgetError, StratificationError
from kgreason.io.quads import Quads
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import RDF, XSD
from kgreason.relations.catalogue import AUTO, PLAIN, Catalogue
from kgreason.relations.schemes import standard_catalogue
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.triple_view import TripleView
from tests import oracle
from tests.engine.history_programs import PROGRAMS
from tests.facade import Follower, Triple, ex, few_rows, show, triples
from tests.profiles import examples
from tests.stratification_reference import is_stratified
from tests.thresholds import Tuned, replaced_constants, shrink

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

EXAMPLES = examples(30)
TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))
NODES = [ex("n0"), ex("n1"), ex("n2"), BlankNode("n3")]
CLASSES = [ex(f"C{i}") for i in range(4)]
PROPERTIES = [ex(f"p{i}") for i in range(4)]
LITERALS = [Literal("1"), Literal("1", XSD + "integer"), Literal("2", XSD + "integer"), Literal("a", language="en")]
CELLS = [ex(f"l{i}") for i in range(4)]
GRAPHS = [None, ex("g"), ex("h")]
LIKELY = st.integers(0, 3).map(bool)


JOINED = replace(standard_catalogue(), join_limit=1000)


def some(predicate: str, subjects: list, objects: list) -> st.SearchStrategy[Triple]:
    return st.tuples(st.sampled_from(subjects), st.just(ex(predicate)), st.sampled_from(objects))


FACTS = st.one_of(
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from(CLASSES)),
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from([*NODES, *LITERALS])),
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from([*NODES, *CLASSES, *PROPERTIES])),
    st.tuples(st.sampled_from([*PROPERTIES, *CLASSES]), st.sampled_from(PROPERTIES), st.sampled_from(PROPERTIES)),
    st.tuples(st.sampled_from(PROPERTIES), st.just(TYPE), st.sampled_from(CLASSES[:2])),
    some("turn", PROPERTIES, PROPERTIES),
    some("after", PROPERTIES, PROPERTIES),
    some("under", [*PROPERTIES, *CLASSES, ex("under"), TYPE], [*PROPERTIES, *CLASSES, ex("under"), TYPE]),
    st.tuples(st.sampled_from(CLASSES), st.just(TYPE), st.sampled_from([*CLASSES, Literal("1")])),
)


AXIOMS = st.one_of(
    *(some(name, CLASSES, [*CELLS, NIL]) for name in ("all", "some", "one", "key")),
    some("chain", PROPERTIES, CELLS),
)


WHOLE_LISTS = [
    [(CELLS[0], REST, CELLS[1]), (CELLS[1], REST, NIL)],
    [(CELLS[0], REST, CELLS[1]), (CELLS[1], REST, CELLS[2]), (CELLS[2], REST, NIL)],
    [(CELLS[2], REST, NIL)],
    [(CELLS[3], REST, CELLS[0]), (CELLS[0], REST, NIL), (CELLS[0], REST, CELLS[2]), (CELLS[2], REST, NIL)],
]


@st.composite
def list_cells(draw: st.DrawFn) -> list[Triple]:
    """A list that is well-formed, where nothing else is said of its cells, or one triple too many of it."""
    members = st.sampled_from([*CLASSES[:3], *PROPERTIES[:3], NODES[0]])
    if draw(st.integers(0, 5)) == 0:
        following = draw(st.sampled_from([*CELLS, NIL]))
        cell = draw(st.sampled_from(CELLS))
        return [draw(st.sampled_from([(cell, REST, following), (cell, FIRST, draw(members)), (cell, ex("next"), NIL)]))]
    found = list(draw(st.sampled_from(WHOLE_LISTS)))
    cells = dict.fromkeys(cell for cell, _, _ in found)
    return found + [(cell, FIRST, draw(members)) for cell in cells]


GROUPS = st.one_of(
    FACTS.map(lambda triple: [triple]), FACTS.map(lambda triple: [triple]), AXIOMS.map(lambda t: [t]), list_cells()
)


CHANGES = st.tuples(st.integers(0, 2).map(bool), st.sampled_from([*GRAPHS, None]), GROUPS)


NUMBERS = st.lists(st.integers(0, len(PROGRAMS) - 1), min_size=1, max_size=3, unique=True)


BUDGETS = (Budget(facts=0), Budget(facts=4), Budget(facts=20), Budget(bytes=60), Budget(bytes=400))


STEPS = st.one_of(
    st.tuples(st.just("change"), st.lists(CHANGES, min_size=1, max_size=8)),
    st.tuples(st.just("change"), st.lists(CHANGES, min_size=1, max_size=2)),
    st.tuples(st.just("bulk"), st.lists(CHANGES, min_size=1, max_size=6)),
    st.tuples(st.just("take back"), st.integers(0, 40)),
    st.tuples(st.just("remove graph"), st.sampled_from(GRAPHS)),
    st.tuples(st.just("add rules"), NUMBERS),
    st.tuples(st.just("remove rules"), NUMBERS),
)


@dataclass(slots=True)
class State:
    """Explicit triples with their graphs, and the programs in use with how often each was added."""

    quads: set[tuple[Term | None, Triple]] = field(default_factory=set)
    programs: tuple[int, ...] = ()

    def copy(self) -> State:
        return State(set(self.quads), self.programs)

    @property
    def program(self) -> Program:
        return Program(tuple(dict.fromkeys(rule for number in self.programs for rule in PROGRAMS[number].rules)))

    @property
    def triples(self) -> set[Triple]:
        return {triple for _, triple in self.quads}


class History:
    """A knowledge base beside the model of what it should hold."""

    def __init__(self, programs: Iterable[int], schemes: str | Catalogue, strategy: Strategy) -> None:
        self.state = State(programs=tuple(programs))
        self.read = self.state.copy()
        self.base = KnowledgeBase(Program(()), schemes, strategy)
        for number in self.state.programs:  # one by one: a rule that two have is there twice
            self.base.add_rules(PROGRAMS[number])
        self.base.flush()  # rules that their own facts make unstratified have nothing to go back to
        self.follower = Follower(self.base)

    def apply(self, kind: str, detail: object) -> None:
        match kind:
            case "change":
                for is_added, graph, found in detail:
                    self._change(is_added, [(graph, triple) for triple in found])
            case "bulk":
                for is_added in (False, True):
                    chosen = [(g, t) for added, g, found in detail if added == is_added for t in found]
                    self._bulk(is_added, chosen)
            case "take back":
                known = sorted(self.state.quads, key=str)
                self._change(False, known[detail : detail + 3])
            case "remove graph":
                if self.check():  # which reads, and so may drop what was queued
                    self.base.remove_graph(self._graph(detail))
                    self.state.quads = {quad for quad in self.state.quads if quad[0] != detail}
            case _:
                self._change_rules(kind == "add rules", detail)

    def check(self) -> bool:
        """Read; whether what was queued was accepted. Everything equals the oracle in either case."""
        accepted = True
        try:
            self.base.flush()
        except (BudgetError, StratificationError) as error:
            self._assert_reason(error, self.state)
            self.state, accepted = self.read.copy(), False
        self._assert_equal()
        self.read = self.state.copy()
        return accepted

    def _change(self, is_added: bool, quads: list[tuple[Term | None, Triple]]) -> None:
        for graph, triple in quads:
            ids = map(self.base.dictionary.encode, triple)
            (self.base.add if is_added else self.base.remove)(self._graph(graph), *ids)
            (self.state.quads.add if is_added else self.state.quads.discard)((graph, triple))

    def _bulk(self, is_added: bool, quads: list[tuple[Term | None, Triple]]) -> None:
        encode = self.base.dictionary.encode
        rows = [(self._graph(graph), *map(encode, triple)) for graph, triple in quads]
        columns = Quads(*np.ascontiguousarray(np.array(rows, dtype=np.uint32).reshape(len(rows), 4).T))
        (self.base.add_quads if is_added else self.base.remove_quads)(columns)
        self.state.quads = self.state.quads | set(quads) if is_added else self.state.quads - set(quads)

    def _change_rules(self, is_added: bool, numbers: list[int]) -> None:
        self.check()
        after = self.state.copy()
        known = set(self.state.programs)
        chosen = [number for number in numbers if (number in known) != is_added]
        after.programs = tuple([*known, *chosen] if is_added else [n for n in known if n not in chosen])
        program = Program(tuple(rule for number in chosen for rule in PROGRAMS[number].rules))
        try:
            (self.base.add_rules if is_added else self.base.remove_rules)(program)
        except (BudgetError, StratificationError) as error:
            self._assert_reason(error, after)
        else:
            self.state = after
        self.check()

    def _graph(self, graph: Term | None) -> int:
        return DEFAULT_GRAPH if graph is None else self.base.dictionary.encode(graph)

    def _assert_reason(self, error: Exception, state: State) -> None:
        if isinstance(error, BudgetError):
            assert self.base.budget != Budget(), "there is no budget that it could exceed"
            return
        if isinstance(error, StratificationError):
            assert not is_stratified(state.program), f"refused, but stratified: {error}"
            return
        with pytest.raises(oracle.UndefinedError):
            oracle.closure(state.program, state.triples)

    def _assert_equal(self) -> None:
        self.base._check()
        explicit, program = self.state.triples, self.state.program
        everything = oracle.closure(program, explicit)
        assert self.follower.triples == everything, "the changes that were announced do not lead here"
        for view, expected in (
            (self.base.all(), everything),
            (self.base.explicit(), explicit),
            (self.base.inferred(), everything - explicit),
        ):
            found = triples(self.base, view)
            assert found == expected, f"missing:\n{show(expected - found)}\nwrong:\n{show(found - expected)}"
            self._assert_patterns(view, expected)
        for graph in GRAPHS:
            expected = {triple for name, triple in self.state.quads if name == graph}
            assert triples(self.base, self.base.graph(self._graph(graph))) == expected
        assert set(self.base.graphs()) == {self._graph(graph) for graph, _ in self.state.quads}
        clashes = self.base.inconsistencies()
        assert {clash.rule for clash in clashes} - {"list"} == oracle.inconsistent(program, explicit)
        defective = {clash.reason.split()[2] for clash in clashes if clash.rule == "list"}
        assert defective == {str(each) for each in oracle.defective_lists(program, explicit)}

    def _assert_patterns(self, view: TripleView, expected: set[Triple]) -> None:
        """Patterns around some triples that are there, and one that is not."""
        decode, encode = self.base.dictionary.decode, self.base.dictionary.encode
        probes = [*sorted(expected, key=str)[:: 1 + len(expected) // 3], (NODES[0], TYPE, CELLS[3]), (NIL, NIL, NIL)]
        for probe in probes:
            ids = tuple(map(encode, probe))
            assert view.contains(*ids) == (probe in expected)
            for mask in product((True, False), repeat=3):
                pattern = [number if kept else None for number, kept in zip(ids, mask, strict=True)]
                wanted = {t for t in expected if all(not m or x == y for m, x, y in zip(mask, t, probe, strict=True))}
                found = [
                    row for chunk in view.match(*pattern) for row in zip(*(c.tolist() for c in chunk), strict=True)
                ]
                assert {tuple(map(decode, row)) for row in found} == wanted
                assert len(found) == len(wanted) == view.count(*pattern)
                if pattern[0] is not None or pattern[2] is not None:
                    assert sorted(few_rows(view, *pattern)) == sorted(found)


@pytest.fixture(autouse=True)
def small_thresholds(tuned: Tuned) -> None:
    shrink(tuned)


@given(
    schemes=st.sampled_from([AUTO, JOINED, JOINED, PLAIN]),
    strategy=st.builds(Strategy, **{switch.name: LIKELY for switch in fields(Strategy)}),
    programs=st.lists(st.integers(0, len(PROGRAMS) - 1), min_size=1, max_size=6, unique=True),
    facts=st.lists(FACTS, max_size=15),
    steps=st.lists(st.tuples(STEPS, st.booleans()), min_size=1, max_size=8),
    budget=st.sampled_from([None, None, *BUDGETS]),
    least=st.sampled_from([1 << 40, 1 << 40, -1 << 60]),
)
@settings(max_examples=EXAMPLES)
def test_histories(
    schemes: str | Catalogue,
    strategy: Strategy,
    programs: list[int],
    facts: list[Triple],
    steps: list,
    budget: Budget | None,
    least: int,
) -> None:
    """With the least `least`, each change that takes something away is dropped, and all derived anew."""
    with replaced_constants(ANEW_LEAST=least):
        try:
            history = History(programs, schemes, strategy)
        except StratificationError:
            assert not is_stratified(State(programs=tuple(programs)).program)
            return
        history.apply("bulk", [(True, None, facts)])
        if budget is not None:
            history.check()
            history.base.budget = budget
        for (kind, detail), is_read in steps:
            history.apply(kind, detail)
            if is_read:
                history.check()
        history.check()
