"""Simple entailment, for conformance suites: does a graph hold, with its blank nodes as existential variables?"""

from __future__ import annotations

from kgreason.rdf.model import BlankNode, Term, TripleTerm

Triple = tuple[Term, Term, Term]


def entails(known: set[Triple], wanted: set[Triple]) -> bool:
    """Whether some mapping of the blank nodes of `wanted` to terms makes all its triples known."""
    return _search(known, _ordered(wanted), {})


def _ordered(wanted: set[Triple]) -> list[Triple]:
    """Ground triples first, then along the blank nodes, so that the search fails early."""
    ordered: list[Triple] = []
    bound: set[Term] = set()
    rest = sorted(wanted, key=lambda t: sum(len(blanks_of(x)) for x in t))
    while rest:
        rest.sort(key=lambda t: sum(len(blanks_of(x) - bound) for x in t))
        triple = rest.pop(0)
        ordered.append(triple)
        bound = bound.union(*map(blanks_of, triple))
    return ordered


def _search(known: set[Triple], wanted: list[Triple], mapping: dict[Term, Term]) -> bool:
    if not wanted:
        return True
    if not any(map(blanks_of, wanted[0])):
        return wanted[0] in known and _search(known, wanted[1:], mapping)
    for triple in known:
        extended: dict[Term, Term] | None = dict(mapping)
        for term, value in zip(wanted[0], triple, strict=True):
            extended = _matched(term, value, extended)
        if extended is not None and _search(known, wanted[1:], extended):
            return True
    return False


def _matched(term: Term, value: Term, mapping: dict[Term, Term] | None) -> dict[Term, Term] | None:
    """The mapping that makes a term another one; None where there is none."""
    if mapping is None:
        return None
    if isinstance(term, BlankNode):
        return mapping if mapping.setdefault(term, value) == value else None
    if isinstance(term, TripleTerm) and isinstance(value, TripleTerm):
        if term.predicate != value.predicate:
            return None
        return _matched(term.object, value.object, _matched(term.subject, value.subject, mapping))
    return mapping if term == value else None


def blanks_of(term: Term) -> set[Term]:
    """The blank nodes of a term, also those inside of a triple term."""
    if isinstance(term, TripleTerm):
        return blanks_of(term.subject) | blanks_of(term.object)
    return {term} if isinstance(term, BlankNode) else set()
