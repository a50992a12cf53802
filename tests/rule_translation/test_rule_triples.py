"""Would catch rules of a document that are read from too few of its triples, or a document that is decoded as a whole
because a few rules are in it.

What is compared: the program of all triples of a document, and that of those which its rules are found to reach.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgreason import ReasoningStore, RuleError
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.dictionary_reads import DictionaryReads
from kgreason.io.quads import Quads
from kgreason.io.readers import read_files
from kgreason.rdf.model import Term
from kgreason.rdf.vocabulary import RDFS
from kgreason.rule_translation.rule_files import program_of
from kgreason.rule_translation.rule_graph import RuleGraph
from kgreason.rule_translation.rule_triples import RuleTriples
from tests.profiles import examples
from tests.rule_translation.test_shacl import SHAPES
from tests.shared_data import unpacked

SWRL = """
@prefix : <http://example.org/> . @prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:x a swrl:Variable . :y a swrl:Variable . :inverse owl:inverseOf :brother .
:rule a swrl:Imp ; rdfs:label "kin" ; swrl:body :body ; swrl:head ( :head ) .
:body a swrl:AtomList ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> :atom ;
    <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ( [ a swrl:ClassAtom ; swrl:argument1 :x ; swrl:classPredicate
    [ a owl:Class ; owl:intersectionOf ( :Person [ owl:onProperty [ owl:inverseOf :parent ] ;
      owl:someValuesFrom :Person ] ) ] ] ) .
:atom a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :brother ; swrl:argument1 :x ; swrl:argument2 :y .
:head a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :kin ; swrl:argument1 :x ; swrl:argument2 :y .
"""
ONTOLOGY = "".join(
    f'<http://example.org/C{n}> a <http://www.w3.org/2002/07/owl#Class> ; <http://example.org/note> "note {n}" ; '
    f"<{RDFS}subClassOf> <http://example.org/C{n // 2}> , [ <http://example.org/size> {n} ] .\n"
    for n in range(1, 400)
)
ONTOLOGY += f"<http://example.org/Person> <{RDFS}subClassOf> <http://example.org/C399> ."
DOCUMENTS = {"swrl": SWRL, **SHAPES}


def program(graph: RuleGraph) -> str:
    try:
        return str(program_of(graph))
    except RuleError as error:
        return f"refused: {error}"


def programs(path: Path, order: random.Random | None = None) -> tuple[str, str]:
    """The program of all triples of a file, and that of the triples that its rules reach; in another order of them."""
    dictionary, prefixes = Dictionary(), dict[str, str]()
    quads = read_files([path], dictionary, prefixes=prefixes)
    rows = list(range(len(quads)))
    if order is not None:
        order.shuffle(rows)
    quads = Quads(*(each[rows] for each in (quads.graph, quads.subject, quads.predicate, quads.object)))
    decode = dictionary.decode
    columns = (each.tolist() for each in (quads.subject, quads.predicate, quads.object))
    triples = [(decode(s), decode(p), decode(o)) for s, p, o in zip(*columns, strict=True)]
    document = RuleTriples(quads, dictionary, "data", prefixes)
    return program(RuleGraph(triples, "data", prefixes)), program(document.graph(document.nodes))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rules_are_those_of_all_triples(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(DOCUMENTS[name] + ONTOLOGY)

    for number in range(examples(4) + 1):
        whole, reached = programs(path, random.Random(number) if number else None)
        assert reached == whole
    assert name != "swrl" or "kin" in whole


def test_rules_of_an_ontology_are_those_of_all_triples() -> None:
    whole, reached = programs(unpacked("onto-owl/ro.owl.xz"))

    assert reached == whole
    assert whole.count(":-") > 5


@pytest.mark.parametrize("rules", ["none", "owl-rl", "itself"])
def test_few_rules_in_an_ontology_have_few_terms_decoded(rules: str, tmp_path: Path, decoded: list[Term]) -> None:
    path = tmp_path / "onto.ttl"
    path.write_text(SWRL + SHAPES["a shape by its name"] + ONTOLOGY)
    store = ReasoningStore(rules=path if rules == "itself" else rules)
    decoded.clear()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        store.bulk_load(path)

    assert any("do not run" in str(each.message) for each in caught) == (rules != "itself")
    assert len(decoded) < 500


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Term]]:
    """The terms that dictionaries decode, one after the other."""
    terms: list[Term] = []
    decode = DictionaryReads.decode

    def noted(self: DictionaryReads, identifier: int) -> Term:
        terms.append(decode(self, identifier))
        return terms[-1]

    monkeypatch.setattr(DictionaryReads, "decode", noted)
    return terms
