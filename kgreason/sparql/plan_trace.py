"""The trace of a plan: rows that came while a query ran, beside those that were expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgreason.sparql.algebra import Basic, Extend, Fallback, Graph, Group, LeftJoin, Node, Project
from kgreason.sparql.algebra_tree import inner_nodes, own_expressions, patterns_in
from kgreason.sparql.pattern_texts import pattern_text

if TYPE_CHECKING:
    from kgreason.sparql.patterns.planning import Step
    from kgreason.sparql.solutions import Solutions


@dataclass(slots=True)
class Taken:
    """A step of a basic graph pattern: how many rows were expected of it and how many came, over all batches. With no
    `is_planned` step the rows said which was next, and were not counted."""

    expected: float = 0.0
    rows: int = 0
    is_planned: bool = True

    def __str__(self) -> str:
        came = f"found {self.rows:,}" if self.is_planned else "order chosen from the rows"
        return f"expected {self.expected:,.0f}, {came}"


@dataclass(slots=True)
class Journal:
    """Rows by node, and the steps of each basic graph pattern in the order in which they were taken first."""

    _rows: dict[int, int] = field(default_factory=dict)
    _steps: dict[int, dict[str, Taken]] = field(default_factory=dict)
    _divisions: dict[int, list[tuple[Sequence[Node], str]]] = field(default_factory=dict)
    _together: dict[int, Node] = field(default_factory=dict)

    def count(self, node: Node, rows: int) -> None:
        """Add to the rows that came of a node."""
        self._rows[id(node)] = self._rows.get(id(node), 0) + rows

    def counted(self, node: Node, batches: Iterator[Solutions]) -> Iterator[Solutions]:
        """The batches of a node's solutions, each counted when it comes."""
        for batch in batches:
            self.count(node, batch.total())
            yield batch

    def divided(self, node: Node, parts: Sequence[Node], links: Sequence[object]) -> None:
        """Note that a node was solved in parts, whose solutions were joined by equal values or by an order, as filters
        say."""
        self._divisions.setdefault(id(node), []).append((parts, ", ".join(map(str, links))))

    def together(self, node: Node, patterns: Node) -> Node:
        """Note that a node was solved in all graphs at once; the node of patterns of quads that it was solved as, the
        same each time."""
        return self._together.setdefault(id(node), patterns)

    def plan(self, node: Basic, steps: tuple[Step, ...]) -> None:
        """Note the steps that are going to be taken for a pattern, which may be once for each of many batches."""
        known = self._steps.setdefault(id(node), {})
        for step in steps:
            known.setdefault(_label(step), Taken()).expected += step.expected

    def planned_again(self, node: Basic, before: Sequence[Step], after: Sequence[Step]) -> None:
        """Note that steps are taken in another order for some rows; each stays where it was first. Filters may move
        to other steps, so that labels change."""
        known = self._steps[id(node)]
        labels = dict.fromkeys(map(_label, before))  # a pattern may have the same atom twice
        unused = [label for label in labels if label in known and not known[label].rows]
        waiting = {label: known.pop(label) for label in unused}
        for step in after:
            label = _label(step)
            known.setdefault(label, waiting.get(label, Taken(step.expected)))

    def went_without_plan(self, node: Basic, steps: Sequence[Step]) -> None:
        """Note that steps of a pattern were taken in an order that the rows gave."""
        for step in steps:
            self._steps[id(node)].setdefault(_label(step), Taken(step.expected)).is_planned = False

    def step(self, node: Basic, step: Step, rows: int) -> None:
        """Add to the rows that came of a step."""
        self._steps[id(node)].setdefault(_label(step), Taken(step.expected)).rows += rows

    def lines(self, node: Node, depth: int = 0) -> list[str]:
        """The plan of a node as an indented list."""
        found: list[str] = []
        waiting = [(node, depth)]
        while waiting:
            node, depth = waiting.pop()
            own, depth = self._own_lines(node, depth)
            found += own
            if id(node) in self._together:
                waiting.append((self._together[id(node)], depth))
            patterns = (pattern for expression in own_expressions(node) for pattern in patterns_in(expression))
            waiting += [(inner, depth) for inner in reversed((*inner_nodes(node), *patterns))]
        return found

    def _own_lines(self, node: Node, depth: int) -> tuple[list[str], int]:
        """The lines of a node, and how deep those inside of it are."""
        found: list[str] = []
        if id(node) in self._rows:
            found.append(f"{'  ' * depth}{label_of(node)}  (found {self._rows[id(node)]:,})")
            depth += 1
        for label, taken in self._steps.get(id(node), {}).items():
            found.append(f"{'  ' * depth}{label}  ({taken})")
        for parts, links in self._divisions.get(id(node), []):
            found.append(f"{'  ' * depth}{f'join by {links}' if links else 'pair with each other'}")
            found += [line for part in parts for line in self.lines(part, depth + 1)]
        return found, depth


def _label(step: Step) -> str:
    count, pattern = len(step.conditions), pattern_text(step.atom.pattern)
    return pattern if not count else f"{pattern}  with {count} filter{'s' if count > 1 else ''}"


def label_of(node: Node) -> str:
    """A node in a few words."""
    match node:
        case Basic(atoms):
            return f"join {len(atoms)} pattern{'s' if len(atoms) > 1 else ''}" if atoms else "nothing"
        case Graph(name, _):
            return f"graph {name}"
        case Extend(_, variable, _):
            return f"bind ?{variable}"
        case Group(_, keys, aggregates):
            names = ", ".join(f"?{name}" for name, _ in keys) or "nothing"
            return f"group by {names}: {len(aggregates)} aggregates"
        case Project(_, variables):
            return f"project {' '.join(f'?{name}' for name in variables)}"
        case Fallback(name, _, _):
            return f"{name}, evaluated by a fallback"
        case LeftJoin():
            return "optional"
    return type(node).__name__.lower()
