"""Counts that are made while a frame is evaluated."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Observation


def counts_of(observation: Observation) -> dict[str, int]:
    """The counts of an observation whose frame has been evaluated; all are 0 where the frame was empty."""
    return defaultdict(int, _metrics(observation))


def values_of(observation: Observation) -> dict[str, Any]:
    """The values of an observation whose frame has been evaluated; all are None where the frame was empty."""
    return defaultdict(lambda: None, _metrics(observation))


def _metrics(observation: Observation) -> dict[str, Any]:
    """Where Spark finds out that a frame is empty, it drops the observation with the plan (4.1: an assertion fails)."""
    # As heavy as Spark itself.
    from py4j.protocol import Py4JJavaError

    try:
        return observation.get
    except Py4JJavaError as error:
        if error.java_exception.getClass().getName() != "java.lang.AssertionError":
            raise
        return {}
