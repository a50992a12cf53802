"""What is measured: knowledge bases, the module of the engine that they are about, and which facts go and come."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF_TYPE, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks import restrictions
from tests.benchmarks.changes import constructs, shapes
from tests.benchmarks.changes import triples as of
from tests.benchmarks.changes.triples import Quad, Triple, base_of
from tests.benchmarks.closure_contestants import load_edges
from tests.benchmarks.equality import Workload, equal_classes, equal_properties, linked
from tests.benchmarks.latency import lubm
from tests.benchmarks.random_graphs import Keys, categories
from tests.benchmarks.rules import graphs
from tests.benchmarks.rules.contestants import knowledge_base
from tests.benchmarks.rules.programs import LEFT_LINEAR, PROGRAMS, SAME_GENERATION, Program
from tests.shared_data import unpacked

Groups: TypeAlias = Mapping[str, Sequence[Quad]]
Make: TypeAlias = Callable[[], KnowledgeBase]
Choose: TypeAlias = Callable[[KnowledgeBase, Random, int], Groups]

UB: Final = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
SKOS_BROADER: Final = "http://www.w3.org/2004/02/skos/core#broader"
EACH: Final = 20
"""So many triples of each predicate, and of each class."""


@dataclass(frozen=True, slots=True)
class Case:
    """The module that a case is about, a knowledge base of which nothing is derived yet, and the facts that change.

    Of the groups that are chosen by predicate and class, the `slowest` are shown.
    """

    module: str
    make: Make
    choose: Choose
    slowest: int | None = None


def explicit(base: KnowledgeBase) -> dict[int, list[Quad]]:
    """The explicit triples of the default graph, by predicate."""
    found: dict[int, list[Quad]] = {}
    for chunk in base.explicit().match(None, None, None):
        for subject, predicate, object in zip(*(column.tolist() for column in chunk), strict=True):
            found.setdefault(predicate, []).append((DEFAULT_GRAPH, subject, predicate, object))
    return found


def any_triples(base: KnowledgeBase, random: Random, count: int) -> Groups:
    """Random explicit triples."""
    quads = [quad for each in explicit(base).values() for quad in each]
    return {"": random.sample(quads, min(count, len(quads)))}


def of_each(base: KnowledgeBase, random: Random, count: int) -> Groups:
    """Random triples of each predicate of the data, and of each class."""
    triples = explicit(base)
    types = triples.pop(base.dictionary.encode(IRI(RDF_TYPE)))
    groups = {str(base.dictionary.decode(predicate)): quads for predicate, quads in triples.items()}
    for quad in types:
        groups.setdefault(f"a {base.dictionary.decode(quad[3])}", []).append(quad)
    ours = {name.replace(UB, "").strip("<>"): quads for name, quads in groups.items() if UB in name}
    return {name: random.sample(quads, min(EACH, len(quads))) for name, quads in ours.items()}


def axioms(base: KnowledgeBase, random: Random, count: int) -> Groups:
    """Axioms that are not there."""
    encode = base.dictionary.encode
    transitive, symmetric = (encode(IRI(OWL + name)) for name in ("TransitiveProperty", "SymmetricProperty"))
    below_class, below_property = (encode(IRI(RDFS + name)) for name in ("subClassOf", "subPropertyOf"))
    type_id, same = encode(IRI(RDF_TYPE)), encode(IRI(OWL + "sameAs"))
    own = {name: encode(IRI(UB + name)) for name in ("takesCourse", "memberOf", "Publication", "GraduateStudent")}
    other = encode(IRI("http://example.org/other"))
    students = [quad[1] for quad in explicit(base)[type_id] if quad[3] == own["GraduateStudent"]]
    pairs = [random.sample(students, 2) for _ in range(5)]
    return {
        "takesCourse below another property": [(DEFAULT_GRAPH, own["takesCourse"], below_property, other)] * 3,
        "takesCourse below rdf:type": [(DEFAULT_GRAPH, own["takesCourse"], below_property, type_id)],
        "memberOf transitive": [(DEFAULT_GRAPH, own["memberOf"], type_id, transitive)] * 3,
        "takesCourse symmetric": [(DEFAULT_GRAPH, own["takesCourse"], type_id, symmetric)] * 3,
        "Publication below another class": [(DEFAULT_GRAPH, own["Publication"], below_class, other)] * 3,
        "two students the same": [(DEFAULT_GRAPH, one, same, two) for one, two in pairs],
    }


def lubm_base() -> KnowledgeBase:
    """LUBM(10,0) under OWL 2 RL."""
    return lubm(10).knowledge_base


def closure(keys: Callable[[], Keys], rules: str, predicate: str) -> KnowledgeBase:
    """A graph under rules that close it."""
    base = KnowledgeBase(rules)
    load_edges(base, keys(), predicate)
    return base


NONLINEAR: Final = "p(X,Y) :- edge(X,Y). p(X,Z) :- p(X,Y), p(Y,Z)."
MUTUAL: Final = f"{NONLINEAR} both(X,Y) :- p(X,Y), p(Y,X)."
SYMMETRIC: Final = f"{NONLINEAR} p(X,Y) :- p(Y,X)."
FED: Final = f"{NONLINEAR} edge2(X,Y) :- p(X,Z), mark(Z,Y). p(X,Y) :- edge2(X,Y)."
NEGATED: Final = f"{NONLINEAR} node(X) :- edge(X,Y). node(Y) :- edge(X,Y). apart(X,Y) :- node(X), node(Y), not p(X,Y)."
RESTRICTED: Final = """
    [?x, <http://e/p>, ?y] :- [?x, <http://e/edge>, ?y] .
    [?x, <http://e/p>, ?z] :- [?x, <http://e/p>, ?y], [?y, <http://e/p>, ?z], ?x != ?z ."""
TWO_EDGES: Final = "way(X,Y,Z) :- edge(X,Y), edge(Y,Z)."
MARKS: Final = partial(graphs.uniform, 2_000, 100)
EVEN_AND_ODD: Final = """
    odd(X,Y) :- edge(X,Y). even(X,Z) :- odd(X,Y), edge(Y,Z). odd(X,Z) :- even(X,Y), edge(Y,Z)."""
COUNTED_GENERATION: Final = """
    sg(?x, ?y) :- [?x, <http://e/edge>, ?p], [?y, <http://e/edge>, ?p] .
    sg(?x, ?y) :- [?x, <http://e/edge>, ?a], sg(?a, ?b), [?y, <http://e/edge>, ?b] .
    peers(?x, #count(?y)) :- sg(?x, ?y) .
    most(#max(?n)) :- peers(?x, ?n) ."""
COUNTED_SOURCES: Final = """
    p(?x, ?y) :- [?x, <http://e/edge>, ?y] .
    p(?x, ?z) :- p(?x, ?y), p(?y, ?z) .
    sources(?y, #count(?x)) :- p(?x, ?y) ."""
WIDE: Final[Mapping[str, str]] = {
    "two edges through a hub": TWO_EDGES,
    "their ends": f"{TWO_EDGES} end(X,Z) :- way(X,Y,Z).",
    "their middles": f"{TWO_EDGES} middle(Y) :- way(X,Y,Z).",
    "their ends looked up": f"{TWO_EDGES} next(X,W) :- way(X,Y,Z), mark(Z,W).",
    "their ends denied": f"{TWO_EDGES} other(X,Y,Z) :- way(X,Y,Z), not mark(X,Z).",
}
AGGREGATES: Final = """
    @prefix e: <http://example.org/> .
    within(?x, ?g) :- [?x, e:in, ?g] .
    within(?x, ?g) :- within(?x, ?h), [?h, e:part, ?g] .
    total(?g, #sum(?v, ?x), #max(?v)) :- within(?x, ?g), [?x, e:value, ?v] .
    members(?g, #count(?x)) :- within(?x, ?g) .
    large(?g) :- members(?g, ?n), ?n > 100 ."""


def _of_graph(text: str, edges: Callable[[], graphs.Edges], **others: Callable[[], graphs.Edges]) -> Make:
    relations = {"edge": edges, **others}
    return lambda: knowledge_base(Program(text, dict, ()), {name: make() for name, make in relations.items()})


def _of_program(name: str) -> Make:
    return lambda: knowledge_base(PROGRAMS[name], PROGRAMS[name].graphs())


def _of_rules(text: str, edges: Callable[[], graphs.Edges]) -> Make:
    edge = IRI("http://e/edge")
    return lambda: base_of(text, ((IRI(f"http://e/n{a}"), edge, IRI(f"http://e/n{b}")) for a, b in edges().tolist()))


def _of_triples(rules: str, make: Callable[[], Iterable[Triple]]) -> Make:
    return lambda: base_of(rules, dict.fromkeys(make()))


def _owl(make: Callable[[], Iterable[Triple]]) -> Make:
    return _of_triples("owl-rl", make)


def _linked(make: Callable[[], Workload]) -> Make:
    def triples() -> Iterable[Triple]:
        workload = make()
        return [*workload.links, *workload.facts]

    return _owl(triples)


def _of_file(name: str) -> Make:
    def make() -> KnowledgeBase:
        base = KnowledgeBase("owl-rl")
        base.add_quads(read_files([unpacked(name)], base.dictionary))
        return base

    return make


def _like_galen(classes: int) -> KnowledgeBase:
    base = KnowledgeBase("owl-rl")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ontology.nt"
        path.write_text("".join(restrictions.ontology(classes)))
        base.add_quads(read_files([path], base.dictionary))
    return base


CATEGORIES: Final = partial(closure, lambda: categories(200_000), "skos", SKOS_BROADER)

CLOSURES: Final[Mapping[str, Callable[[], graphs.Edges]]] = {
    "path of 20,000": partial(shapes.path, 20_000),
    "grid of 50 by 50": partial(graphs.grid, 50),
    "layers of 100 nodes": partial(shapes.layers, 60, 100),
    "comb of 10,000": partial(shapes.comb, 10_000),
    "circle of 20,000": partial(shapes.circle, 20_000),
    "ladder of 5,000": partial(shapes.ladder, 5_000),
    "hubs": partial(shapes.hubs, 20_000, 20),
    "bipartite": partial(shapes.bipartite, 3_000, 60_000),
    "tree": partial(graphs.tree, 50_000, 3),
    "dense component": partial(graphs.uniform, 3_000, 60_000),
    "sparse": partial(graphs.uniform, 20_000, 24_000),
    "power law": partial(graphs.power_law, 2_000, 1),
    "R-MAT": partial(graphs.r_mat, 14, 60_000),
}
SPARSE: Final = partial(graphs.uniform, 3_000, 5_000)

MODULES: Final[Mapping[str, Mapping[str, Make]]] = {
    "seminaive": {
        **{name: _of_program(name) for name in PROGRAMS if not name.startswith(("closure", "negation", "same"))},
        **{
            f"rows of three: {name}": _of_graph(text, partial(shapes.star, 2_000), mark=MARKS)
            for name, text in WIDE.items()
        },
        "same generation, tree": _of_program("same generation, tree"),
        "even and odd paths": _of_graph(EVEN_AND_ODD, partial(graphs.uniform, 800, 1_100)),
        "same generation, acyclic": _of_graph(SAME_GENERATION, partial(graphs.recent_parents, 1_000, 100)),
    },
    "negation": {
        "negation": _of_program("negation"),
        "closure and what is not in it": _of_graph(NEGATED, partial(shapes.path, 700)),
    },
    "aggregates": {
        "aggregates over a closure": _of_triples(AGGREGATES, partial(of.measured, 300, 100)),
        "numbers of the same generation": _of_rules(COUNTED_GENERATION, partial(graphs.tree, 2_000, 3)),
        "numbers of sources": _of_rules(COUNTED_SOURCES, partial(graphs.uniform, 3_000, 4_500)),
    },
    "closure": {
        "200,000 categories under SKOS": CATEGORIES,
        **{f"closure, {name}": _of_graph(LEFT_LINEAR, edges) for name, edges in CLOSURES.items()},
    },
    "closure part": {
        "closure that feeds itself": _of_graph(
            FED, partial(shapes.path, 2_000), mark=partial(graphs.uniform, 2_000, 100, 9)
        ),
        "path of 2,000 classes": _owl(partial(of.in_a_row, of.SUBCLASS, 2_000)),
    },
    "restricted closure": {
        "restricted, circle of 3,000": _of_rules(RESTRICTED, partial(shapes.circle, 3_000)),
        "restricted, sparse": _of_rules(RESTRICTED, SPARSE),
    },
    "mutual": {
        "mutual, sparse": _of_graph(MUTUAL, SPARSE),
        "circle of 2,000 classes": _owl(partial(of.around, of.SUBCLASS, 2_000)),
        "2,000 equivalent classes": _owl(partial(of.in_a_row, of.EQUIVALENT, 2_000)),
        "circle of 2,000 subproperties": _owl(partial(of.around, of.SUBPROPERTY, 2_000)),
        "circle of 2,000 inverses": _owl(partial(of.around, of.INVERSE, 2_000)),
    },
    "equivalence": {
        "exact matches": _of_triples("skos", partial(of.mapped_concepts, 20, 500)),
        "symmetric closure, sparse": _of_graph(SYMMETRIC, partial(graphs.uniform, 20_000, 15_000)),
        "symmetric closure, path": _of_graph(SYMMETRIC, partial(shapes.path, 20_000)),
    },
    "equality": {
        "sameAs, chain of 2,000": _linked(partial(linked, 1, 2_000, 1)),
        "sameAs, clique of 2,000": _linked(partial(linked, 1, 2_000, 1, True)),
        "sameAs, 10 cliques of 1,000": _linked(partial(linked, 10, 1_000, 50, True)),
        "500 equal classes": _linked(partial(equal_classes, 500)),
        "2,000 equal properties": _linked(partial(equal_properties, 2_000)),
        "functional property, chain of 3,000": _owl(partial(of.functional_chain, 3_000)),
        "key of 4,000 things": _owl(partial(of.keyed, 4_000)),
    },
    "chain": {
        "property chains": _owl(partial(of.chains_of_properties, 30, 2_000, 20_000)),
        "Relations Ontology": _of_file("onto-owl/ro.owl.xz"),
    },
    "union": {"properties and inverses": _owl(partial(of.properties_and_inverses, 500, 100))},
    "steps": {
        "Sequence Ontology": _of_file("onto-owl/so_obo.owl.xz"),
        "4,600 classes like GALEN's": partial(_like_galen, 4_600),
        **{
            f"1,000 classes by {kind}": _owl(partial(of.classes_of_restrictions, 1_000, kind))
            for kind in ("someValuesFrom", "allValuesFrom", "hasValue")
        },
    },
    "lists": {
        f"500 classes by {kind}": _owl(partial(of.classes_of_lists, 500, kind, 6))
        for kind in ("intersectionOf", "unionOf")
    },
    "constructs": {
        f"{name}, {size:,} axioms": partial(constructs.ontology, name, size)
        for name in constructs.ONTOLOGIES
        for size in (1_000, 4_000)
    },
}

CASES: Final[Mapping[str, Case]] = {
    "LUBM(10,0), random triples": Case("all", lubm_base, any_triples),
    "LUBM(10,0), each predicate and class": Case("all", lubm_base, of_each, slowest=3),
    "LUBM(10,0), axioms": Case("all", lubm_base, axioms),
    **{name: Case(module, make, any_triples) for module, each in MODULES.items() for name, make in each.items()},
}
