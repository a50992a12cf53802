"""The programs, in the text of clingo: variables have capital letters, the relations of `graphs` are given.

Sources: Andersen and CSPA as in the benchmarks of Souffle and of "Modern Datalog on the GPU"; same generation and
Dyck reachability as in the benchmarks of RecStep. The bound same generation is what magic sets make of a question about
one node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.rules import graphs
from tests.benchmarks.rules.graphs import Edges


@dataclass(frozen=True, slots=True)
class Program:
    """Rules, the relations that they read, and those whose facts are counted: all that they derive.

    With an `aggregate`, a function over the values of each group, which are integers and not nodes: the rule is
    ``made(X, aggregate of V) :- value(X, V)``.
    """

    text: str
    graphs: Callable[[], Mapping[str, Edges]]
    counted: tuple[str, ...]
    aggregate: str = ""


SAME_GENERATION = "sg(X,Y) :- edge(X,P), edge(Y,P). sg(X,Y) :- edge(X,A), sg(A,B), edge(Y,B)."
ANDERSEN = """
    pt(P,O) :- addr(P,O). pt(P,O) :- assign(P,Q), pt(Q,O).
    pt(P,O) :- load(P,Q), pt(Q,R), pt(R,O). pt(R,O) :- store(P,Q), pt(P,R), pt(Q,O)."""
CSPA = """
    vf(Y,X) :- assign(Y,X). vf(X,X) :- assign(X,Y). vf(X,X) :- assign(Y,X).
    ma(X,X) :- assign(Y,X). ma(X,X) :- assign(X,Y).
    vf(X,Y) :- vf(X,Z), vf(Z,Y). vf(X,Y) :- assign(X,Z), ma(Z,Y).
    va(X,Y) :- vf(Z,X), vf(Z,Y). va(X,Y) :- vf(Z,X), ma(Z,W), vf(W,Y).
    ma(X,W) :- deref(Y,X), va(Y,Z), deref(Z,W)."""
DYCK = """
    d(X,Y) :- open(X,A), close(A,Y). d(X,Y) :- open(X,A), d(A,B), close(B,Y). d(X,Z) :- d(X,Y), d(Y,Z)."""
NEGATION = """
    two(X,Z) :- edge(X,Y), edge(Y,Z). new(X,Z) :- two(X,Z), not edge(X,Z).
    n(X) :- edge(X,Y). n(Y) :- edge(X,Y). src(X) :- edge(X,Y). sink(X) :- n(X), not src(X).
    good(X,Y) :- new(X,Y), sink(Y)."""
REACH = "reach(Y) :- start(X,Y). reach(Y) :- reach(X), edge(X,Y)."
BOUND = """
    m(X) :- start(P,X). m(P) :- m(X), edge(X,P).
    sg(X,Y) :- m(X), edge(X,P), edge(Y,P). sg(X,Y) :- m(X), edge(X,A), sg(A,B), edge(Y,B)."""
STEPS = "step(X,Y,Z) :- edge(X,Y), edge(Y,Z). step(X,Y,W) :- step(X,Y,Z), edge(Z,W), step(Y,Z,W)."
FOUR_ARY = """
    walk(A,B,A,B) :- edge(A,B). walk(A,B,C,E) :- walk(A,B,C,D), edge(D,E), mark(C,E)."""

DEEP = "way(X,Y) :- start(X,Y). way(X,Z) :- way(X,Y), edge(Y,Z), open(Z,Z)."
DEEP_WIDE = "way(X,Y,L) :- start(X,Y), label(X,L). way(X,Z,L) :- way(X,Y,L), edge(Y,Z), open(Z,Z)."


def _edge(make: Callable[[], Edges]) -> Callable[[], Mapping[str, Edges]]:
    return lambda: {"edge": make()}


def _pointers() -> Mapping[str, Edges]:
    nodes = 4_000
    return {
        "addr": graphs.uniform(nodes, 900, 11),
        "assign": graphs.skewed(nodes, 2_400, 12, 1.5),
        "load": graphs.skewed(nodes, 700, 13, 1.5),
        "store": graphs.skewed(nodes, 700, 14, 1.5)[:, ::-1],
    }


def _flow() -> Mapping[str, Edges]:
    return {"assign": graphs.dataflow(3_000, 1_700, 20), "deref": graphs.uniform(3_000, 700, 15)}


def _brackets() -> Mapping[str, Edges]:
    return {"open": graphs.uniform(1_500, 2_600, 16), "close": graphs.uniform(1_500, 2_600, 17)}


def _reached() -> Mapping[str, Edges]:
    edges = graphs.r_mat(17, 1_000_000)
    return {"edge": edges, "start": edges[:1]}


def _bound() -> Mapping[str, Edges]:
    edges = graphs.recent_parents(4_000, 200)
    return {"edge": edges, "start": edges[-1:, ::-1]}


def _roads() -> Mapping[str, Edges]:
    edges = graphs.roads(150)
    return {"edge": edges, "start": edges[:1]}


def _values() -> Mapping[str, Edges]:
    return {"value": graphs.grouped(1_000_000, 100_000, 100_000)}


def _walks() -> Mapping[str, Edges]:
    return {"edge": graphs.uniform(400, 900, 18), "mark": graphs.uniform(400, 60_000, 19)}


def _path(length: int = 4_000, starts: int = 20) -> Mapping[str, Edges]:
    """A path that some nodes lead to: each round of a recursion along it finds as many facts."""
    nodes, others = np.arange(length), np.arange(length, length + starts)
    first = np.zeros(starts, dtype=np.int64)
    return {
        "edge": np.stack((nodes[:-1], nodes[1:]), axis=1),
        "open": np.stack((nodes, nodes), axis=1),
        "start": np.stack((others, first), axis=1),
    }


def _labelled_path() -> Mapping[str, Edges]:
    """The same, with one such node that has 20 labels."""
    path = _path()
    starts = path["start"]
    labels = np.stack((np.full(len(starts), starts[0, 0]), starts[:, 0]), axis=1)
    return {**path, "start": starts[:1], "label": labels}


LEFT_LINEAR = "p(X,Y) :- edge(X,Y). p(X,Z) :- p(X,Y), edge(Y,Z)."
THREE_WAY = "p(X,Y) :- edge(X,Y). p(X,W) :- p(X,Y), p(Y,Z), p(Z,W)."
TRIANGLES = "tri(X,Y,Z) :- edge(X,Y), edge(Y,Z), edge(X,Z)."
FOUR_CYCLES = "q(A,B,C,D) :- edge(A,B), edge(B,C), edge(C,D), edge(D,A)."
MEETING = "meet(A,A) :- edge(A,B), edge(B,C), edge(C,A), edge(A,D), edge(D,E), edge(E,A)."
OPPOSITE = "opposite(A,C) :- edge(A,B), edge(B,C), edge(C,D), edge(D,A)."
ON_FOUR_CYCLES = "round(A,A) :- edge(A,B), edge(B,C), edge(C,D), edge(D,A)."
BESIDE_TRIANGLES = "beside(A,E) :- edge(A,B), edge(B,C), edge(C,A), edge(A,D), edge(D,E)."

PROGRAMS: Mapping[str, Program] = {
    "same generation, acyclic": Program(SAME_GENERATION, _edge(lambda: graphs.recent_parents(4_000, 200)), ("sg",)),
    "same generation, tree": Program(SAME_GENERATION, _edge(lambda: graphs.tree(3_000, 3)), ("sg",)),
    "Andersen": Program(ANDERSEN, _pointers, ("pt",)),
    "CSPA": Program(CSPA, _flow, ("vf", "ma", "va")),
    "Dyck": Program(DYCK, _brackets, ("d",)),
    "triangles": Program(TRIANGLES, _edge(lambda: graphs.r_mat(14, 105_000)), ("tri",)),
    "four-cycles": Program(FOUR_CYCLES, _edge(lambda: graphs.r_mat(10, 10_000)), ("q",)),
    "where two triangles meet": Program(MEETING, _edge(lambda: graphs.r_mat(12, 40_000)), ("meet",)),
    "opposite ends of four-cycles": Program(OPPOSITE, _edge(lambda: graphs.r_mat(12, 40_000)), ("opposite",)),
    "on four-cycles": Program(ON_FOUR_CYCLES, _edge(lambda: graphs.r_mat(12, 40_000)), ("round",)),
    "two edges from a triangle": Program(BESIDE_TRIANGLES, _edge(lambda: graphs.r_mat(12, 40_000)), ("beside",)),
    "three-way closure": Program(THREE_WAY, _edge(lambda: graphs.uniform(700, 900)), ("p",)),
    "closure, power law": Program(LEFT_LINEAR, _edge(lambda: graphs.power_law(2_000, 1)), ("p",)),
    "closure, grid": Program(LEFT_LINEAR, _edge(lambda: graphs.grid(50)), ("p",)),
    "negation": Program(NEGATION, _edge(lambda: graphs.r_mat(13, 82_000)), ("two", "new", "n", "src", "sink", "good")),
    "reach": Program(REACH, _reached, ("reach",)),
    "reach, roads": Program(REACH, _roads, ("reach",)),
    "bound same generation": Program(BOUND, _bound, ("m", "sg")),
    "ternary": Program(STEPS, _edge(lambda: graphs.uniform(3_000, 9_000, 20)), ("step",)),
    "four-ary": Program(FOUR_ARY, _walks, ("walk",)),
    "4,000 rounds of pairs": Program(DEEP, _path, ("way",)),
    "20,000 rounds of one": Program(DEEP, lambda: _path(20_000, 1), ("way",)),
    "4,000 rounds of three": Program(DEEP_WIDE, _labelled_path, ("way",)),
    **{each: Program("", _values, ("made",), each) for each in ("count", "sum", "min", "max", "avg")},
}
