"""How many strata a program has, and how many of its rules are recursive: the columns of table 1 of Hu et al. 2019."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import FactAtom, Program, Rule, TripleAtom
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE

Relation: TypeAlias = tuple[str, str]


def shape_of(program: Program) -> dict[str, float]:
    """Strata that have rules, nonrecursive rules and recursive rules; integrity conditions and lists do not count."""
    rules = [(relation, list(_relations(rule.body))) for rule in program.rules for relation in _relations(rule.heads)]
    names = sorted({name for head, body in rules for name in (head, *body)})
    numbers = {name: number for number, name in enumerate(names)}
    links = {(numbers[name], numbers[head]) for head, body in rules for name in body}
    component = _components(len(names), links)
    recursive = sum(component[numbers[head]] in {component[numbers[name]] for name in body} for head, body in rules)
    levels = _levels({(component[source], component[target]) for source, target in links})
    return {"strata": levels, "nonrecursive": len(rules) - recursive, "recursive": recursive}


def is_recursive(rule: Rule) -> bool:
    """Whether a rule by itself derives from what it derives."""
    return bool(set(_relations(rule.heads)) & set(_relations(rule.body)))


def _relations(atoms: tuple[Any, ...]) -> Iterator[Relation]:
    """The relation of each atom: a property, a class, or an auxiliary one."""
    for atom in atoms:
        if isinstance(atom, FactAtom):
            yield "auxiliary", atom.name
        elif isinstance(atom, TripleAtom) and not isinstance(atom.predicate, Variable):
            typed = atom.predicate == IRI(RDF_TYPE) and not isinstance(atom.object, Variable)
            yield ("class", str(atom.object)) if typed else ("property", str(atom.predicate))


def _components(count: int, links: set[tuple[int, int]]) -> list[int]:
    sources, targets = np.array(sorted(links)).T
    matrix = csr_array((np.ones(len(sources)), (sources, targets)), shape=(count, count))
    found: list[int] = connected_components(matrix, connection="strong")[1].tolist()
    return found


def _levels(links: set[tuple[int, int]]) -> int:
    """The number of links on the longest way through different components, or one for a program without any."""
    height: dict[int, int] = {}
    links = {(source, target) for source, target in links if source != target}
    more = True
    while more:
        more = False
        for source, target in links:
            if height.get(target, 0) < height.get(source, 0) + 1:
                height[target], more = height.get(source, 0) + 1, True
    return max(1, max(height.values(), default=0))
