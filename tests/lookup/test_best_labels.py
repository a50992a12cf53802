"""Would catch a label in a language that the reader did not ask for, or an alternative name before a preferred one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.lookup.best_labels import BestLabels
from kgreason.lookup.label_index import LABELS
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDFS, SKOS, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import Triple, add, ex
from tests.profiles import examples

NODES = [ex(f"n{number}") for number in range(3)]
PROPERTIES = [IRI(SKOS + "prefLabel"), IRI(RDFS + "label"), IRI(SKOS + "altLabel")]
TEXTS = [
    Literal("own", language="de"),
    Literal("own, of Austria", language="de-AT"),
    Literal("no language"),
    Literal('no "language"@de either'),
    Literal("English", language="en"),
    Literal("British", language="en-GB"),
    Literal("French", language="fr"),
    Literal("7", XSD + "integer"),
]


def rank(triple: Triple) -> tuple[bool, int, int]:
    _, property, label = triple
    assert isinstance(property, IRI)
    tag = (label.language or "").partition("-")[0]
    own = 0 if tag == "de" else 1 if label.language is None and not label.datatype else 2 if tag == "en" else 3
    return property.value == SKOS + "altLabel", own if not label.datatype else 1, LABELS.index(property.value)


@given(st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from(TEXTS)), max_size=12))
@settings(max_examples=examples(100))
def test_label_is_the_one_that_suits_best(labels: list[Triple]) -> None:
    base = KnowledgeBase("none")
    add(base, *labels)
    ids = np.array([base.dictionary.encode(node) for node in NODES], dtype=np.uint32)

    found = BestLabels.of(base.all(), base.dictionary, "de-DE").texts(ids)

    for node, text in zip(NODES, found, strict=True):
        own = [label for label in labels if label[0] == node]
        least = min(map(rank, own), default=None)
        best = {label[2].lexical for label in own if rank(label) == least}
        assert (text in best) if best else (text is None)
