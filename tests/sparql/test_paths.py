"""Property paths against the letter of the recommendation, on random graphs, over all storage schemes of closures."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Variable
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF_TYPE, XSD_INTEGER
from kgreason.sparql import path_unfolding
from kgreason.sparql.algebra import (
    Aggregate,
    Alternative,
    Basic,
    Group,
    Inverse,
    Join,
    NegatedSet,
    Node,
    Operand,
    Path,
    PathPattern,
    Repeat,
    TriplePattern,
    Values,
)
from kgreason.sparql.algebra import Sequence as Steps
from kgreason.sparql.path_unfolding import simplified
from kgreason.sparql.pattern_texts import path_text
from kgreason.sparql.patterns import closure_patterns as closed
from kgreason.sparql.patterns.bound import KnownPaths
from kgreason.sparql.put_query import answer
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.source import Graphs
from kgreason.store.knowledge_base import KnowledgeBase
from tests.profiles import examples
from tests.sparql.path_oracle import PathOracle, Triple, paths
from tests.thresholds import Tuned

EXAMPLES = examples(40)
A, B, TYPE = IRI("http://e/a"), IRI("http://e/b"), IRI(RDF_TYPE)
PREDICATES = [A, B, TYPE]
NODES: list[Term] = [IRI(f"http://e/n{number}") for number in range(5)]
ABSENT = IRI("http://e/absent")
X, Y = Variable("x"), Variable("y")

RULES = {
    "plain": "",
    "transitive": "[?x, <http://e/a>, ?z] :- [?x, <http://e/a>, ?y], [?y, <http://e/a>, ?z] .",
    "equivalence": """[?x, <http://e/a>, ?z] :- [?x, <http://e/a>, ?y], [?y, <http://e/a>, ?z] .
        [?y, <http://e/a>, ?x] :- [?x, <http://e/a>, ?y] .""",
    "inverse": """[?x, <http://e/a>, ?z] :- [?x, <http://e/a>, ?y], [?y, <http://e/a>, ?z] .
        [?y, <http://e/b>, ?x] :- [?x, <http://e/a>, ?y] . [?y, <http://e/a>, ?x] :- [?x, <http://e/b>, ?y] .""",
    "union": """[?x, <http://e/a>, ?z] :- [?x, <http://e/a>, ?y], [?y, <http://e/a>, ?z] .
        [?x, <http://e/b>, ?y] :- [?x, <http://e/a>, ?y] . [?y, <http://e/b>, ?x] :- [?x, <http://e/a>, ?y] .""",
}


def base_of(triples: Sequence[Triple], rules: str = "plain") -> KnowledgeBase:
    base = KnowledgeBase(RULES[rules]) if RULES[rules] else KnowledgeBase("none")
    encode = base.dictionary.encode
    for s, p, o in triples:
        base.add(DEFAULT_GRAPH, encode(s), encode(p), encode(o))
    return base


def visible(base: KnowledgeBase) -> set[Triple]:
    decode = base.dictionary.decode
    chunks = base.all().match(None, None, None)
    return {tuple(map(decode, row)) for chunk in chunks for row in zip(*(c.tolist() for c in chunk), strict=True)}


def solutions(base: KnowledgeBase, node: Node, *names: str, known: KnownPaths | None = None) -> Counter:
    """The solutions of a node as rows of terms."""
    found = answer(rewritten(node), names, Graphs(base.all(), {}), base.dictionary, known=known)
    whole = found.whole()
    whole._check()
    rows = zip(*(whole.column(name).tolist() for name in names), strict=True) if names else [()] * len(whole)
    return Counter(tuple(map(found.terms.decode, row)) for row in rows)


def expected(base: KnowledgeBase, subject: Operand, path: Path, object: Operand) -> Counter:
    """The solutions of one path by the oracle, as rows of the variables in order."""
    begins, ends = (frozenset([end]) - {X, Y} for end in (subject, object))
    found: Counter = Counter()
    for (s, o), n in PathOracle(visible(base)).pairs(path, begins, ends).items():
        row: dict[str, Term] = {}
        for end, term in ((subject, s), (object, o)):
            if isinstance(end, Variable):
                if row.setdefault(end.name, term) != term:
                    break
            elif end != term:
                break
        else:
            found[tuple(row.values())] += n
    return found


triples = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(PREDICATES), st.sampled_from(NODES)), max_size=9)
SHAPES: list[tuple[Operand, Operand]] = [
    (X, Y),
    (X, X),
    (NODES[0], Y),
    (X, NODES[1]),
    (NODES[0], NODES[1]),
    (NODES[2], NODES[2]),
    (ABSENT, Y),
    (X, ABSENT),
    (ABSENT, ABSENT),
]
AS_THEY_ARE, NO_SEARCH, SEARCH_ONLY = "as they are", "no search", "search only"


def set_limits(tuned: Tuned, limits: str) -> None:
    """As they are; or tables for everything, and no look-ups of single nodes; or as much walking as there can be."""
    if limits == NO_SEARCH:
        tuned(CLOSING_EDGE=0, CLOSING_LEAST=0, WALKED_FIRST=1, WALKED_GROWTH=1, WALKED_BLOCKS=1, FEW_NODES=-1)
    if limits == SEARCH_ONLY:
        tuned(CLOSING_LEAST=1 << 60)


@pytest.mark.parametrize("limits", [AS_THEY_ARE, NO_SEARCH, SEARCH_ONLY])
@pytest.mark.parametrize("rules", RULES)
def test_random_paths(rules: str, limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(facts=triples, path=paths(PREDICATES))
    @settings(max_examples=EXAMPLES)
    def check(facts: list[Triple], path: Path) -> None:
        base, known = base_of(facts, rules), KnownPaths()
        for subject, object in SHAPES:
            names = list(dict.fromkeys(end.name for end in (subject, object) if isinstance(end, Variable)))
            node = Basic((PathPattern(subject, path, object),))
            found = solutions(base, node, *names, known=known)
            assert found == expected(base, subject, path, object), (path_text(simplified(path)), subject, object)

    check()


@pytest.mark.parametrize("limits", [AS_THEY_ARE, NO_SEARCH])
def test_random_joins_of_paths(limits: str, tuned: Tuned) -> None:
    """Ends that other atoms bind, and ends that only values bind, which may be no nodes of the graph."""
    set_limits(tuned, limits)

    @given(facts=triples, path=paths(PREDICATES), other=paths(PREDICATES))
    @settings(max_examples=EXAMPLES)
    def check(facts: list[Triple], path: Path, other: Path) -> None:
        base = base_of(facts)
        mine, theirs = (expected(base, X, each, Y) for each in (path, other))
        z = Variable("z")
        joined: Counter = Counter()
        triangle: Counter = Counter()
        for (x, y), n in mine.items():
            for (begin, end), m in theirs.items():
                if begin == y:
                    joined[x, end] += n * m
                if (begin, end) == (x, y):
                    triangle[x, y] += n * m
        atoms = (PathPattern(X, path, Y), PathPattern(Y, other, z))
        assert solutions(base, Basic(atoms), "x", "z") == joined
        assert solutions(base, Basic((atoms[0], PathPattern(X, other, Y))), "x", "y") == triangle
        rows = tuple((term,) for term in (NODES[0], ABSENT, NODES[3], NODES[0]))
        valued = Join((Values(("x",), rows), Basic((atoms[0],))))
        times = Counter(term for (term,) in rows)
        wanted = Counter({pair: n * times[pair[0]] for pair, n in mine.items() if times[pair[0]]})
        assert solutions(base, valued, "x", "y") == wanted

    check()


@given(path=paths(PREDICATES), facts=triples)
@settings(max_examples=EXAMPLES * 3)
def test_a_simplified_path_means_the_same(path: Path, facts: list[Triple]) -> None:
    oracle, ends = PathOracle(facts), frozenset([ABSENT])
    assert oracle.pairs(simplified(path), ends, ends) == oracle.pairs(path, ends, ends)


def test_repetitions_collapse() -> None:
    plus, star, maybe = Repeat(A, False, False), Repeat(A, True, False), Repeat(A, True, True)
    for inner in (plus, star, maybe):
        assert simplified(Repeat(inner, True, False)) == star
    assert simplified(Repeat(plus, False, False)) == plus
    assert simplified(Repeat(maybe, False, False)) == star
    assert simplified(Repeat(plus, True, True)) == star
    assert simplified(Inverse(star)) == Repeat(Inverse(A), True, False)
    assert simplified(Repeat(Alternative((star, B)), True, False)) == Repeat(Alternative((plus, B)), True, False)
    assert simplified(Inverse(Steps((A, NegatedSet(frozenset([B]), None))))) == Steps(
        (NegatedSet(None, frozenset([B])), Inverse(A))
    )


def test_count_distinct_star_leaves_the_variables_of_paths_out() -> None:
    from kgreason.sparql.algebra import Aggregate, Group, Project

    pattern = Basic((PathPattern(X, Steps((A, B)), Y),))
    group = Group(pattern, (), (("n", Aggregate("count", None, distinct=True)),))
    changed = path_unfolding.unfolded(group)
    assert changed.node == Project(
        Basic((TriplePattern(X, A, Variable("/1")), TriplePattern(Variable("/1"), B, Y))), ("x", "y")
    )


def test_fresh_variables_differ_within_a_query() -> None:
    base = base_of([(NODES[0], A, NODES[1]), (NODES[1], B, NODES[2]), (NODES[0], A, NODES[3]), (NODES[3], B, NODES[4])])
    path = Steps((A, B))
    node = Join((Basic((PathPattern(X, path, Y),)), Basic((PathPattern(X, path, Variable("z")),))))
    assert sum(solutions(base, node, "x", "y", "z").values()) == 4


def test_a_literal_is_a_node_and_a_constant_literal_its_own_path() -> None:
    word = Literal("word")
    base = base_of([(NODES[0], A, word)])
    star = Repeat(A, True, False)
    assert solutions(base, Basic((PathPattern(X, star, Y),)), "x", "y") == Counter(
        [(NODES[0], NODES[0]), (word, word), (NODES[0], word)]
    )
    other = Literal("other")
    assert solutions(base, Basic((PathPattern(other, star, Y),)), "y") == Counter([(other,)])


def test_a_shallow_closure_is_searched_from_all_starts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the nodes of a tree have above them is written out; a chain of them is closed."""
    closings = []
    closing = closed.transitive_closure
    monkeypatch.setattr(closed, "transitive_closure", lambda tables: closings.append(1) or closing(tables))
    nodes, size = [IRI(f"http://e/c{number}") for number in range(1_000)], 1_000
    above = Basic((PathPattern(X, Repeat(A, False, False), Y),))

    def ups(number: int) -> list[int]:
        return [] if not number else [(number - 1) // 3, *ups((number - 1) // 3)]

    tree = base_of([(nodes[number], A, nodes[ups(number)[0]]) for number in range(1, size)])
    wanted = Counter((nodes[number], nodes[up]) for number in range(size) for up in ups(number))
    assert solutions(tree, above, "x", "y") == wanted
    assert not closings
    chain = base_of([(begin, A, end) for begin, end in pairwise(nodes)])
    assert sum(solutions(chain, above, "x", "y").values()) == size * (size - 1) // 2
    assert closings == [1]


@pytest.mark.parametrize("count", [3, 40, 200])
def test_ends_of_paths_of_no_step_are_looked_for_among_subjects_and_objects(count: int) -> None:
    """Whatever their number: subjects, objects and things that no triple has."""
    facts = [(IRI(f"http://e/s{n}"), A, IRI(f"http://e/o{n}")) for n in range(300)]
    base = base_of([*facts, (NODES[0], B, NODES[1])])
    ends = [IRI(f"http://e/{kind}{n}") for n in range(count) for kind in ("s", "o", "none")]
    for end in ends:
        base.dictionary.encode(end)
    star = Basic((PathPattern(X, Repeat(B, True, False), Y),))
    joined = Join((Values(("x",), tuple((end,) for end in ends)), star))
    node = Group(joined, (("x", X),), (("n", Aggregate("count", None)),))
    found = solutions(base, node, "x", "n")
    assert found == Counter((end, Literal("1", XSD_INTEGER)) for end in ends if "none" not in end.value)


@pytest.mark.slow
def test_the_closure_of_a_long_chain_is_made_once_and_goes_with_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of a thousand layers gives up, the table serves from then on, and a change ends its life."""
    size = 20_000
    base = KnowledgeBase("none")
    encode = base.dictionary.encode
    predicate = encode(A)
    nodes = [encode(IRI(f"http://e/c{number}")) for number in range(size)]
    for begin, end in pairwise(nodes):
        base.add(DEFAULT_GRAPH, begin, predicate, end)
    known = KnownPaths()
    plus = Repeat(A, False, False)
    made = []
    build = closed.Closed.build
    monkeypatch.setattr(closed.Closed, "build", lambda self: made.append(1) or build(self))
    first = IRI("http://e/c0")
    for _ in range(3):
        assert sum(solutions(base, Basic((PathPattern(first, plus, Y),)), "y", known=known).values()) == size - 1
    assert len(made) == 1
    assert len(known._sources) == 1
    base.remove(DEFAULT_GRAPH, nodes[5], predicate, nodes[6])
    assert sum(solutions(base, Basic((PathPattern(first, plus, Y),)), "y", known=known).values()) == 5
    gc.collect()
    assert len(known._sources) == 1, "what was made for data that is gone is kept"
    assert np.all([entry.nodes is None for entry in known._sources.values()])


def test_what_is_kept_of_a_path_knows_nothing_of_the_constants_of_a_query(tuned: Tuned) -> None:
    set_limits(tuned, NO_SEARCH)
    base, known = base_of([(NODES[0], A, NODES[1])]), KnownPaths()
    path = Repeat(Steps((Repeat(A, True, True), Repeat(B, True, True))), False, False)
    assert solutions(base, Basic((PathPattern(ABSENT, path, Y),)), "y", known=known) == Counter([(ABSENT,)])
    elsewhere = Values(("x",), ((IRI("http://e/elsewhere"),),))
    counted = Group(Join((elsewhere, Basic((PathPattern(X, path, Y),)))), (), (("n", Aggregate("count", None)),))
    ((number,),) = solutions(base, counted, "n", known=known)
    assert number == Literal("0", XSD_INTEGER)
