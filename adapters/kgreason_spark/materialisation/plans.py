"""What rules derive, as DataFrames: the rules are grouped into chains, each of which is one plan (`chain_plans`).

Seminaive: the facts of one body atom are the new ones, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kgreason_spark.materialisation.chain_plans import Chain, Setting
from kgreason_spark.materialisation.fact_columns import padded
from kgreason_spark.materialisation.local_files import of_codes
from kgreason_spark.materialisation.operation_frames import Values
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup
from kgreason_spark.materialisation.residents import Residents
from kgreason_spark.materialisation.rule_walks import LARGE, SMALL, VIRTUAL, Walk, by_form, walk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def smallest(sizes: Mapping[int, int], most: int) -> frozenset[int]:
    """The smallest relations, with no more facts together than `most`."""
    ordered = sorted(sizes, key=lambda code: sizes[code])
    totals = accumulate(sizes[code] for code in ordered)
    return frozenset(code for code, total in zip(ordered, totals, strict=True) if total <= most)


@dataclass(frozen=True)
class Plans:
    """The facts that rules derive, as DataFrames.

    Attributes:
        facts: gives all facts of the cluster of some relations, or at least those.
        gathered: gives just those, here.
        small: the relations whose facts are so few that every executor may have them.
        values: what filters and assignments need.
        width: arguments of a derived fact.
        first_literal: the id from which on all terms are literals.
    """

    spark: SparkSession
    facts: Callable[[Codes], DataFrame]
    gathered: Callable[[Codes], pa.Table]
    small: frozenset[int]
    residents: Residents
    values: Values
    width: int
    first_literal: int

    def derived(
        self, whole: Sequence[RuleGroup], partly: Sequence[RuleGroup], new: DataFrame | None, relations: Sequence[int]
    ) -> Iterator[DataFrame]:
        """The facts that some rules derive from all facts, and others from bodies with at least one of the `new` facts.

        Args:
            relations: those whose new facts count, of the cluster or resident ones.
        """
        walks = [self._walk(part, places, None) for group in whole for places, part in self._placed(group)]
        if new is not None:
            fresh = np.asarray(relations, dtype=np.int64)
            walks += (each for group in partly for each in self._walks_from(group, fresh))
        yield from self._facts(walks, new)

    def derived_again(
        self, groups: Sequence[RuleGroup], gone: DataFrame, relations: Sequence[int]
    ) -> Iterator[DataFrame]:
        """Those of the facts that are `gone`, which are of some relations, that rules derive from what is left: bodies
        begin with the head. Rules that compute terms are not asked."""
        wanted = np.asarray(relations, dtype=np.int64)
        asked = [group.where(np.isin(group.heads, wanted)) for group in groups if not group.template.assignments]
        walks = [
            self._walk(part, places, 0)
            for group in asked
            if len(group.parameters)
            for places, part in self._placed(_headed(group))
        ]
        yield from self._facts(walks, gone)

    def _facts(self, walks: Sequence[Walk], new: DataFrame | None) -> Iterator[DataFrame]:
        if not walks:
            return
        few, residents, values = self._few(walks), self.residents, self.values
        setting = Setting(self.spark, new, few, self.facts, residents, values, self.width, self.first_literal)
        for chain in by_form(walks):
            yield Chain(setting, chain).facts()

    def _few(self, walks: Sequence[Walk]) -> pa.Table:
        """The facts of the small relations that rules read."""
        steps = [(each, step) for each in walks for step in each.steps if step.place == SMALL and step.atom is not None]
        codes = {code for each, step in steps for code in each.relations(step).tolist()}
        here = np.array(sorted(codes & self.residents.codes), dtype=np.int64)
        there = np.array(sorted(codes - self.residents.codes), dtype=np.int64)
        gathered = padded(self.gathered(there), self._row_width) if len(there) else self.residents.table.slice(0, 0)
        return pa.concat_tables([gathered, of_codes(self.residents.table, here)])

    def _walks_from(self, group: RuleGroup, fresh: Codes) -> Iterator[Walk]:
        for places, part in self._placed(group):
            for position in range(len(group.template.body)):
                concerned = part.where(np.isin(part.body(position), fresh))
                if len(concerned.parameters):
                    yield self._walk(concerned, places, position)

    def _walk(self, group: RuleGroup, places: Sequence[int], start: int | None) -> Walk:
        filters = group.template.filters
        comparisons = tuple(operation for operation in filters if self.values.is_decided_by_ids(operation, group))
        return walk(group, places, start, self._row_width, comparisons)

    def _placed(self, group: RuleGroup) -> Iterator[tuple[tuple[int, ...], RuleGroup]]:
        """The rules by where the facts of their atoms are, positive and denied."""
        atoms = [*group.template.body, *group.template.negated]
        places = np.full((len(group.parameters), len(atoms)), LARGE, dtype=np.int64)
        for number, atom in enumerate(atoms):
            column = group.parameters[:, atom.relation]
            places[np.isin(column, [*self.small]), number] = SMALL
            for place, virtual in enumerate(self.residents.virtual, VIRTUAL):
                places[np.isin(column, [*virtual.codes]), number] = place
        for distinct in np.unique(places, axis=0):
            yield tuple(distinct.tolist()), group.where((places == distinct).all(axis=1))

    @property
    def _row_width(self) -> int:
        """The arguments of facts that joins read."""
        return self.residents.width


def _headed(group: RuleGroup) -> RuleGroup:
    """The rules with their heads among the atoms of the bodies, as the first."""
    template = group.template
    assert template.head is not None
    return replace(group, template=replace(template, body=(template.head, *template.body)))
