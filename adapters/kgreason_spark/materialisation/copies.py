"""Rules with one body atom of distinct variables, which need no join: all of them, however often, in one step.

From a fact of a relation such rules derive facts whose arguments are its own, in some order, or constants. Composed
with each other they say at once what follows from a fact in any number of steps: one look-up of its relation in
a small table, which every executor has, and no shuffle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.chain_tables import each_of, is_short, listed
from kgreason_spark.materialisation.fact_columns import RELATION, Numbers, argument

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.materialisation.parameter_frames import RuleGroup

Selector: TypeAlias = tuple[int, int]
"""An argument of a derived fact: the position of an argument of the fact (0 or more) and 0, or -1 and a constant."""

_CONSTANT: Final = -1


@dataclass(frozen=True, slots=True)
class Copy:
    """The facts that one or more rules derive: the relation, its arguments, and the arguments that must not be
    literals."""

    relation: int
    arguments: tuple[Selector, ...]
    resources: frozenset[int] = frozenset()


def is_copying(template: RuleTemplate) -> bool:
    """Whether the rules of a template are such ones."""
    if not template.is_single or template.head is None:
        return False
    arguments = template.body[0].arguments
    return len(template.body[0].variables()) == len(arguments)


def compose(groups: Sequence[RuleGroup], residents: set[int], first_literal: int) -> list[tuple[int, Copy]]:
    """For each relation all that its facts lead to; resident relations lead nowhere from here.

    O(relations x relations that they lead to).
    """
    steps: dict[int, list[Copy]] = {}
    for group in groups:
        for row in group.parameters.tolist():
            source, copy = _step(group.template, row)
            if source not in residents:
                steps.setdefault(source, []).append(copy)
    found: list[tuple[int, Copy]] = []
    for source, first in steps.items():
        reached: dict[Copy, None] = {}
        waiting = deque(first)
        while waiting:
            copy = waiting.popleft()
            if copy in reached or _is_trivial(source, copy):
                continue
            reached[copy] = None
            for step in steps.get(copy.relation, ()):
                if _may_follow(copy, step, first_literal):
                    waiting.append(_followed(copy, step))
        found += [(source, copy) for copy in reached]
    return found


def with_copies(facts: DataFrame, copies: Sequence[tuple[int, Copy]], width: int, first_literal: int) -> DataFrame:
    """The facts and those that follow from them by copies, in one pass: `facts` may be a long plan."""
    if not copies:
        return facts
    columns = _columns(copies, width)
    is_written = is_short(len(columns["source"]))
    if is_written:
        copied = facts.selectExpr("*", f"{each_of(columns['source'], RELATION, outer=True)} AS copy")
    else:
        numbered = pa.table({**columns, "copy": np.arange(len(columns["source"]))})
        table = F.broadcast(frame_of_arrow(facts.sparkSession, numbered))
        copied = facts.join(table, facts[RELATION] == table["source"], "left")

    def of_copy(name: str) -> str:
        return listed(columns[name], "copy") if is_written else name

    checked = [position for position in range(width) if columns[f"resource{position}"].any()]
    for position in checked:
        is_resource = f"{argument(position)} < {first_literal}"
        copied = copied.filter(f"copy IS NULL OR {of_copy(f'resource{position}')} = 0 OR {is_resource}")
    heads = [f"COALESCE({of_copy('target')}, {RELATION}) AS {RELATION}"]
    cases = " ".join(f"WHEN {source} THEN {argument(source)}" for source in range(width))
    for position in range(width):
        chosen = f"CASE {of_copy(f'from{position}')} {cases} ELSE {of_copy(f'constant{position}')} END"
        heads.append(f"IF(copy IS NULL, {argument(position)}, {chosen}) AS {argument(position)}")
    return copied.selectExpr(*heads)


def _step(template: RuleTemplate, row: Sequence[int]) -> tuple[int, Copy]:
    head, body = template.head, template.body[0]
    assert head is not None
    position = {slot: number for number, slot in enumerate(body.arguments)}
    arguments = tuple((_CONSTANT, row[~slot]) if slot < 0 else (position[slot], 0) for slot in head.arguments)
    checked = template.checked and kind_of(row[head.relation]) != AUXILIARY and arguments[0][0] != _CONSTANT
    resources = frozenset((arguments[0][0],)) if checked else frozenset()
    return row[body.relation], Copy(row[head.relation], arguments, resources)


def _may_follow(copy: Copy, step: Copy, first_literal: int) -> bool:
    """Whether no constant that must be a resource is a literal."""
    needed = (copy.arguments[position] for position in step.resources)
    return all(selector != _CONSTANT or constant < first_literal for selector, constant in needed)


def _followed(copy: Copy, step: Copy) -> Copy:
    arguments = tuple(
        (selector, constant) if selector == _CONSTANT else copy.arguments[selector]
        for selector, constant in step.arguments
    )
    needed = (copy.arguments[position][0] for position in step.resources)
    return Copy(step.relation, arguments, copy.resources | {position for position in needed if position != _CONSTANT})


def _is_trivial(source: int, copy: Copy) -> bool:
    return copy.relation == source and all(a == (number, 0) for number, a in enumerate(copy.arguments))


def _columns(copies: Sequence[tuple[int, Copy]], width: int) -> dict[str, Numbers]:
    """A row for each copy, and one for each source that leaves its facts as they are."""
    same = tuple((position, 0) for position in range(width))
    rows = [(source, Copy(source, same)) for source in dict.fromkeys(source for source, _ in copies)]
    rows += copies
    padded = [[*copy.arguments, *[(_CONSTANT, 0)] * (width - len(copy.arguments))] for _, copy in rows]
    columns = {"source": [source for source, _ in rows], "target": [copy.relation for _, copy in rows]}
    for position in range(width):
        columns[f"from{position}"] = [row[position][0] for row in padded]
        columns[f"constant{position}"] = [row[position][1] for row in padded]
        columns[f"resource{position}"] = [int(position in copy.resources) for _, copy in rows]
    return {name: np.array(values, dtype=np.int64) for name, values in columns.items()}
