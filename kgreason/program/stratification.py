"""Stratified negation and aggregates: no relation depends on its own negation, nor on an aggregate of itself.

This looks at what the text names: classes, properties and auxiliary relations that stand there as constants.
Where a rule ranges over relations, the engine checks again, among the relations that can have facts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import StratificationError
from kgreason.program.aggregation import aggregated_atoms
from kgreason.program.dependency_graph import component_numbers, shortest_path
from kgreason.program.rule_variables import TYPE
from kgreason.program.rules import Atom, FactAtom, Program, Rule
from kgreason.program.safety import ordinary_atoms
from kgreason.rdf.model import Literal, TripleTerm

_SHOWN: Final = 8


def check_stratification(program: Program) -> None:
    """Raise StratificationError, at the rule and with the cycle, when a relation depends on its own negation, or on an
    aggregate of itself.

    O(atoms of the program).
    """
    if not any(rule.negated or rule.aggregates for rule in program.rules):
        return
    relations = _Relations()
    edges: set[tuple[int, int]] = set()
    denials: list[tuple[Rule, int, int, str, str]] = []
    for rule in program.rules:
        heads = relations.numbers(rule.heads)
        sources = relations.numbers(ordinary_atoms(rule))
        denied = relations.numbers(rule.negated)
        aggregated = relations.numbers(aggregated_atoms(rule))
        for head in heads:
            edges.update((source, head) for source in (*sources, *denied, *aggregated))
            denials += [(rule, source, head, "its own negation", "denies") for source in denied]
            denials += [(rule, source, head, "an aggregate of itself", "aggregates") for source in aggregated]
    if not denials:
        return
    successors: list[list[int]] = [[] for _ in relations.names]
    for source, head in sorted(edges):
        successors[source].append(head)
    components = component_numbers(successors)
    for rule, source, head, what, does in denials:
        if components[source] == components[head]:
            names = [relations.names[number] for number in [source, *shortest_path(successors, head, source)]]
            cycle = " -> ".join(names if len(names) <= _SHOWN else [*names[: _SHOWN - 2], "...", names[-1]])
            reason = f"the program is not stratifiable: {names[0]} depends on {what}: {cycle}"
            reason = f"{reason}, where this rule {does} the first for the second"
            # A rule of another language has no place in a text, but a name.
            known = None if rule.position is not None else rule.name or None
            raise StratificationError(
                reason if known is None else f"rule {known}: {reason}", rule.position, rule=known
            )


@dataclass(slots=True, eq=False, repr=False)
class _Relations:
    """Numbers of the relations that a program names."""

    names: list[str] = field(default_factory=list)
    _found: dict[Hashable, int] = field(default_factory=dict)

    def numbers(self, atoms: Iterable[Atom]) -> list[int]:
        """The relations of atoms, without those that a variable stands for."""
        return [self._number(*named) for atom in atoms if (named := relation_of(atom)) is not None]

    def _number(self, key: Hashable, name: str) -> int:
        number = self._found.setdefault(key, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number


def relation_of(atom: Atom) -> tuple[Hashable, str] | None:
    """What tells a relation from others, and how to call it; None where a variable stands for it."""
    if isinstance(atom, FactAtom):
        return (atom.name, len(atom.arguments)), f"{atom.name}/{len(atom.arguments)}"
    is_class = atom.predicate == TYPE and not isinstance(atom.object, Literal | TripleTerm)
    named = atom.object if is_class else atom.predicate
    return None if isinstance(named, Variable) else ((is_class, named), str(named))
