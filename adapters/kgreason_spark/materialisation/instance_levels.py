"""Levels of negation where rules are not specialised: those of the relations that their instances are about.

The instances (`rule_instances`) stay on the cluster. What comes to the driver are relations with the levels that some
instance raises, and then again what that raises, until nothing changes: a job for each step along rules that deny
or aggregate what other such rules derive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.errors import StratificationError
from kgreason.relations.codes import AUXILIARY, CLASS, kind_of
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.instance_nodes import HEAD, NEEDED, SOME_CLASS, SOME_RELATION, Nodes
from kgreason_spark.materialisation.levels import levels_of, possible_rules
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup
from kgreason_spark.materialisation.rule_instances import Naming, Variant, variants

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

Facts = Callable[[int], DataFrame]
KeepHere = Callable[[DataFrame], tuple[DataFrame, pa.Table | None]]

_RAISED: Final = "relations that depend on what rules deny or aggregate"
_DENIED: Final = "relations that rules deny"


@dataclass(slots=True)
class InstanceLevels:
    """Finds levels round by round.

    Attributes:
        facts: gives the facts of a relation.
        keep_here: writes rows down, and reads them back where they are few.
    """

    spark: SparkSession
    naming: Naming
    facts: Facts
    keep_here: KeepHere
    _instances: Instances | None = None
    _possible: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def of(
        self, groups: Sequence[RuleGroup], with_facts: Codes, least: Mapping[int, int], changed: Iterable[int]
    ) -> dict[int, int]:
        """The level of each relation that is not at 0; no level is below `least`.

        Args:
            groups: all rules.
            with_facts: the relations with facts.
            changed: the relations whose facts are others than they were when this was called before.

        Raises:
            StratificationError: a relation depends on its own negation, or on an aggregate of itself.
        """
        ours = [group for group in groups if self.naming.is_named_by_data(group)]
        plain = [group for group in groups if not self.naming.is_named_by_data(group)]
        if not ours:
            return levels_of(possible_rules(plain, with_facts), least)
        if self._instances is None or not self._instances.reads.isdisjoint(changed):
            self._instances = Instances.of(self.spark, [*variants(ours, self.naming)], self.facts, self.keep_here)
        levels, most = dict(least), max(least.values(), default=0)
        while True:
            possible = possible_rules(plain, np.union1d(with_facts, self._possible))
            heads = [group.heads for group in possible]
            self._possible = np.unique(np.concatenate([with_facts, self._possible, *heads]))
            levels = levels_of(possible, levels)
            levels |= _some(levels)
            raised = self._instances.raised(self._nodes(levels))
            if not raised:
                return levels
            levels |= {node: level for node, level in raised.items() if level}
            self._possible = np.union1d(self._possible, [*raised])
            # All levels below the highest one are those of some node, where no circle raises them for ever.
            if max(levels.values(), default=0) > len(levels) + most:
                raise StratificationError("data make a relation depend on its own negation or an aggregate of itself")

    def denied(self, level: int, levels: Mapping[int, int]) -> set[int]:
        """The nodes below a level that instances deny."""
        assert self._instances is not None, "levels are found first"
        return {node for node in self._instances.denied(self._nodes(levels)) if levels.get(node, 0) < level}

    def _nodes(self, levels: Mapping[int, int]) -> Nodes:
        named = self._possible[self._possible & 3 != AUXILIARY]
        some = [SOME_RELATION] * bool(len(named)) + [SOME_CLASS] * bool((named & 3 == CLASS).any())
        possible = np.union1d(self._possible, np.array(some, dtype=np.int64))
        codes = np.union1d(possible, np.array([*levels], dtype=np.int64))
        found = np.array([levels.get(code, 0) for code in codes.tolist()], dtype=np.int64)
        return Nodes(codes, found, np.isin(codes, possible), self.naming.type_id)


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of rules, also `here` where they are few; `reads` are the relations of their guards."""

    rows: DataFrame
    here: pa.Table | None
    reads: frozenset[int]

    @classmethod
    def of(cls, spark: SparkSession, rules: Sequence[Variant], facts: Facts, keep_here: KeepHere) -> Instances:
        """The instances of rules: a job."""
        templates = [rule.rule.group.template for rule in rules]
        width = max((len(t.body) for t in templates), default=0), max((len(t.negated) for t in templates), default=0)
        one = spark.range(1)
        parts = [rule.instances(one if (found := rule.bindings(facts)) is None else found, width) for rule in rules]
        rows = reduce(DataFrame.unionAll, parts).distinct()
        return cls(*keep_here(rows), frozenset(code for rule in rules for code in rule.reads))

    def raised(self, nodes: Nodes) -> dict[int, int]:
        """The nodes that possible instances derive and that are not possible yet, or at a lower level: their levels."""
        if self.here is None:
            sent = self._sent(nodes)
            each = self.rows.mapInArrow(lambda batches: _raised(batches, sent), f"{HEAD} long, {NEEDED} long")
            found = few_rows(each.groupBy(HEAD).agg(F.max(NEEDED).alias(NEEDED)), driver_limits.RELATIONS, _RAISED)
        else:
            found = nodes.raised(self.here).group_by(HEAD).aggregate([(NEEDED, "max")]).rename_columns([HEAD, NEEDED])
        return dict(zip(found[HEAD].to_pylist(), found[NEEDED].to_pylist(), strict=True))

    def denied(self, nodes: Nodes) -> list[int]:
        """The nodes that instances deny."""
        if self.here is not None:
            return [int(node) for node in nodes.denied(self.here)]
        sent = self._sent(nodes)
        each = self.rows.mapInArrow(lambda batches: _denied(batches, sent), f"{HEAD} long").distinct()
        return [int(node) for node in few_rows(each, driver_limits.RELATIONS, _DENIED)[HEAD].to_pylist()]

    def _sent(self, nodes: Nodes) -> Broadcast[Nodes]:
        return self.rows.sparkSession.sparkContext.broadcast(nodes)


def _raised(batches: Iterable[pa.RecordBatch], nodes: Broadcast[Nodes]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from nodes.value.raised(batch).to_batches()


def _denied(batches: Iterable[pa.RecordBatch], nodes: Broadcast[Nodes]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_arrays([pa.array(nodes.value.denied(batch))], names=[HEAD])


def _some(levels: Mapping[int, int]) -> dict[int, int]:
    """The highest levels of what SOME_CLASS and SOME_RELATION stand for."""
    found: dict[int, int] = {}
    for some, is_one in ((SOME_CLASS, _is_class), (SOME_RELATION, _is_named)):
        if highest := max((level for code, level in levels.items() if is_one(code)), default=0):
            found[some] = highest
    return found


def _is_class(code: int) -> bool:
    return kind_of(code) == CLASS


def _is_named(code: int) -> bool:
    return kind_of(code) != AUXILIARY
