"""Patterns without a predicate, which an index answers: a role that was not recorded would leave triples out."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import TripleView
from tests.facade import few_rows
from tests.profiles import examples
from tests.thresholds import shrink, tuning_context

Triple = tuple[int, int, int]

RULES = """
@prefix ex: <http://example.org/> .
[?x, ex:above, ?y] :- [?x, ex:p0, ?y] .
[?y, ex:back, ?x] :- [?x, ex:p1, ?y] .
[?x, ex:tied, ?y] :- [?x, ex:p2, ?y] .
[?y, ex:tied, ?x] :- [?x, ex:tied, ?y] .
[?x, a, ?d] :- [?c, <http://www.w3.org/2000/01/rdf-schema#subClassOf>, ?d], [?x, a, ?c] .
"""
NAMES = [f"http://example.org/{name}" for name in ("a", "b", "c", "p0", "p1", "p2", "C", "D", "back", "above", "tied")]

terms = st.sampled_from(range(3))
properties = st.sampled_from(range(3, 6))
classes = st.sampled_from((6, 7))
triples = st.one_of(
    st.tuples(terms, properties, terms),
    st.tuples(terms, st.just(-1), classes),
    st.just((6, -2, 7)),
)
steps = st.lists(st.tuples(st.booleans(), st.lists(triples, max_size=4), st.booleans()), max_size=8)


def encoded(base: KnowledgeBase, triple: Triple) -> Triple:
    special = {-1: RDF_TYPE, -2: f"{RDFS}subClassOf"}
    names = (special.get(number) or NAMES[number] for number in triple)
    subject, predicate, object = (base.dictionary.encode(IRI(name)) for name in names)
    return subject, predicate, object


def found(view: TripleView, subject: int | None, predicate: int | None, object: int | None) -> list[Triple]:
    chunks = view.match(subject, predicate, object)
    rows = sorted(chain.from_iterable(zip(*(part.tolist() for part in chunk), strict=True) for chunk in chunks))
    assert (subject is None and object is None) or sorted(few_rows(view, subject, predicate, object)) == rows
    return rows


def check(base: KnowledgeBase) -> None:
    """Every pattern gives what a scan of all triples has of it, each triple once."""
    type_id = base.dictionary.encode(IRI(RDF_TYPE))
    for view in (base.all(), base.explicit(), base.inferred(), base.graph(DEFAULT_GRAPH)):
        every = found(view, None, None, None)
        assert len(every) == len({*every})
        for term in range(len(base.dictionary)):
            assert found(view, term, None, None) == [t for t in every if t[0] == term]
            assert found(view, None, None, term) == [t for t in every if t[2] == term]
            assert found(view, term, type_id, None) == [t for t in every if t[0] == term and t[1] == type_id]
            assert view.count(term) == sum(t[0] == term for t in every)
        for subject, _, object in every:
            assert found(view, subject, None, object) == [t for t in every if (t[0], t[2]) == (subject, object)]


@settings(max_examples=examples(60))
@given(steps, st.booleans())
def test_patterns_without_a_predicate_follow_changes(
    changes: list[tuple[bool, list[Triple], bool]], small: bool
) -> None:
    with tuning_context() as tuned:
        if small:
            shrink(tuned)
        base = KnowledgeBase(RULES)
        for adds, some, is_read in changes:
            for triple in some:
                (base.add if adds else base.remove)(DEFAULT_GRAPH, *encoded(base, triple))
            if is_read:  # otherwise what came waits
                check(base)
        check(base)
        base._check()


@pytest.mark.parametrize("limit", [0, 1000])
def test_patterns_hold_when_a_relation_gets_much_at_once(limit: int) -> None:
    with tuning_context() as tuned:
        tuned(LARGE_CHANGE=limit, INDEX_SHARE=1 << 40)
        base = KnowledgeBase(RULES)
        base.add(DEFAULT_GRAPH, *encoded(base, (0, 3, 1)))
        check(base)

        for object in (0, 2):
            base.add(DEFAULT_GRAPH, *encoded(base, (2, 4, object)))

        check(base)


def test_a_branch_and_its_origin_have_roles_of_their_own() -> None:
    base = KnowledgeBase(RULES)
    base.add(DEFAULT_GRAPH, *encoded(base, (0, 3, 1)))
    check(base)
    branch = base.branch()

    base.add(DEFAULT_GRAPH, *encoded(base, (1, 4, 2)))
    branch.add(DEFAULT_GRAPH, *encoded(branch, (1, 5, 0)))
    branch.remove(DEFAULT_GRAPH, *encoded(branch, (0, 3, 1)))

    check(base)
    check(branch)
    base._check()
    branch._check()
