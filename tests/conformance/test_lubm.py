"""LUBM: program L's inferences, and the 14 queries over the closure of LUBM(10,0) under OWL 2 RL."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from rdflib import RDF, Graph, Variable
from rdflib.namespace import NamespaceManager
from rdflib.term import Node
from rdflib.util import from_n3

from kgreason import ReasoningStore
from kgreason.io.readers import read_files
from kgreason.store.knowledge_base import KnowledgeBase
from tests.shared_data import shared, unpacked

pytestmark = pytest.mark.slow

COUNTS = (4, 28, 6, 34, 719, 99566, 67, 7790, 2540, 4, 224, 15, 33, 75547)
# Joins in Python take so long that two of them are for the thorough profile.
AS_PATTERNS = [pytest.param(2, marks=pytest.mark.thorough), 8, pytest.param(9, marks=pytest.mark.thorough)]
PREFIXES = """PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
"""


def test_program_l_adds_exactly_37388_triples() -> None:
    base = KnowledgeBase(shared("lubm/rules/LUBM_L.rdfox.dlog"))
    base.add_quads(read_files([unpacked("lubm/lubm1.nt.bz2")], base.dictionary, format="nt"))
    assert len(base.inferred()) == 37_388
    base._check()


@pytest.fixture(scope="module")
def lubm10() -> Graph:
    store = ReasoningStore(rules="owl-rl")
    store.bulk_load(unpacked("lubm/lubm10.nt.bz2"), format="nt")
    store.bulk_load(shared("lubm/univ-bench.owl"))
    return Graph(store=store)


def pattern(number: int) -> str:
    """Query `number` of the shared file, whose lines are ``Qn`` and a basic graph pattern."""
    lines = shared("lubm/queries.sparql.txt").read_text().splitlines()
    (found,) = [line.partition(" ")[2] for line in lines if line.split(" ")[0] == f"Q{number}"]
    return found


def ordered(atoms: list[str]) -> list[str]:
    """Properties first, those with a constant before others, each sharing a variable with one before it."""

    def variables(atom: str) -> set[str]:
        return set(re.findall(r"\?\w+", atom))

    rest = sorted(atoms, key=lambda atom: (" a " in atom, len(variables(atom))))
    found = [rest.pop(0)]
    while rest:
        bound = set().union(*map(variables, found))
        found.append(rest.pop(next((i for i, atom in enumerate(rest) if variables(atom) & bound), 0)))
    return found


@pytest.mark.parametrize("number", range(1, 15))
def test_query_as_sparql(lubm10: Graph, number: int) -> None:
    assert len(lubm10.query(f"{PREFIXES} SELECT * WHERE {{ {pattern(number)} }}")) == COUNTS[number - 1]


@pytest.mark.parametrize("number", AS_PATTERNS)
def test_query_as_triple_patterns(lubm10: Graph, number: int) -> None:
    names = lubm10.namespace_manager
    names.bind("ub", "http://swat.cse.lehigh.edu/onto/univ-bench.owl#", override=True)
    parts = [atom.split() for atom in ordered(pattern(number).split(" . "))]
    terms = [[term(part, names) for part in atom] for atom in parts]
    assert sum(1 for _ in solutions(lubm10, terms, {})) == COUNTS[number - 1]


def term(text: str, names: NamespaceManager) -> Node:
    if text.startswith("?"):
        return Variable(text[1:])
    return RDF.type if text == "a" else from_n3(text, nsm=names)


def solutions(graph: Graph, atoms: list, binding: dict) -> Iterator[dict]:
    """Index joins over `graph.triples`, in the order of the atoms."""
    if not atoms:
        yield binding
        return
    wanted = [binding.get(part, part) for part in atoms[0]]
    for triple in graph.triples(tuple(None if isinstance(part, Variable) else part for part in wanted)):
        found = dict(binding)
        found.update((part, value) for part, value in zip(wanted, triple, strict=True) if isinstance(part, Variable))
        yield from solutions(graph, atoms[1:], found)


@pytest.mark.parametrize("number", range(1, 15))
def test_query_as_rule(lubm10: Graph, number: int) -> None:
    """The same pattern as the body of a rule: its answers are the facts of an auxiliary relation."""
    atoms = ["[" + ", ".join(part.split()) + "]" for part in pattern(number).split(" . ")]
    variables = sorted(set(re.findall(r"\?\w+", pattern(number))))
    rule = f"{PREFIXES} answer({', '.join(variables)}) :- {', '.join(atoms)} ."
    store = lubm10.store
    assert isinstance(store, ReasoningStore)
    store.add_rules(rule)
    (answers,) = [entry.facts for entry in store.statistics().relations if entry.name == "answer"]
    store.remove_rules(rule)
    assert answers == COUNTS[number - 1]
