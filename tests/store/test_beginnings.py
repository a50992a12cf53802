"""Stores of one process under the same rule set begin with one state, and have nothing else in common.

Would catch terms, rules or facts of one store in another one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_ontologies import rule_set_names
from tests.facade import add, ex, triples

SYMMETRIC = (ex("p"), IRI(RDF + "type"), IRI(OWL + "SymmetricProperty"))
PAIR, BACK = (ex("a"), ex("p"), ex("b")), (ex("b"), ex("p"), ex("a"))


@pytest.mark.parametrize("rules", rule_set_names())
def test_store_begins_like_the_first_one(rules: str) -> None:
    first = KnowledgeBase(rules)
    add(first, SYMMETRIC, PAIR)
    expected = triples(first, first.all())

    second = KnowledgeBase(rules)

    assert len(second.dictionary) < len(first.dictionary)
    assert second.rules == first.rules
    add(second, SYMMETRIC, PAIR)
    assert triples(second, second.all()) == expected
    second._check()


def test_rules_and_terms_of_one_store_are_its_own() -> None:
    first, second = KnowledgeBase("owl-rl"), KnowledgeBase("owl-rl")
    known = len(second.dictionary)

    first.remove_rules("owl-rl")
    add(first, SYMMETRIC, PAIR)

    assert BACK not in triples(first, first.all())
    assert len(second.dictionary) == len(KnowledgeBase("owl-rl").dictionary) == known
    add(second, SYMMETRIC, PAIR)
    assert BACK in triples(second, second.all())


def test_stores_begin_in_several_threads() -> None:
    def inferred(number: int) -> bool:
        store = KnowledgeBase("rdfs-plus")
        add(store, SYMMETRIC, (ex(f"a{number}"), ex("p"), ex("b")))
        return (ex("b"), ex("p"), ex(f"a{number}")) in triples(store, store.all())

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(inferred, range(20)))
