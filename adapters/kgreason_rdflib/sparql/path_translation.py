"""From rdflib's property paths to kgreason's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rdflib import paths
from rdflib.term import URIRef

from kgreason.rdf.model import IRI
from kgreason.sparql import algebra
from kgreason_rdflib.sparql.fallback import UntranslatableError


def path(value: Any) -> algebra.Path:
    """A property path."""
    if isinstance(value, URIRef):
        return IRI(str(value))
    if isinstance(value, paths.InvPath):
        return algebra.Inverse(path(value.arg))
    if isinstance(value, paths.SequencePath):
        return algebra.Sequence(tuple(map(path, value.args)))
    if isinstance(value, paths.AlternativePath):
        return algebra.Alternative(tuple(map(path, value.args)))
    if isinstance(value, paths.MulPath):
        return algebra.Repeat(path(value.path), optional=value.zero, once=not value.more)
    if isinstance(value, paths.NegatedPath):
        return _negated(value.args)
    raise UntranslatableError(f"the path {value!r}")


def _negated(parts: Iterable[Any]) -> algebra.NegatedSet:
    forward: set[IRI] = set()
    inverse: set[IRI] = set()
    for part in parts:
        if isinstance(part, URIRef):
            forward.add(IRI(str(part)))
        elif isinstance(part, paths.InvPath) and isinstance(part.arg, URIRef):
            inverse.add(IRI(str(part.arg)))
        else:
            raise UntranslatableError(f"{part!r} in a negated property set")
    return algebra.NegatedSet(
        frozenset(forward) if forward or not inverse else None, frozenset(inverse) if inverse else None
    )
