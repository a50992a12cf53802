"""Facts by what rules look for: the relation, and those of its arguments that are bound.

An *access* is a relation with the positions that are bound, and those that must agree. A fact comes once for each
access to its relation: for two arguments no more than four times, however many rules there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.chain_tables import each_of, is_short, listed
from kgreason_spark.materialisation.fact_columns import RELATION, argument, is_listed
from kgreason_spark.materialisation.parameter_frames import Codes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.materialisation.rule_walks import Step

ACCESS: Final = "access"


def key(position: int) -> str:
    """The column of a bound argument; 0 in an access that does not bind it."""
    return f"k{position}"


@dataclass(frozen=True, slots=True)
class Keyed:
    """Facts to be joined on `keys`.

    Attributes:
        facts: the columns `keys` and `brought`.
        accesses: for each walk and rule what the column ACCESS is to be; None where there is one only.
        bound: the positions that some access binds.
        brought: the arguments that something after the join reads.
    """

    facts: DataFrame
    accesses: list[Codes] | None
    bound: tuple[int, ...]
    brought: tuple[str, ...]

    @property
    def keys(self) -> list[str]:
        """The columns to join on."""
        return [*([] if self.accesses is None else [ACCESS]), *map(key, self.bound)]


def keyed_facts(steps: Sequence[Step], relations: Sequence[Codes], source: Callable[[Codes], DataFrame]) -> Keyed:
    """The facts for a step of some walks, which looks for relations; `source` gives all facts of some relations, or
    at least those."""
    codes = np.unique(np.concatenate(relations))
    facts = source(codes)
    bound = tuple(sorted({position for step in steps for position in step.bound}))
    needed = {position for step in steps for slot, position in step.brings if slot in step.needed}
    brought = tuple(argument(position) for position in sorted(needed))
    patterns = list(dict.fromkeys((step.bound, step.equal) for step in steps))
    if len(patterns) == 1 and is_listed(codes):
        for first, second in steps[0].equal:
            facts = facts.filter(f"{argument(first)} = {argument(second)}")
        keys = [f"{argument(position)} AS {key(position)}" for position in bound]
        if len(codes) == 1:
            return Keyed(facts.selectExpr(*keys, *brought), None, bound, brought)
        return Keyed(facts.selectExpr(f"{RELATION} AS {ACCESS}", *keys, *brought), list(relations), bound, brought)
    return _by_access(facts, steps, relations, bound, brought)


def _by_access(
    facts: DataFrame,
    steps: Sequence[Step],
    relations: Sequence[Codes],
    bound: tuple[int, ...],
    brought: tuple[str, ...],
) -> Keyed:
    patterns = list(dict.fromkeys((step.bound, step.equal) for step in steps))
    looked_for = [
        np.stack([codes, np.full(len(codes), patterns.index((step.bound, step.equal)))], axis=1)
        for step, codes in zip(steps, relations, strict=True)
    ]
    distinct, numbers = np.unique(np.concatenate(looked_for), axis=0, return_inverse=True)
    accesses = np.split(numbers.reshape(-1).astype(np.int64), np.cumsum([len(codes) for codes in relations])[:-1])
    codes, pattern = distinct[:, 0], distinct[:, 1]
    is_written = is_short(len(distinct))
    columns = {"of": codes, ACCESS: np.arange(len(distinct))}

    def flag(name: str, flags: list[bool]) -> str:
        """Whether something holds of an access."""
        columns[name] = np.array(flags, dtype=np.int64)[pattern]
        return f"{listed(columns[name], ACCESS) if is_written else name} = 1"

    keys, conditions = [], []
    for position in bound:
        binding = [position in pattern[0] for pattern in patterns]
        if all(binding):
            keys.append(f"{argument(position)} AS {key(position)}")
        else:
            keys.append(f"IF({flag(f'binds{position}', binding)}, {argument(position)}, 0L) AS {key(position)}")
    for first, second in dict.fromkeys(pair for _, equal in patterns for pair in equal):
        holds = flag(f"agree{first}_{second}", [(first, second) in pattern[1] for pattern in patterns])
        conditions.append(f"(NOT {holds} OR {argument(first)} = {argument(second)})")
    if is_written:
        found = facts.selectExpr("*", f"{each_of(codes, RELATION)} AS {ACCESS}")
    else:
        table = pa.table({name: pa.array(column) for name, column in columns.items()})
        found = facts.join(F.broadcast(frame_of_arrow(facts.sparkSession, table)), F.expr(f"{RELATION} = of"))
    if conditions:
        found = found.filter(" AND ".join(conditions))
    return Keyed(found.selectExpr(ACCESS, *keys, *brought), accesses, bound, brought)
