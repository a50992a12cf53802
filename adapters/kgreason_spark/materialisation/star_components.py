"""Connected components over frames, by alternating large and small stars.

A *large star* links all larger neighbours of a node to its least one, a *small star* all others. Both keep what is
connected, and when nothing changes any more every node is linked to the least node of its component: after O(log² n)
rounds, in practice about the logarithm of the longest path. No task holds a component, and only two numbers of each
round come to the driver.

Source: Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii, Connected Components in MapReduce and Beyond (SoCC 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason_spark.materialisation.fact_columns import RELATION, argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

NODE: Final = "node"
COMPONENT: Final = "component"

_LEAST: Final = "least"
_KEY: Final = (RELATION, NODE)


def components(edges: DataFrame, keep: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """The columns RELATION, NODE and COMPONENT, the least node connected to it, for each node at an end of an edge.

    Args:
        edges: facts of two arguments, of any number of relations, each with components of its own.
        keep: writes rows down and reads them back.
    """
    first, second = argument(0), argument(1)
    ends = edges.select(RELATION, F.greatest(first, second).alias(NODE), F.least(first, second).alias(COMPONENT))
    ends = keep(ends.distinct())
    links = ends.where(F.col(NODE) != F.col(COMPONENT))
    seen = None
    while (state := _state(links)) != seen:
        seen = state
        links = keep(_small_star(_large_star(links)))
    roots = links.select(RELATION, F.col(COMPONENT).alias(NODE), COMPONENT)
    alone = ends.where(F.col(NODE) == F.col(COMPONENT)).join(links.select(*_KEY), [*_KEY], "left_anti")
    return keep(links.unionAll(roots).unionAll(alone).distinct())


def _large_star(links: DataFrame) -> DataFrame:
    both = links.unionAll(links.select(RELATION, F.col(COMPONENT).alias(NODE), F.col(NODE).alias(COMPONENT)))
    starred = both.join(_least(both), [*_KEY]).where(F.col(COMPONENT) > F.col(NODE))
    return starred.select(RELATION, F.col(COMPONENT).alias(NODE), F.least(_LEAST, NODE).alias(COMPONENT)).distinct()


def _small_star(links: DataFrame) -> DataFrame:
    starred = links.join(_least(links), [*_KEY])
    others = starred.select(RELATION, F.col(COMPONENT).alias(NODE), F.col(_LEAST).alias(COMPONENT))
    own = starred.select(RELATION, NODE, F.col(_LEAST).alias(COMPONENT))
    return others.unionAll(own).where(F.col(NODE) != F.col(COMPONENT)).distinct()


def _least(links: DataFrame) -> DataFrame:
    """The least neighbour of each node."""
    return links.groupBy(*_KEY).agg(F.min(COMPONENT).alias(_LEAST))


def _state(links: DataFrame) -> tuple[int, int]:
    """Two numbers that tell sets of links apart."""
    hashed = F.xxhash64(RELATION, NODE, COMPONENT) % F.lit(1 << 40)
    ((count, total),) = links.agg(F.count("*"), F.coalesce(F.sum(hashed), F.lit(0))).collect()
    return count, total
