"""Declarations of earlier drafts as rules: ``TRANSITIVE(:p)``, ``SYMMETRIC(:p)`` and ``INVERSE(:p, :q)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import Position
from kgreason.program.rules import TripleAtom
from kgreason.rdf.model import IRI
from kgreason.sparql_rl.rule_set import Patterns, RuleText

DECLARATIONS: Final = {"TRANSITIVE": 1, "SYMMETRIC": 1, "INVERSE": 2}
"""Their words, and how many properties they take."""

_X, _Y, _Z = Variable("x"), Variable("y"), Variable("z")


def declared_rules(word: str, properties: Sequence[IRI], name: str, position: Position) -> list[RuleText]:
    """The rules that a declaration of properties stands for."""
    first, last = properties[0], properties[-1]
    pairs = [(TripleAtom(_X, first, _Y), [TripleAtom(_Y, last, _X)])]
    if word == "INVERSE":
        pairs.append((TripleAtom(_X, last, _Y), [TripleAtom(_Y, first, _X)]))
    elif word == "TRANSITIVE":
        pairs = [(TripleAtom(_X, first, _Z), [TripleAtom(_X, first, _Y), TripleAtom(_Y, first, _Z)])]
    return [RuleText((head,), (Patterns(tuple(body)),), False, name, position) for head, body in pairs]
