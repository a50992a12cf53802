"""What may come to the driver, and what becomes of more.

* `DRIVER_FACTS` of resident relations together. A closure beyond that is the cluster's: its rules are evaluated there
  in rounds, equivalences by components (`equivalences`), and its pairs are written out. Rules whose schema or lists are
  beyond it are not specialised (`unspecialised`): they are joins with all triples (`every_triple`).
* `TERMS` that rules compute, counts of `RELATIONS` that have facts, and levels of as many that depend on a negation:
  more are refused.

Beside these: the other `Limits` of a run, `outputs.encoded.Layout.local`, and what the driver does alone
(`spark_tuning`); what exceeds them stays on the cluster. What has no cap is a row for each file, or for each source and
reason of quarantine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kgreason.errors import SparkError
from kgreason.relations.catalogue import SYMMETRIC, UNION
from kgreason_spark.arrow_frames import to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from kgreason.relations.catalogue import Definition

DRIVER_FACTS: Final = 10_000_000
"""With their terms, 2 GB on the driver at the most."""
TERMS: Final = 5_000_000
RELATIONS: Final = 5_000_000
COMPUTED: Final = "terms that rules compute"


@dataclass(frozen=True, slots=True)
class Limits:
    """Up to which sizes a run takes what is quick for few facts.

    Args:
        written: a closure of so many pairs is written out as rows.
        sent: so many bytes of tables are sent to every executor.
        small: relations with so many facts together are sent to every executor where rules join them; all others are
            shuffled.
        moved: a relation with more facts does not come to the driver only because schema facts follow from it.
        driver_facts: so many facts of resident relations come to the driver.
    """

    written: int = 200_000
    sent: int = 256 << 20
    small: int = 200_000
    moved: int = 2_000_000
    driver_facts: int = DRIVER_FACTS


LIMITS: Final = Limits()


class MovedError(Exception):
    """Relations that are too large for the driver are the cluster's, and rules about such ones are not specialised: the
    job must be run again, from the beginning."""

    def __init__(self, relations: Iterable[int], rules: Iterable[int] = ()) -> None:
        super().__init__("a relation has grown too large for the driver")
        self.relations = frozenset(relations)
        self.rules = frozenset(rules)


def check_residents(
    sizes: Mapping[int, int],
    closures: Iterable[Collection[int]],
    most: int,
    rules_about: Callable[[int], Collection[int]],
) -> None:
    """Refuse more than `most` facts of resident relations, of which `closures` are some; `rules_about` gives the
    numbers of the rules for which a relation is resident, none where it only helps to derive such relations.

    Raises:
        MovedError: with the largest closure or, where there is none, the largest relations.
    """
    left = sum(sizes.values())
    if left <= most:
        return
    largest = max(closures, key=lambda codes: sum(sizes.get(code, 0) for code in codes), default=())
    if largest:
        raise MovedError(largest)
    relations: set[int] = set()
    rules: set[int] = set()
    for code in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if left <= most:
            break
        left -= sizes[code]
        about = rules_about(code)
        rules |= {*about}
        relations |= set() if about else {code}
    raise MovedError(relations, rules)


def closures_within(
    definitions: Mapping[int, Definition], sizes: Mapping[int, int], most: int, moved: Collection[int]
) -> list[set[int]]:
    """The relations of each closure, and of what includes one, with all that it is made of, if these have no more facts
    than `most`."""
    found: set[int] = set()
    closed: list[set[int]] = []
    distinct: Sequence[Definition] = list(dict.fromkeys(definitions.values()))
    while True:
        before = len(found)
        for definition in distinct:
            codes = {one.code for one in (*definition.members, *definition.reads)}
            if not codes.isdisjoint(moved) or sum(sizes.get(code, 0) for code in codes) > most or codes in closed:
                continue
            if definition.closure not in (UNION, SYMMETRIC) or codes & found:
                found |= codes
                closed.append(codes)
        if len(found) == before:
            return closed


def few_rows(rows: DataFrame, most: int, what: str) -> pa.Table:
    """Rows on the driver.

    Raises:
        SparkError: they are more than `most`; names `what` they are.
    """
    found = to_arrow(rows.limit(most + 1))
    if found.num_rows > most:
        raise too_many(what, most)
    return found


def too_many(what: str, most: int) -> SparkError:
    """The error where more would come to the driver than may."""
    return SparkError(f"more than {most:,} {what} would come to the driver")
