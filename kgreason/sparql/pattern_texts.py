"""Patterns of a query as SPARQL writes them, to explain a plan."""

from __future__ import annotations

from kgreason.sparql.algebra import (
    Alternative,
    Atom,
    Inverse,
    NegatedSet,
    Path,
    PathPattern,
    QuadPattern,
    Repeat,
    Sequence,
    TriplePattern,
    TripleTermPattern,
)


def pattern_text(pattern: Atom) -> str:
    """An atom of a query as SPARQL writes it."""
    match pattern:
        case TriplePattern(subject, predicate, object):
            return f"{subject} {predicate} {object}"
        case QuadPattern(graph, subject, predicate, object):
            return f"{subject} {predicate} {object} in {graph}"
        case PathPattern(subject, path, object):
            return f"{subject} {path_text(path)} {object}"
        case TripleTermPattern(term, subject, predicate, object):
            return f"{term} = <<( {subject} {predicate} {object} )>>"


def path_text(path: Path) -> str:
    """A simplified path."""
    match path:
        case Inverse(inner):
            return f"^{path_text(inner)}"
        case Sequence(steps):
            return f"({'/'.join(map(path_text, steps))})"
        case Alternative(choices):
            return f"({'|'.join(map(path_text, choices))})"
        case Repeat(inner, optional, once):
            return path_text(inner) + ("?" if once else "*" if optional else "+")
        case NegatedSet(forward, inverse):
            texts = [str(iri) for iri in forward or ()] + [f"^{iri}" for iri in inverse or ()]
            return f"!({'|'.join(sorted(texts))})"
    return str(path)
