"""Would catch a label that is not found, or is found after it has gone; the oracle looks at every label anew."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.lookup.label_index import LabelIndex
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDFS, SKOS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import Triple, add, ex, remove
from tests.profiles import examples
from tests.thresholds import Tuned

LABEL, PREFERRED, ALTERNATIVE = IRI(RDFS + "label"), IRI(SKOS + "prefLabel"), IRI(SKOS + "altLabel")
WORDS = ["red", "Red", "réd", "reds", "wine", "vin-rouge", "O'Hara", "", "a", "酒", "x\ny", 'say "hi"', "1906", "ﬁne"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
LABELS = st.tuples(
    st.sampled_from([ex(f"n{number}") for number in range(4)]),
    st.sampled_from([LABEL, PREFERRED, ALTERNATIVE, ex("no-label")]),
    st.builds(Literal, TEXTS, st.none(), st.sampled_from([None, "en", "de", "en-GB"])),
)


def folded(text: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.category(c).startswith("M"))
    return re.findall(r"[^\W_]+", plain.lower())


def fitting(labels: set[Triple], text: str) -> set:
    wanted = folded(text)
    return {
        subject
        for subject, property, label in labels
        if property != ex("no-label")
        and wanted
        and all(any(word.startswith(each) for word in folded(label.lexical)) for each in wanted)
    }


@pytest.fixture(params=[0, 2, 1000])
def labels_apart(request: pytest.FixtureRequest, tuned: Tuned) -> None:
    tuned(LABELS_APART=request.param)


@pytest.mark.usefixtures("labels_apart")
@given(steps=st.lists(st.tuples(st.booleans(), st.lists(LABELS, max_size=5), TEXTS), min_size=1, max_size=5))
@settings(max_examples=examples(30))
def test_terms_found_after_changes_are_those_whose_labels_have_the_words(steps: list) -> None:
    base, now = KnowledgeBase("none"), set[Triple]()
    index = LabelIndex()
    for is_added, labels, text in steps:
        (add if is_added else remove)(base, *labels)
        now = now | set(labels) if is_added else now - set(labels)
        found = index.find(base, text, limit=100)
        assert {match.term for match in found} == fitting(now, text)
        assert len({match.term for match in found}) == len(found)
        assert all(any(match.label == label for _, _, label in now) for match in found)


@pytest.mark.usefixtures("labels_apart")
@given(steps=st.lists(st.tuples(st.booleans(), st.lists(LABELS, max_size=5), TEXTS), min_size=1, max_size=5))
@settings(max_examples=examples(20))
def test_versions_of_a_store_share_an_index(steps: list) -> None:
    store, now = KnowledgeBase("none"), set[Triple]()
    index = LabelIndex(keeps_ids=True)
    versions: list[tuple[KnowledgeBase, set[Triple]]] = []
    for is_added, labels, text in steps:
        (add if is_added else remove)(store, *labels)
        now = now | set(labels) if is_added else now - set(labels)
        versions.append((store.branch(), now))
        for version, there in versions[-2:]:
            assert {match.term for match in index.find(version, text, limit=100)} == fitting(there, text)


@pytest.fixture
def cellar() -> KnowledgeBase:
    base = KnowledgeBase("none")
    add(
        base,
        (ex("wine"), PREFERRED, Literal("wine", language="en")),
        (ex("wine"), PREFERRED, Literal("Wein", language="de")),
        (ex("red"), LABEL, Literal("red wine", language="en")),
        (ex("cellar"), LABEL, Literal("wine cellar", language="en")),
        (ex("bar"), LABEL, Literal("Wine bar", language="de")),
        (ex("zurich"), LABEL, Literal("Zürich")),
    )
    return base


def test_best_fit_comes_first(cellar: KnowledgeBase) -> None:
    found = [match.term for match in LabelIndex().find(cellar, "Wine")]
    assert found == [ex("wine"), ex("bar"), ex("cellar"), ex("red")]


def test_language_that_is_wanted_comes_first_among_those_that_fit_as_well(cellar: KnowledgeBase) -> None:
    assert [match.term for match in LabelIndex().find(cellar, "wine", language="en")][1] == ex("cellar")
    assert LabelIndex().find(cellar, "wei", language="en")[0].label == Literal("Wein", language="de")


def test_accents_and_word_order_do_not_count(cellar: KnowledgeBase) -> None:
    assert LabelIndex().find(cellar, "zurich")[0].term == ex("zurich")
    assert LabelIndex().find(cellar, "wine RED")[0].term == ex("red")


def test_limit_counts_terms(cellar: KnowledgeBase) -> None:
    assert len(LabelIndex().find(cellar, "wine", limit=2)) == 2
    assert LabelIndex().find(cellar, "  ") == LabelIndex().find(cellar, "...") == []
