"""What the maintenance benchmarks reason over: the workloads of Hu et al. 2019, made from a seed or from shared data.

The programs of LUBM and Claros are the lower bound extended ones. VLog's files keep each predicate of a triple
as an auxiliary relation that begins as its copy, and axiomatise equality by replacement; the paper's counts of
rules are those without either, so that both are taken out here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, cast

import numpy as np

from kgreason.algebra.expressions.tree import Variable
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.quads import Quads
from kgreason.io.readers import read_files
from kgreason.program.parser import parse_file
from kgreason.program.rules import Atom, FactAtom, Program, Rule, TripleAtom
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF_TYPE, SKOS
from kgreason.store.knowledge_base import DEFAULT_GRAPH
from kgreason.store.rule_sets import resolve_rules
from tests.benchmarks.claros import claros_triples
from tests.benchmarks.random_graphs import Keys, categories, random_dag
from tests.shared_data import shared, unpacked

Load: TypeAlias = Callable[[Dictionary], Quads]

SAME_AS = IRI("http://www.w3.org/2002/07/owl#sameAs")
EDGE, PATH = "http://e/edge", "http://e/path"
DAG_RULES = f"[?x, <{PATH}>, ?y] :- [?x, <{EDGE}>, ?y] . [?x, <{PATH}>, ?z] :- [?x, <{PATH}>, ?y], [?y, <{PATH}>, ?z] ."
LABEL = SKOS + "prefLabel"


@dataclass(frozen=True, slots=True)
class Workload:
    """Rules and the explicit triples below them, and under which name Hu et al. 2019 has them."""

    paper: str
    rules: Callable[[], Program]
    load: Load


@dataclass(frozen=True, slots=True)
class Published:
    """How many times faster the modular algorithms were than their baselines, in tables 1 and 2 of Hu et al. 2019."""

    materialisation: float
    small_deletions: float
    small_insertions: float
    large_deletions: float


PAPER = {
    "Claros-LE": Published(3593.32 / 733.55, 1035.28 / 0.93, 0.80 / 0.17, 3616.93 / 314.33),
    "LUBM-LE": Published(1100.22 / 291.90, 3.87 / 0.32, 0.01 / 0.01, 1369.77 / 182.93),
    "DBpedia-SKOS": Published(3623.37 / 103.23, 691.32 / 21.77, 2.78 / 0.20, 3826.87 / 111.28),
    "DAG-R": Published(3238.86 / 29.60, 3005.11 / 64.92, 116.78 / 14.56, 4316.71 / 62.48),
}


# -- programs -------------------------------------------------------------------------------------------------------


def over_triples(program: Program) -> Program:
    """A program of VLog's with its copies of predicates put back as triples, and without rules on equal terms."""
    copied = {_copy(rule)[0]: _copy(rule)[1] for rule in program.rules if _is_copy(rule)}

    def put_back(atom: Atom) -> Atom:
        if isinstance(atom, TripleAtom):
            return atom
        variables, triple = copied[atom.name]
        values = dict(zip(variables, atom.arguments, strict=True))
        parts = (values.get(part, part) if isinstance(part, Variable) else part for part in triple.arguments)
        return TripleAtom(*parts)

    rules = []
    for rule in program.rules:
        if not _is_copy(rule):
            heads = tuple(map(put_back, rule.heads))
            body = tuple(put_back(cast(Atom, atom)) for atom in rule.body)
            if SAME_AS not in (atom.predicate for atom in body if isinstance(atom, TripleAtom)):
                rules.append(replace(rule, heads=heads, body=body))
    return Program(tuple(rules), program.prefixes)


def _is_copy(rule: Rule) -> bool:
    return len(rule.body) == 1 and isinstance(rule.body[0], TripleAtom)


def _copy(rule: Rule) -> tuple[str, tuple[tuple[Variable, ...], TripleAtom]]:
    """The name of the auxiliary relation, its variables, and the triple that it copies."""
    head, body = rule.heads[0], rule.body[0]
    assert isinstance(head, FactAtom)
    assert isinstance(body, TripleAtom)
    return head.name, (cast(tuple[Variable, ...], head.arguments), body)


def lubm_rules() -> Program:
    """LUBM's lower bound extended: 107 rules, one transitive relation, and two symmetric and transitive ones."""
    return over_triples(parse_file(shared("lubm/rules/LUBM_LE.dlog")))


def claros_rules() -> Program:
    """Claros' lower bound extended: 27 transitive relations, and two symmetric and transitive ones."""
    return over_triples(parse_file(unpacked("datalog-programs/Claros_LE.dlog.xz")))


# -- triples --------------------------------------------------------------------------------------------------------


def lubm(size: int) -> Load:
    """LUBM(size,0) without its ontology."""
    return lambda dictionary: read_files([unpacked(f"lubm/lubm{size}.nt.bz2")], dictionary, format="nt")


def edges(keys: Callable[[], Keys], predicate: str) -> Load:
    """The edges of a graph as triples of one predicate."""

    def load(dictionary: Dictionary) -> Quads:
        made = keys()
        ends = (made >> np.uint64(32)).astype(np.int64), (made & np.uint64(0xFFFFFFFF)).astype(np.int64)
        nodes = encoded(dictionary, (IRI(f"http://e/n{node}") for node in range(int(max(map(np.max, ends))) + 1)))
        predicates = np.full(len(made), dictionary.encode(IRI(predicate)), dtype=np.uint32)
        return Quads(np.full(len(made), DEFAULT_GRAPH, dtype=np.uint32), nodes[ends[0]], predicates, nodes[ends[1]])

    return load


def concepts(count: int, keys: Callable[[], Keys]) -> Load:
    """A category graph as DBpedia gives it: each category is a concept, with a label and its broader ones."""

    def load(dictionary: Dictionary) -> Quads:
        broader = edges(keys, SKOS + "broader")(dictionary)
        nodes = encoded(dictionary, (IRI(f"http://e/n{node}") for node in range(count)))
        labels = encoded(dictionary, (Literal(f"category {node}", None, "en") for node in range(count)))
        types = np.full(count, dictionary.encode(IRI(SKOS + "Concept")), dtype=np.uint32)
        predicates = np.repeat([dictionary.encode(IRI(name)) for name in (RDF_TYPE, LABEL)], count)
        graphs = np.full(2 * count + len(broader), DEFAULT_GRAPH, dtype=np.uint32)
        return Quads(
            graphs,
            np.concatenate((broader.subject, nodes, nodes)),
            np.concatenate((broader.predicate, predicates.astype(np.uint32))),
            np.concatenate((broader.object, types, labels)),
        )

    return load


def claros(components: int, smallest: int, largest: int) -> Load:
    """Objects, documents and places, of which `components` groups come to be related to each other."""

    def load(dictionary: Dictionary) -> Quads:
        triples = claros_triples(components, smallest, largest)
        columns = (encoded(dictionary, map(IRI, column)) for column in zip(*triples, strict=True))
        return Quads(np.full(len(triples), DEFAULT_GRAPH, dtype=np.uint32), *columns)

    return load


def encoded(dictionary: Dictionary, terms: Iterable[Term]) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """The ids of terms."""
    return np.fromiter(map(dictionary.encode, terms), dtype=np.uint32)


def _dag(nodes: int, count: int) -> Workload:
    return Workload("DAG-R", lambda: resolve_rules(DAG_RULES), edges(lambda: random_dag(nodes, count), EDGE))


def _skos(count: int) -> Workload:
    return Workload("DBpedia-SKOS", lambda: resolve_rules("skos"), concepts(count, lambda: categories(count)))


def _sparse_skos(count: int) -> Workload:
    """Fewer edges, as in the paper's sample of a twentieth of DBpedia: cycles that all reach are fewer."""
    keys = partial(categories, count, more=(0.2,), back=0.005)
    return Workload("DBpedia-SKOS", lambda: resolve_rules("skos"), concepts(count, keys))


WORKLOADS: dict[str, Workload] = {
    "LUBM(1,0)": Workload("LUBM-LE", lubm_rules, lubm(1)),
    "LUBM(10,0)": Workload("LUBM-LE", lubm_rules, lubm(10)),
    "1,000 categories": _skos(1_000),
    "20,000 categories, sparse": _sparse_skos(20_000),
    "3,000 categories": _skos(3_000),
    "20,000 categories": _skos(20_000),
    "DAG, 500 nodes, 2,500 edges": _dag(500, 2_500),
    "DAG, 4,000 nodes, 20,000 edges": _dag(4_000, 20_000),
    "DAG, 10,000 nodes, 100,000 edges": _dag(10_000, 100_000),
    "5 groups of 20 to 60 places": Workload("Claros-LE", claros_rules, claros(5, 20, 60)),
    "20 groups of 50 to 200 places": Workload("Claros-LE", claros_rules, claros(20, 50, 200)),
    "4 groups of 400 places": Workload("Claros-LE", claros_rules, claros(4, 400, 400)),
    "20 groups of 100 to 1,000 places": Workload("Claros-LE", claros_rules, claros(20, 100, 1_000)),
}
