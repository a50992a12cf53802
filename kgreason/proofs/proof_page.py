"""A proof as HTML, whose steps unfold one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Final, TypeVar

from kgreason.html_fragments import cell, code, text
from kgreason.proofs.proof_texts import Line, Tree

T = TypeVar("T")

MOST_LINES: Final = 200
"""How many lines of a proof are shown."""
MOST_DEPTH: Final = 60
"""How deep they are nested; what lies deeper stands there without a further fold."""
_END: Final = Line(-1, "", "")


def as_html(tree: Tree[T]) -> str:
    """What rests on something unfolds below it; asserted triples are marked. The first step is open.

    Of a long proof the first lines, as `str` has them, and how many others there are: O(proof).
    """
    lines = tree.lines()
    shown = list(islice(lines, MOST_LINES))
    left = sum(1 for _ in lines)
    note = f'<p class="more">... and {left:,} more</p>' if left else ""
    return cell([*_folded(tree, shown), note])


def _folded(tree: Tree[T], lines: list[Line]) -> Iterator[str]:
    """Lines with folds opened and closed between them, without recursion."""
    for line, following in pairwise(chain(lines, [_END])):
        depth, next_depth = (min(each.depth, MOST_DEPTH) for each in (line, following))
        if next_depth > depth:
            yield f"<details{'' if depth else ' open'}><summary>{_summary(line)}</summary>"
            yield f'<div class="nested">{_rule(tree, line)}'
        else:
            yield f'<div class="leaf">{_summary(line)}</div>'
            yield "</div></details>" * (depth - max(next_depth, 0))


def _summary(line: Line) -> str:
    is_asserted = line.step is not None and line.step.rule is None
    style = "mark asserted" if is_asserted else "mark"
    return f'{code(line.text)} <span class="{style}">{text(line.reason)}</span>'


def _rule(tree: Tree[T], line: Line) -> str:
    """The text of a rule that its name stands for."""
    rule = None if line.step is None else line.step.rule
    if line.step is None or rule is None or not rule.name:
        return ""
    return f'<div class="faint">{code(tree.rule(line.step))}</div>'
