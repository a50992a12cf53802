"""`kgreason.compare` of two stores, beside `rdflib.compare` of their graphs."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Namespace
from rdflib.compare import graph_diff

import kgreason
from kgreason import ReasoningStore

EX = Namespace("http://example.org/")
BEFORE = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Pet . :tom a :Cat ; :owner [ :name "Ann" ; :city [ :name "Oslo" ] ] .
"""
AFTER = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal . :tom a :Cat ; :owner [ :city [ :name "Oslo" ] ; :name "Eve" ] .
"""


def store_of(text: str, rules: str = "owl-rl") -> ReasoningStore:
    store = ReasoningStore(rules=rules)
    Graph(store=store).parse(data=text, format="turtle")
    return store


def test_the_same_graph_has_no_difference() -> None:
    assert not kgreason.compare(store_of(BEFORE), store_of(BEFORE))
    _, removed, added = graph_diff(Graph().parse(data=BEFORE), Graph().parse(data=BEFORE))
    assert len(removed) == len(added) == 0


def test_explicit_and_inferred_triples_are_told_apart() -> None:
    before, after = store_of(BEFORE), store_of(AFTER)
    sizes = len(before.explicit), len(after.explicit)

    found = kgreason.compare(before, after)

    assert len(found.explicit.added) == len(found.explicit.removed) == 2
    assert (EX.Cat, RDFS.subClassOf, EX.Animal) in found.explicit.added
    (owner,) = before.explicit.objects(EX.tom, EX.owner)
    assert isinstance(owner, BNode)
    assert [str(name) for name in found.explicit.removed.objects(owner, EX.name)] == ["Ann"]
    assert [str(name) for name in found.explicit.added.objects(owner, EX.name)] == ["Eve"]
    assert set(found.inferred.added) == {(EX.tom, RDF.type, EX.Animal)}
    assert set(found.inferred.removed) == {(EX.tom, RDF.type, EX.Pet)}
    assert (len(before.explicit), len(after.explicit)) == sizes


def test_graphs_and_rules_are_compared(tmp_path: Path) -> None:
    before, after = ReasoningStore(rules="none"), store_of(BEFORE, "rdfs")
    Dataset(store=before).graph(EX.g).add((EX.a, EX.p, EX.b))
    after.open(str(tmp_path / "store"), create=True)
    Graph(store=after).add((EX.a, EX.p, EX.b))
    after.commit()

    found = kgreason.compare(before, after)

    assert len(found.graphs[EX.g].removed) == 1
    assert found.added_rules
    assert not found.removed_rules
    assert kgreason.compare(after, before).removed_rules == found.added_rules
    after.close()


def test_graph_in_place_of_a_store_is_a_type_error() -> None:
    graph = Graph(store=ReasoningStore())

    with pytest.raises(TypeError, match=r"the first store is of type Graph .*`graph\.store`"):
        kgreason.compare(graph, graph.store)
    with pytest.raises(TypeError, match="the second store is of type int"):
        kgreason.compare(graph.store, 1)
