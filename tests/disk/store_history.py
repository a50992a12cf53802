"""A known random history of a store: what each step changes, and what there is after it, without a disk.

Steps change triples, named graphs, prefixes and rules, one in five many triples; each has a triple that says its
number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rdflib import OWL, RDF, RDFS, SKOS, Dataset, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID as DEFAULT

from kgreason import ReasoningStore
from kgreason.program.rules import Rule
from kgreason.store.knowledge_base import DEFAULT_GRAPH
from tests.facade import Triple, triples

EX = Namespace("http://example.org/")
NUMBER, BULK = EX.number, EX.bulk
OPTIONAL_RULES = (
    "@prefix ex: <http://example.org/> . ex:gp(?x, ?z) :- ex:p0(?x, ?y), ex:p1(?y, ?z) .",
    "@prefix ex: <http://example.org/> . ex:lonely(?x) :- ex:C0(?x), ~ex:C1(?x) .",
    "@prefix ex: <http://example.org/> . ex:reach(?x, ?y) :- ex:p2(?x, ?y) . "
    "ex:reach(?x, ?z) :- ex:reach(?x, ?y), ex:reach(?y, ?z) .",
)
_CLASSES = [EX[f"C{number}"] for number in range(6)]
_NODES = [EX[f"n{number}"] for number in range(30)]
_PROPERTIES = [EX[f"p{number}"] for number in range(4)]
_GRAPHS = [DEFAULT, DEFAULT, DEFAULT, EX.g0, EX.g1]
_EMPTY = [EX[f"empty{number}"] for number in range(3)]
_PREFIXES = [f"v{number}" for number in range(3)]
_MOST = 150

Quad = tuple[Any, Any, Any, URIRef]


@dataclass(frozen=True, slots=True)
class State:
    """What a store was told: quads, empty named graphs, those of the optional rules that are in use, prefixes."""

    quads: frozenset[Quad] = frozenset()
    graphs: frozenset[URIRef] = frozenset()
    rules: frozenset[str] = frozenset()
    prefixes: frozenset[tuple[str, URIRef]] = frozenset()


@dataclass(slots=True)
class History:
    """The steps of a seed, from 0 on."""

    seed: int
    _states: list[State] = field(default_factory=list)

    def state(self, step: int) -> State:
        """What there is after a step; -1 for before the first."""
        while len(self._states) <= step:
            number = len(self._states)
            before = self._states[-1] if number else State()
            self._states.append(_next(before, number, random.Random(f"{self.seed} {number}")))
        return self._states[step] if step >= 0 else State()


def _next(before: State, step: int, chance: random.Random) -> State:
    known = sorted(quad for quad in before.quads if quad[1] not in (NUMBER, BULK))
    gone = chance.sample(known, min(len(known), chance.choice([0, 1, 3, max(0, len(known) - _MOST)])))
    come = {_quad(chance, step) for _ in range(chance.choice([1, 1, 2, 5, 40]))}
    numbered = (EX.victim, NUMBER, Literal(step), DEFAULT)
    kept = {quad for quad in before.quads if quad[1] not in (NUMBER, BULK)}.difference(gone)
    if step % 5 == 3:
        come |= {(EX[f"b{number}"], BULK, EX[f"b{number}-{step}"], EX.g1) for number in range(300)}
    graphs, rules, prefixes = before.graphs, before.rules, dict(before.prefixes)
    if chance.random() < 0.15:
        graphs = graphs ^ {chance.choice(_EMPTY)}
    if chance.random() < 0.15:
        rules = rules ^ {chance.choice(OPTIONAL_RULES)}
    if chance.random() < 0.15:
        prefixes[chance.choice(_PREFIXES)] = EX[f"v{step}/"]
    return State(frozenset(kept | come | {numbered}), graphs, rules, frozenset(prefixes.items()))


def _quad(chance: random.Random, step: int) -> Quad:
    graph = chance.choice(_GRAPHS)
    node, other, prop = chance.choice(_NODES), chance.choice(_NODES), chance.choice(_PROPERTIES)
    match chance.randrange(12):
        case 0:
            return chance.choice(_CLASSES), RDFS.subClassOf, chance.choice(_CLASSES), graph
        case 1:
            return prop, RDF.type, OWL[chance.choice(["TransitiveProperty", "SymmetricProperty"])], graph
        case 2 | 3:
            return node, RDF.type, chance.choice(_CLASSES), graph
        case 4:
            return EX[f"new{step}-{chance.randrange(300)}"], prop, node, graph
        case 5:
            return (node, OWL.sameAs, other, graph) if chance.random() < 0.2 else (node, SKOS.broader, other, graph)
        case 6:
            text = chance.choice(["a", '"\n\\', "\U0010fffd", "é" * 300])
            return node, EX.label, Literal(text, lang=chance.choice([None, "en"])), graph
    return node, prop, other, graph


def apply(store: ReasoningStore, before: State, after: State) -> None:
    """Change a store from one state to another."""
    dataset = Dataset(store=store)
    for subject, predicate, object_, name in before.quads - after.quads:
        dataset.graph(name).remove((subject, predicate, object_))
    dataset.addN((s, p, o, dataset.graph(name)) for s, p, o, name in sorted(after.quads - before.quads))
    for name in before.graphs - after.graphs:
        dataset.remove_graph(dataset.graph(name))
    for name in after.graphs - before.graphs:
        dataset.graph(name)
    for rule in sorted(before.rules - after.rules):
        store.remove_rules(rule)
    for rule in sorted(after.rules - before.rules):
        store.add_rules(rule)
    for prefix, namespace in sorted(after.prefixes - before.prefixes):
        store.bind(prefix, namespace)


@dataclass(frozen=True, slots=True)
class Shown:
    """All that a store shows."""

    quads: frozenset[tuple[str, ...]]
    closure: frozenset[Triple]
    graphs: frozenset[URIRef]
    prefixes: frozenset[tuple[str, URIRef]]
    rules: dict[Rule, int]


def shown(store: ReasoningStore) -> Shown:
    """What a store shows, after a look at the invariants of all that is in it."""
    base = store.knowledge_base
    base._check()
    closure = triples(base, base.all())
    quads = frozenset(
        (str(graph), *map(str, triple)) for graph in base.graphs() for triple in triples(base, base.graph(graph))
    )
    names = {str(graph): "" if graph == DEFAULT_GRAPH else base.dictionary.key(graph) for graph in base.graphs()}
    return Shown(
        frozenset((names[graph], *rest) for graph, *rest in quads),
        frozenset(closure),
        frozenset(graph.identifier for graph in store.contexts() if graph.identifier in _EMPTY),
        frozenset((prefix, name) for prefix, name in store.namespaces() if prefix in _PREFIXES),
        base.rules,
    )


@cache
def expected(seed: int, step: int) -> Shown:
    """What a store shows after a step that had it all at once, and never saw a disk."""
    store = ReasoningStore()
    apply(store, State(), history(seed).state(step))
    return shown(store)


@cache
def history(seed: int) -> History:
    """The history of a seed."""
    return History(seed)


def step_of(store: ReasoningStore) -> int:
    """The last step that a store has, -1 for none."""
    found = [int(number) for _, _, number in store.explicit.triples((EX.victim, NUMBER, None))]
    assert len(found) < 2, "a step was committed in part"
    return found[0] if found else -1
