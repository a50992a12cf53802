"""A comparison of two stores; labels of blank nodes do not matter."""

from __future__ import annotations

from rdflib.graph import Graph

from kgreason.comparison.comparison import become, quads_of_another
from kgreason_rdflib.branching import Difference
from kgreason_rdflib.store import ReasoningStore


def compare(before: ReasoningStore, after: ReasoningStore) -> Difference:
    """What one store has and another one lacks: triples, explicit and inferred, graphs and rules.

        difference = kgreason.compare(old, new)
        for triple in difference.explicit.added: ...
        assert not kgreason.compare(old, old)

    Blank nodes are matched, and those that are matched are shown by their labels in the first store. The difference is
    right for any matching, and empty for isomorphic graphs; it is not always the smallest one, see
    `kgreason.comparison`. Neither store changes. The first is branched and becomes the second by one change, so the
    cost is that of matching and of maintaining the difference.

    Raises:
        TypeError: one of them is not a store, but a graph over one, for example.
        BudgetError, StratificationError, ListError: the second cannot be maintained within the options of the first.
    """
    for name, given in (("first", before), ("second", after)):
        if not isinstance(given, ReasoningStore):
            hint = ", as `graph.store` of a graph" if isinstance(given, Graph) else ""
            raise TypeError(f"the {name} store is of type {type(given).__name__} (expected a ReasoningStore{hint})")
    branch = before.branch()
    other = after.knowledge_base
    become(branch.knowledge_base, quads_of_another(other), other.rules)
    return branch.difference()
