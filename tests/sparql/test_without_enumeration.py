"""Queries over closures that are answered from labels: the tables here refuse to give all of their pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import LocalTerms
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import SKOS
from kgreason.relations.codes import PROPERTY
from kgreason.relations.inverse import InverseTable
from kgreason.relations.table import Columns, Ids, Index
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.union import UnionTable
from kgreason.sparql.algebra import Basic, Distinct, LeftJoin, Node, PathPattern, Project, Repeat, Slice, TriplePattern
from kgreason.sparql.limits import Limits
from kgreason.sparql.node_evaluation import Evaluation
from kgreason.sparql.patterns.path_relations import Paths
from kgreason.sparql.put_query import answer
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.solution_expressions import Expressions
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.source import Graphs
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks.closure_contestants import load_edges
from tests.benchmarks.random_graphs import categories

WIDE, RELATED, BROADER = IRI(SKOS + "broaderTransitive"), IRI(SKOS + "semanticRelation"), IRI(SKOS + "broader")
X, Y, Z = map(Variable, "xyz")
NODES = 3_000
PIECE = 50_000
"""More pairs than this at once, of some hundreds of thousands, are too many."""


@pytest.fixture(scope="module")
def base() -> KnowledgeBase:
    """A category graph under the rules of SKOS."""
    base = KnowledgeBase("skos")
    load_edges(base, categories(NODES, seed=3), BROADER.value)
    return base


@pytest.fixture(scope="module")
def pairs(base: KnowledgeBase) -> dict[int, set[int]]:
    """What each concept has above it."""
    found: dict[int, set[int]] = {}
    wide = base.dictionary.encode(WIDE)
    for subjects, _, objects in base.all().match(None, wide, None):
        for subject, object in zip(subjects.tolist(), objects.tolist(), strict=True):
            found.setdefault(subject, set()).add(object)
    assert sum(map(len, found.values())) > 5 * PIECE
    return found


@pytest.fixture(autouse=True)
def guarded(base: KnowledgeBase, pairs: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on no virtual table is written out, and none gives more than a small part of its pairs at once."""
    base.all()

    def refuse(*_: object) -> Columns:
        raise AssertionError("a closure is written out")

    def few(self: TransitiveTable, subjects: Ids, expand=TransitiveTable.expand_subjects) -> tuple[Index, Ids]:
        index, objects = expand(self, subjects)
        assert len(index) <= PIECE, "a large part of a closure is written out"
        return index, objects

    for kind in (TransitiveTable, UnionTable, InverseTable):
        monkeypatch.setattr(kind, "columns", refuse)
        monkeypatch.setattr(kind, "materialised", refuse)
    monkeypatch.setattr(TransitiveTable, "expand_subjects", few)


@pytest.fixture
def no_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the first chunk of pairs is made."""

    def refuse(*_: object) -> Iterator[Columns]:
        raise AssertionError("the pairs of a closure are read")

    for kind in (TransitiveTable, UnionTable, InverseTable):
        monkeypatch.setattr(kind, "chunks", refuse)


def solved(base: KnowledgeBase, node: Node, multiplicity: Multiplicity, *names: str) -> Solutions:
    """All solutions, with weights where these do."""
    terms = LocalTerms(base.dictionary)
    view = base.all()
    evaluation = Evaluation(Graphs(view, {}), view, terms, Expressions(terms), Paths(terms), Limits())
    return evaluation.all(rewritten(node), Solutions.unit(), Demand(frozenset(names), multiplicity))


def counted(base: KnowledgeBase, node: Node, *names: str) -> Counter:
    """How many solutions there are for each combination of ids."""
    found = solved(base, node, Multiplicity.WEIGHTED, *names)
    counts: Counter = Counter()
    rows = zip(*(found.column(name).tolist() for name in names), strict=True) if names else [()] * len(found)
    for row, count in zip(rows, found.counts().tolist(), strict=True):
        counts[row] += count
    return counts


def concept(base: KnowledgeBase, number: int) -> IRI:
    """A concept that has others above it."""
    found = base.dictionary.decode(number)
    assert isinstance(found, IRI)
    return found


def wide(subject: object, object: object, predicate: IRI = WIDE) -> Basic:
    return Basic((TriplePattern(subject, predicate, object),))


STAR = Basic((PathPattern(X, Repeat(BROADER, True, False), Y),))
TWO = Basic((TriplePattern(X, WIDE, Y), TriplePattern(Y, WIDE, Z)))


@pytest.mark.usefixtures("no_chunks")
def test_counts_over_a_closure_are_those_of_its_pairs(base: KnowledgeBase, pairs: dict[int, set[int]]) -> None:
    total = sum(map(len, pairs.values()))
    assert counted(base, wide(X, Y)) == {(): total}
    assert counted(base, wide(X, Y), "x") == {(x,): len(ys) for x, ys in pairs.items()}
    below = Counter(y for ys in pairs.values() for y in ys)
    assert counted(base, wide(X, Y), "y") == {(y,): n for y, n in below.items()}
    assert counted(base, wide(X, X)) == {(): sum(x in ys for x, ys in pairs.items())}


@pytest.mark.usefixtures("no_chunks")
def test_counts_of_joins(base: KnowledgeBase, pairs: dict[int, set[int]]) -> None:
    below = Counter(y for ys in pairs.values() for y in ys)
    assert counted(base, TWO) == {(): sum(n * len(pairs.get(y, ())) for y, n in below.items())}
    star = Basic((TriplePattern(X, WIDE, Y), TriplePattern(X, WIDE, Z)))
    assert counted(base, star) == {(): sum(len(ys) ** 2 for ys in pairs.values())}


def test_counts_of_optional_pairs(base: KnowledgeBase, pairs: dict[int, set[int]]) -> None:
    narrow = base.dictionary.encode(BROADER)
    chunks = base.all().match(None, narrow, None)
    edges = [edge for s, _, o in chunks for edge in zip(s.tolist(), o.tolist(), strict=True)]
    above = LeftJoin(wide(X, Y, BROADER), wide(Y, Z), None)

    assert counted(base, above) == {(): sum(len(pairs.get(y, ())) or 1 for _, y in edges)}
    each = Counter()
    for x, y in edges:
        each[(x,)] += len(pairs.get(y, ())) or 1
    assert counted(base, above, "x") == each


@pytest.mark.usefixtures("no_chunks")
def test_counts_of_pairs_in_both_directions(base: KnowledgeBase, pairs: dict[int, set[int]]) -> None:
    """skos:semanticRelation unites a closure with its inverse: pairs that both have count once."""
    either: dict[int, set[int]] = {x: {*ys} for x, ys in pairs.items()}
    for x, ys in pairs.items():
        for y in ys:
            either.setdefault(y, set()).add(x)
    assert counted(base, wide(X, Y, RELATED), "x") == {(x,): len(ys) for x, ys in either.items()}
    assert counted(base, wide(X, Y, RELATED)) == {(): sum(map(len, either.values()))}


@pytest.mark.usefixtures("no_chunks")
def test_one_end_bound(base: KnowledgeBase, pairs: dict[int, set[int]]) -> None:
    one, other = sorted(pairs, key=lambda x: (len(pairs[x]), x))[NODES // 3 :: NODES // 3][:2]
    both = Basic((TriplePattern(concept(base, one), WIDE, Y), TriplePattern(concept(base, other), WIDE, Y)))
    assert counted(base, wide(concept(base, one), Y), "y") == {(y,): 1 for y in pairs[one]}
    assert counted(base, wide(concept(base, one), Y)) == {(): len(pairs[one])}
    assert counted(base, both, "y") == {(y,): 1 for y in pairs[one] & pairs[other]}


@pytest.mark.usefixtures("no_chunks")
@pytest.mark.parametrize("name", ["x", "y", "z"])
def test_which_there_are(base: KnowledgeBase, pairs: dict[int, set[int]], name: str) -> None:
    """SELECT DISTINCT, COUNT(DISTINCT), EXISTS and ASK over a join of two patterns."""
    above = {y for ys in pairs.values() for y in ys}
    expected = {
        "x": {x for x, ys in pairs.items() if any(y in pairs for y in ys)},
        "y": above & pairs.keys(),
        "z": {z for y in above for z in pairs.get(y, ())},
    }
    found = solved(base, TWO, Multiplicity.ANY, name)
    assert Counter(found.column(name).tolist()) == Counter(expected[name])
    distinct = solved(base, Distinct(Project(TWO, (name,))), Multiplicity.EACH, name)
    assert Counter(distinct.column(name).tolist()) == Counter(expected[name])
    assert len(solved(base, TWO, Multiplicity.ANY)) >= 1


@pytest.mark.parametrize("node", [wide(X, Y), TWO, wide(X, Y, RELATED), STAR])
def test_the_first_ten(base: KnowledgeBase, node: Node) -> None:
    found = answer(rewritten(Slice(node, 0, 10)), ("x", "y"), Graphs(base.all(), {}), base.dictionary).whole()
    assert len(found) == 10


@pytest.mark.usefixtures("no_chunks")
@pytest.mark.parametrize("predicate", [BROADER, WIDE])
def test_paths_over_a_closure_follow_its_pairs(base: KnowledgeBase, pairs: dict[int, set[int]], predicate: IRI) -> None:
    """Over the edges, a closure of the path itself; over the closure, that one."""
    plus, star = (Basic((PathPattern(X, Repeat(predicate, optional, False), Y),)) for optional in (False, True))
    view = base.all()
    terms = {end for code in view.codes(PROPERTY) for p in (0, 1) for end in view.table(code).distinct(p).tolist()}
    nodes = terms | {code >> 2 for code in view.codes(1)}
    reach = {x: pairs.get(x, set()) | {x} for x in nodes}
    assert counted(base, plus, "x") == {(x,): len(ys) for x, ys in pairs.items()}
    assert counted(base, star, "x") == {(x,): len(ys) for x, ys in reach.items()}
    assert counted(base, star) == {(): sum(map(len, reach.values()))}
    one = max(pairs)
    from_one = Basic((PathPattern(concept(base, one), Repeat(predicate, True, False), Y),))
    assert counted(base, from_one, "y") == {(y,): 1 for y in reach[one]}
    assert np.all([count == 1 for count in counted(base, from_one, "y").values()])


def test_solutions_are_spread_out_a_bounded_number_at_a_time() -> None:
    """More solutions than memory has room for, of which the first are taken."""
    columns = {"x": np.arange(5, dtype=np.uint32)}
    weights = np.array([3, 1 << 50, 2, 0, 1 << 50])
    pieces = Solutions(columns, 5, weights).spread_out(4, first=2)
    assert [next(pieces).columns["x"].tolist() for _ in range(3)] == [[0, 0], [0, 1, 1, 1], [1, 1, 1, 1]]
    some = Solutions(columns, 5, np.array([3, 0, 2, 5, 1]))
    for most in range(1, 13):
        found = list(some.spread_out(most))
        assert [x for piece in found for x in piece.columns["x"].tolist()] == some.spread().columns["x"].tolist()
        assert all(len(piece) == most for piece in found[:-1])
        assert len(found[-1]) <= most
    assert [*Solutions(columns, 0, weights[:0]).only(()).spread_out(3)] == []


@pytest.mark.parametrize("length", [1, 10])
def test_the_first_of_many_that_are_alike(base: KnowledgeBase, length: int) -> None:
    """Each subject comes as often as it has pairs, trillions in all."""
    node = Slice(Project(TWO, ("x",)), 0, length)
    found = answer(rewritten(node), ("x",), Graphs(base.all(), {}), base.dictionary).whole()
    assert len(found) == length
