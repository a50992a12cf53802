"""What is noted while a plan runs.

Would catch a pattern with the same atom twice that cannot be explained when its plan is changed.
"""

from __future__ import annotations

from types import SimpleNamespace

from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Basic, TriplePattern
from kgreason.sparql.plan_trace import Journal


def triple(subject: str, object: str) -> TriplePattern:
    return TriplePattern(Variable(subject), IRI("p"), Variable(object))


def test_steps_of_the_same_atom_are_one_line() -> None:
    node, journal = Basic(()), Journal()
    first, second, other = (
        SimpleNamespace(atom=SimpleNamespace(pattern=pattern), conditions=(), expected=expected)
        for pattern, expected in ((triple("x", "y"), 3.0), (triple("x", "y"), 1.0), (triple("y", "z"), 2.0))
    )

    journal.plan(node, (first, second, other))
    journal.planned_again(node, (first, second, other), (other, first, second))
    journal.step(node, first, 5)

    assert journal.lines(node) == ["?y <p> ?z  (expected 2, found 0)", "?x <p> ?y  (expected 4, found 5)"]
