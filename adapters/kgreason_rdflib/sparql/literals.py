"""Literals of queries as they are written.

rdflib tidies a literal when it makes one: ``"01"^^xsd:integer`` becomes ``"1"``, and the ``Z`` of a time ``+00:00``. So do
its parsers with data, while ours, and `bulk_load`, keep what is written. A literal in a pattern means what is written, and
where the store does not have that what rdflib would have made of it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rdflib.plugins.sparql.algebra import traverse
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import Identifier, Literal


def as_written(tree: Any, prologue: Prologue) -> Any:
    """A parsed query with its typed literals as they are written."""
    return traverse(tree, visitPost=partial(_untidied, prologue=prologue))


def tidied(term: Identifier | None) -> Any:
    """What rdflib makes of a literal; anything else as it is."""
    if isinstance(term, Literal) and term.datatype is not None:
        return Literal(str(term), datatype=term.datatype)
    return term


def _untidied(part: Any, prologue: Prologue) -> Literal | None:
    if isinstance(part, CompValue) and part.name == "literal" and part.datatype is not None:
        return Literal(str(part.string), datatype=str(prologue.absolutize(part.datatype)), normalize=False)
    return None
