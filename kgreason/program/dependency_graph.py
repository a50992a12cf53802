"""Which relation depends on which, as lists of successors: components, and the shortest way from one to another.

Programs have thousands of relations at most, so plain loops over nodes and edges do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

Successors: TypeAlias = Sequence[Sequence[int]]


def component_numbers(successors: Successors) -> list[int]:
    """For each node the number of its strongly connected component: O(nodes + edges).

    Tarjan's search. A node's mark is the turn at which it was met, or the least turn among the open nodes that it
    reaches; once its component is known, minus the number of that, counted from one.
    """
    marks = [0] * len(successors)
    turn = number = 0
    for root in range(len(successors)):
        if marks[root]:
            continue
        open_nodes: list[int] = []
        path = [(root, turn + 1, iter(successors[root]))]
        while path:
            node, met, targets = path[-1]
            if not marks[node]:
                turn = marks[node] = met
                open_nodes.append(node)
            for target in targets:
                if not marks[target]:
                    path.append((target, turn + 1, iter(successors[target])))
                    break
                if marks[target] > 0:
                    marks[node] = min(marks[node], marks[target])
            else:
                path.pop()
                if marks[node] == met:
                    number += 1
                    while (member := open_nodes.pop()) != node:
                        marks[member] = -number
                    marks[node] = -number
                elif path:
                    above = path[-1][0]
                    marks[above] = min(marks[above], marks[node])
    return [-mark for mark in marks]


def shortest_path(successors: Successors, start: int, end: int) -> list[int]:
    """The nodes from one to another that it reaches, both included: breadth first, O(nodes + edges)."""
    before = {start: start}
    waiting = deque([start])
    while waiting and end not in before:
        node = waiting.popleft()
        for target in successors[node]:
            if target not in before:
                before[target] = node
                waiting.append(target)
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]
