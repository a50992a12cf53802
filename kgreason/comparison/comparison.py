"""A knowledge base beside other explicit quads and rules: what is explicit, and what follows.

The other quads become a branch of the knowledge base by one change, so that only the difference is maintained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.comparison.quad_difference import QuadDifference, quad_difference
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.program.rules import Program, Rule
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.quad_export import explicit_quads
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state_difference import Sides


@dataclass(frozen=True)
class Comparison:
    """The difference of a knowledge base from another one.

    Args:
        before: the first knowledge base, unchanged.
        after: a branch of it with the explicit quads and rules of the second; blank nodes that are matched have the ids
            of the first.
        explicit: the quads that are explicit in one alone.
        rules: the rules that one alone has.
    """

    before: KnowledgeBase
    after: KnowledgeBase
    explicit: QuadDifference
    rules: RuleEdit

    @cached_property
    def inferred(self) -> Sides:
        """Triples that follow in one and neither follow nor are explicit in the other."""
        return self.after.difference().inferred()

    def __bool__(self) -> bool:
        """Whether there is any difference."""
        return bool(len(self.explicit.added) or len(self.explicit.removed) or self.rules or self.inferred)


def compare(
    before: KnowledgeBase, read: Callable[[Dictionary], Quads], rules: Mapping[Rule, int] | None = None
) -> Comparison:
    """Compare a knowledge base with quads that `read` gives under the ids of a dictionary, and with rules and how often
    each was added, its own unless given. Cost: that of matching blank nodes, and of maintaining the difference.

    Raises:
        BudgetError, StratificationError, ListError: the second cannot be maintained within the options of the first.
    """
    after = before.branch()
    found = become(after, read, rules)
    return Comparison(before, after, found, after.difference().rules())


def become(
    branch: KnowledgeBase, read: Callable[[Dictionary], Quads], rules: Mapping[Rule, int] | None = None
) -> QuadDifference:
    """Change a branch to the quads and rules that `compare` takes; gives the difference of its explicit quads."""
    with branch.attempt():
        found = quad_difference(explicit_quads(branch), read(branch.dictionary), branch.dictionary)
        branch.remove_quads(found.removed)
        branch.add_quads(found.added)
        branch.flush()
    if rules is not None:
        edit = RuleEdit.between(branch.rules, rules)
        branch.remove_rules(Program(edit.removed))
        branch.add_rules(Program(edit.added))
    return found


def quads_of_another(other: KnowledgeBase) -> Callable[[Dictionary], Quads]:
    """The explicit quads of a knowledge base with a dictionary of its own, for `compare`."""

    def read(dictionary: Dictionary) -> Quads:
        quads = explicit_quads(other)
        known = sorted_sets.unique(np.concatenate([quads.graph, quads.subject, quads.predicate, quads.object]))
        known = known[known != DEFAULT_GRAPH]
        ids = np.append(dictionary.encode_keys(other.dictionary.keys(known)), np.uint32(DEFAULT_GRAPH))
        known = np.append(known, np.uint32(DEFAULT_GRAPH))
        columns = (quads.graph, quads.subject, quads.predicate, quads.object)
        return Quads(*(ids[np.searchsorted(known, column)].astype(np.uint32) for column in columns))

    return read
