"""Budgets of jobs: time by the clock, and facts and bytes of the rounds of a derivation."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, KGReasonError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

UNLIMITED: Final = Budget()
ARGUMENT_BYTES: Final = 8
"""Of an argument of a fact of the cluster."""

_BETWEEN_LOOKS: Final = 0.2
_ROW_IN_PARTITION: Final = "monotonically_increasing_id() & 8589934591"
_TOO_MANY: Final = "a partition of a round has more facts than the budget allows"


@contextmanager
def within(spark: SparkSession, budget: Budget, what: str) -> Iterator[None]:
    """Run jobs of Spark in the body, which are cancelled once the seconds of a budget are over; `what` they do is said
    in errors.

    Raises:
        BudgetError: time is up, or a round has `limited` rows and more.
    """
    begin, deadline = monotonic(), budget.deadline()
    expired, done = Event(), Event()
    tag = f"kgreason-{uuid.uuid4().hex}"
    context = spark.sparkContext
    watch: Thread | None = None
    if budget.seconds is not None:
        context.addJobTag(tag)
        watch = Thread(target=_watch, args=(context, tag, deadline, expired, done), daemon=True)
        watch.start()
    try:
        yield
    except KGReasonError as error:
        if isinstance(error, BudgetError):
            raise
        if expired.is_set():
            text = f"{what} exceeds the budget of {budget.seconds:g} seconds: {monotonic() - begin:,.2f} have passed"
            raise BudgetError(text, "seconds", ()) from None
        if _TOO_MANY in error.reason:
            limit = "bytes" if budget.facts is None else "facts"
            raise _exceeded(what, budget, limit, "more are derived in a round that was dropped") from None
        raise
    finally:
        done.set()
        if watch is not None:
            watch.join()
            context.removeJobTag(tag)


def _watch(context: SparkContext, tag: str, deadline: float, expired: Event, done: Event) -> None:
    """Cancel the jobs of a tag from a moment on, until the body is done: one may begin after another."""
    if done.wait(max(0.0, deadline - monotonic())):
        return
    expired.set()
    while not done.is_set():
        context.cancelJobsWithTag(tag)
        done.wait(_BETWEEN_LOOKS)


def limited(rows: DataFrame, budget: Budget, derived: int, width: int) -> DataFrame:
    """The facts of a round, which fail where a partition alone exceeds a budget, of which so many are `derived`
    before."""
    most = _most_facts(budget, width)
    if most is None:
        return rows
    left = max(0, most - derived)
    is_within = F.expr(_ROW_IN_PARTITION) < left
    return rows.where(F.when(is_within, True).otherwise(F.raise_error(F.lit(_TOO_MANY)).cast("boolean")))


def check_derived(budget: Budget, derived: int, width: int, rounds: int) -> None:
    """BudgetError where rounds together exceed a budget."""
    told = f"{derived:,} facts are derived after {rounds:,} rounds"
    if budget.facts is not None and derived > budget.facts:
        raise _exceeded("deriving", budget, "facts", told)
    if budget.bytes is not None and derived * width * ARGUMENT_BYTES > budget.bytes:
        raise _exceeded("deriving", budget, "bytes", told)


def _most_facts(budget: Budget, width: int) -> int | None:
    limits = [budget.facts, None if budget.bytes is None else budget.bytes // (width * ARGUMENT_BYTES)]
    return min((one for one in limits if one is not None), default=None)


def _exceeded(what: str, budget: Budget, limit: str, told: str) -> BudgetError:
    return BudgetError(f"{what} exceeds the budget of {getattr(budget, limit):,} {limit}: {told}", limit, ())


def capped(budget: Budget, most: int) -> Budget:
    """A budget that allows no more than `most` facts."""
    found = replace(budget, facts=most if budget.facts is None else min(most, budget.facts))
    return found if budget.seconds is None else found.within(max(0.0, budget.deadline() - monotonic()))


def is_of_cap(error: BudgetError, budget: Budget, most: int) -> bool:
    """Whether facts are too many for a cap, but not for the budget."""
    return error.limit == "facts" and (budget.facts is None or budget.facts > most)
