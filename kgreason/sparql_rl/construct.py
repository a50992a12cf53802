"""CONSTRUCT in a rule set: the elements of its WHERE as those of a rule.

    CONSTRUCT { ?x :risk ?r } WHERE { ?x :severity ?s BIND(?s * 2 AS ?r) FILTER(BOUND(?r)) }

An error leaves the variable of BIND unbound, and SET gives no solution. So such a variable must be tested with BOUND,
or be in all triples of the head, and not in a pattern before it is tested.

``WHERE { GRAPH <urn:graph:base> { ... } }`` and ``FILTER NOT EXISTS { GRAPH <urn:graph:base> { ... } }`` look at the
base graph alone, as ``WHERE DATA`` and ``NOT DATA`` do: so it is proposed for the draft (w3c/data-shapes, 1271).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import Position, RuleSyntaxError
from kgreason.program.rules import TripleAtom
from kgreason.rdf.model import IRI
from kgreason.sparql_rl.rule_set import Assign, Element, Patterns

BASE_GRAPH: Final = IRI("urn:graph:base")
"""Names the base graph in a CONSTRUCT."""


@dataclass(frozen=True, slots=True)
class Bound:
    """``FILTER(BOUND(?v))``"""

    variable: Variable
    position: Position = field(compare=False, repr=False)


ConstructElement: TypeAlias = Element | Bound


def rule_elements(elements: Sequence[ConstructElement], head: Sequence[TripleAtom]) -> list[Element]:
    """The elements of a rule that derives what a CONSTRUCT makes.

    Raises:
        RuleSyntaxError: a BOUND is not of a BIND before it, or an unbound variable would make a difference.
    """
    untested: dict[Variable, Position] = {}
    assigned: set[Variable] = set()
    found: list[Element] = []
    for element in elements:
        match element:
            case Bound(variable, position):
                if variable not in assigned:
                    raise _error(f"BOUND({variable}), which no BIND before it gives a value", position)
                untested.pop(variable, None)
            case Assign(variable, _, position):
                assigned.add(variable)
                untested[variable] = position
                found.append(element)
            case _:
                if isinstance(element, Patterns):
                    _require_tested(untested, {*element.variables()} & untested.keys())
                found.append(element)
    _require_tested(untested, {v for v in untested if not all(v in triple.arguments for triple in head)})
    return found


def _require_tested(untested: dict[Variable, Position], wanted: set[Variable]) -> None:
    for variable, position in untested.items():
        if variable in wanted:
            expected = f"FILTER(BOUND({variable})) behind it"
            raise _error(f"a BIND that may leave {variable} unbound", position, expected)


def _error(reason: str, position: Position, expected: str | None = None) -> RuleSyntaxError:
    return RuleSyntaxError(reason, position, expected=expected)
