"""What was counted while a frame was evaluated."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Observation


def counts_of(observation: Observation) -> dict[str, int]:
    """The metrics of an observation whose frame has been evaluated; all are 0 where Spark found out that the frame is
    empty, because it then drops the observation with the plan (Spark 4.1: an assertion of its own fails)."""
    from py4j.protocol import Py4JJavaError

    counts: dict[str, int] = defaultdict(int)
    try:
        counts.update(observation.get)
    except Py4JJavaError as error:
        if error.java_exception.getClass().getName() != "java.lang.AssertionError":
            raise
    return counts
