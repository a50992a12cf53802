"""What nothing leads to any more: relations that will have no facts, and the rules that derive something of these.

A pass takes the facts of such relations away one stratum after the other. To tell beforehand how many there are, rules
are looked at as clauses over relations, as by `possible_relations`: a relation is reached if it has asserted facts, or
a rule over reached ones derives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.columns.horn_clauses import consequences
from kgreason.engine.rules.groups import Flags
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.possible_relations import Dependency
from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True)
class Unreached:
    """The relations of rules that are not reached, by their codes, and how many rules read one of them."""

    relations: Sequence[int]
    rules: int


def unreached(
    rules: NumberedRules,
    possible: Flags,
    asserted: Iterable[int],
    modules: Sequence[Dependency],
    removed: Mapping[int, Table],
) -> Unreached:
    """Those among the possible relations, where rules whose guard facts have been removed derive nothing.

    Args:
        asserted: the relations with asserted facts.
        removed: the facts that have been removed, by relation.

    Cost: O(atoms of rules), some milliseconds for a thousand rules.
    """
    codes, heads, bodies = rules.codes, rules.heads, rules.bodies
    deriving = (heads >= 0) & ~rules.leaving & ~rules.lacking(possible) & ~_unguarded(rules, removed)
    numbers = np.full(len(rules), -1)
    numbers[deriving] = np.arange(np.count_nonzero(deriving))
    links = np.array([(link.source, link.target) for link in modules], dtype=np.int64).reshape(-1, 2)
    sources, targets = codes.searchsorted(links.T)
    clause, body = bodies.among(deriving)
    clause = np.append(numbers[clause], np.count_nonzero(deriving) + np.arange(len(links)))
    both = sorted_sets.unique(clause * len(codes) + np.append(body, sources))
    begin = np.zeros(len(codes), dtype=np.bool_)
    begin[sorted_sets.contains(np.array(sorted(asserted), dtype=np.int64), codes)] = True
    holds = consequences(begin, np.append(heads[deriving], targets), both // len(codes), both % len(codes))
    lost = possible & ~holds
    return Unreached(codes[lost].tolist(), int(np.count_nonzero(rules.lacking(holds) & ~rules.lacking(possible))))


def _unguarded(rules: NumberedRules, removed: Mapping[int, Table]) -> Flags:
    """The rules whose guard facts have been removed."""
    found = np.zeros(len(rules), dtype=np.bool_)
    for place, group in enumerate(rules.groups):
        gone = removed.get(group.guard) if group.guard is not None else None
        if gone is not None:
            found[rules.span(place)] = group.find_guards(gone)
    return found
