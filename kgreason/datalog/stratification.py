"""Stratified negation: no relation depends on its own negation.

This looks at what the text names: classes, properties and auxiliary relations that stand there as constants.
Where a rule ranges over relations, the engine checks again, among the relations that can have facts.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from kgreason.datalog.model import Every, FactAtom, Program, TripleAtom, Variable
from kgreason.datalog.specialise import TYPE
from kgreason.errors import StratificationError
from kgreason.terms.model import Literal


def check_stratification(program: Program) -> None:
    """Raise StratificationError, at the rule, when a relation depends on its own negation: O(rules)."""
    if not any(rule.negated for rule in program.rules):
        return
    numbers: dict[Hashable, int] = {}
    edges: list[tuple[int, int]] = []
    denied: list[tuple[int, int, int]] = []
    for position, rule in enumerate(program.rules):
        heads = [_number(numbers, atom) for atom in rule.heads]
        body = [inner for atom in rule.body for inner in (atom.atoms if isinstance(atom, Every) else (atom,))]
        sources = [_number(numbers, atom) for atom in body if isinstance(atom, TripleAtom | FactAtom)]
        refused = [_number(numbers, atom) for atom in rule.negated]
        for head in heads:
            if head is not None:
                edges += [(source, head) for source in (*sources, *refused) if source is not None]
                denied += [(position, source, head) for source in refused if source is not None]
    if not edges:
        return
    source, target = np.array(edges).T
    graph = csr_matrix((np.ones(len(edges), dtype=np.int32), (source, target)), shape=(len(numbers), len(numbers)))
    _, components = connected_components(graph, directed=True, connection="strong")
    for position, refused_number, head in denied:
        if components[refused_number] == components[head]:
            rule = program.rules[position]
            raise StratificationError(f"the program is not stratifiable: the head of {rule} depends on its own "
                                      "negation", rule.position)  # fmt: skip


def _number(numbers: dict[Hashable, int], atom: object) -> int | None:
    """The number of the relation of an atom, None where a variable stands for it."""
    if isinstance(atom, FactAtom):
        return numbers.setdefault((atom.name, len(atom.arguments)), len(numbers))
    assert isinstance(atom, TripleAtom)
    named = atom.object if atom.predicate == TYPE and not isinstance(atom.object, Literal) else atom.predicate
    if isinstance(named, Variable):
        return None
    return numbers.setdefault((atom.predicate == TYPE, named), len(numbers))
