"""Relations on the cluster that are symmetric and transitive, closed by their components and not by their rules.

A class of n things has n² pairs, and the rule for transitivity finds each of them n times; components take a few
rounds over the edges (`star_components`), and each pair is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from kgreason.algebra.expressions.tree import Call
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.fact_columns import RELATION, argument
from kgreason_spark.materialisation.star_components import COMPONENT, NODE, components

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason.engine.rules.groups import Flags
    from kgreason.engine.rules.rule_templates import RuleTemplate
    from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup


@dataclass(frozen=True, slots=True)
class Equivalences:
    """The relations with both rules, and whether a thing that is related at all is related to itself."""

    reflexive: Mapping[int, bool]

    @classmethod
    def of(cls, groups: Sequence[RuleGroup], without: Iterable[int]) -> Equivalences:
        """Those among the rules of the cluster; `without` resident relations, which schemes keep."""
        symmetric: set[int] = set()
        transitive: dict[int, bool] = {}
        for group in groups:
            codes = _own(group)
            if _is_symmetric(group.template):
                symmetric |= codes
            elif (reflexive := _transitivity(group.template)) is not None:
                transitive |= {code: reflexive or transitive.get(code, False) for code in codes}
        # An auxiliary relation may hold of literals, of which different ones can have the same value.
        found = {code: own for code, own in transitive.items() if own or kind_of(code) != AUXILIARY}
        return cls({code: own for code, own in found.items() if code in symmetric - {*without}})

    def stands_for(self, group: RuleGroup) -> Flags:
        """For each rule of a group whether it is one of those that components stand for."""
        if not (_is_symmetric(group.template) or _transitivity(group.template) is not None):
            return np.zeros(len(group.parameters), dtype=np.bool_)
        return np.isin(group.heads, [*self.reflexive]) & _is_own(group)

    def pairs_of(
        self, edges: DataFrame, first_literal: int, width: int, keep: Callable[[DataFrame], DataFrame]
    ) -> DataFrame:
        """All facts of these relations that follow from some, which may be among them, with `width` arguments.

        A literal is never a subject, so it connects nothing, but what is related to it holds of the whole component.
        """
        first, second = argument(0), argument(1)
        is_triple = F.col(RELATION).bitwiseAND(3) != AUXILIARY
        is_literal = is_triple & (F.col(second) >= first_literal)
        own = edges.where(~is_literal).select(RELATION, first, second)
        nodes = components(own, keep)
        others = nodes.withColumnsRenamed({NODE: second})
        made = nodes.withColumnsRenamed({NODE: first}).join(others, [RELATION, COMPONENT])
        irreflexive = [code for code, reflexive in self.reflexive.items() if not reflexive]
        made = made.where((F.col(first) != F.col(second)) | ~F.col(RELATION).isin(irreflexive))
        values = edges.where(is_literal).select(RELATION, F.col(first).alias(NODE), second)
        values = values.join(nodes, [RELATION, NODE])
        spread = values.join(nodes.select(RELATION, COMPONENT, F.col(NODE).alias(first)), [RELATION, COMPONENT])
        padding = [F.lit(0).cast("long").alias(argument(position)) for position in range(2, width)]
        return made.unionByName(spread.drop(NODE)).select(RELATION, first, second, *padding)


class ComponentPairs:
    """The pairs of equivalences, made again when there are facts beside them."""

    def __init__(self, first_literal: int, width: int, keep: Callable[[DataFrame], DataFrame]) -> None:
        self._first_literal, self._width, self._keep = first_literal, width, keep
        self._closed: dict[int, int] = {}

    def pairs(
        self, equivalences: Equivalences, counts: Mapping[int, int], facts: Callable[[Codes], DataFrame]
    ) -> Iterator[DataFrame]:
        """The pairs of relations that have other facts than the pairs of the last time."""
        due = [code for code in equivalences.reflexive if counts.get(code, 0) != self._closed.get(code, 0)]
        if due:
            edges = facts(np.array(due, dtype=np.int64)).where(F.col(RELATION).isin(due))
            made = equivalences.pairs_of(edges, self._first_literal, self._width, self._keep)
            pairs = self._keep(made.distinct())
            found = few_rows(pairs.groupBy(RELATION).count(), len(due), "equivalences")
            self._closed |= dict(zip(found[RELATION].to_pylist(), found["count"].to_pylist(), strict=True))
            yield pairs


def _own(group: RuleGroup) -> set[int]:
    """The relations that rules of a group derive from themselves alone."""
    return set(group.heads[_is_own(group)].tolist())


def _is_own(group: RuleGroup) -> Flags:
    found = np.ones(len(group.parameters), dtype=np.bool_)
    for position in range(len(group.template.body)):
        found &= group.body(position) == group.heads
    return found


def _is_plain(template: RuleTemplate) -> bool:
    return not (template.negated or template.assignments or template.summaries) and template.head is not None


def _is_symmetric(template: RuleTemplate) -> bool:
    if not _is_plain(template) or template.filters or len(template.body) != 1:
        return False
    assert template.head is not None
    ends = template.body[0].arguments
    return len(ends) == 2 and _are_variables(ends) and template.head.arguments == ends[::-1]


def _transitivity(template: RuleTemplate) -> bool | None:
    """Whether a rule for transitivity relates things to themselves; None for any other rule."""
    if not _is_plain(template) or len(template.body) != 2 or any(len(one.arguments) != 2 for one in template.body):
        return None
    assert template.head is not None
    ends = template.head.arguments
    one, other = (atom.arguments for atom in template.body)
    if one[1] != other[0]:
        one, other = other, one
    if one[1] != other[0] or ends != (one[0], other[1]) or not _are_variables((*ends, one[1])):
        return None
    if not template.filters:
        return True
    (first, *more) = template.filters
    differs = isinstance(first, Call) and first.function == "!=" and {*first.arguments} == {*ends}
    return False if differs and not more else None


def _are_variables(slots: Sequence[int]) -> bool:
    return min(slots) >= 0 and len(set(slots)) == len(slots)
