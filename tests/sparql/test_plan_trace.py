"""What is noted while a plan runs.

Would catch a pattern with the same atom twice that cannot be explained when its plan is changed.
"""

from __future__ import annotations

from types import SimpleNamespace

from kgreason.sparql.algebra import Basic
from kgreason.sparql.plan_trace import Journal


def test_steps_of_the_same_atom_are_one_line() -> None:
    node, journal = Basic(()), Journal()
    first, second, other = (
        SimpleNamespace(atom=SimpleNamespace(label=label), conditions=(), expected=expected)
        for label, expected in (("?x a ?y", 3.0), ("?x a ?y", 1.0), ("?y a ?z", 2.0))
    )

    journal.plan(node, (first, second, other))
    journal.planned_again(node, (first, second, other), (other, first, second))
    journal.step(node, first, 5)

    assert journal.lines(node) == ["?y a ?z  (expected 2, found 0)", "?x a ?y  (expected 4, found 5)"]
