"""Simple entailment, for conformance suites: does a graph hold, with its blank nodes as existential variables?"""

from __future__ import annotations

from kgreason.rdf.model import BlankNode, Term

Triple = tuple[Term, Term, Term]


def entails(known: set[Triple], wanted: set[Triple]) -> bool:
    """Whether some mapping of the blank nodes of `wanted` to terms makes all its triples known."""
    return _search(known, _ordered(wanted), {})


def _ordered(wanted: set[Triple]) -> list[Triple]:
    """Ground triples first, then along the blank nodes, so that the search fails early."""
    ordered: list[Triple] = []
    bound: set[Term] = set()
    rest = sorted(wanted, key=lambda t: sum(isinstance(x, BlankNode) for x in t))
    while rest:
        rest.sort(key=lambda t: sum(isinstance(x, BlankNode) and x not in bound for x in t))
        triple = rest.pop(0)
        ordered.append(triple)
        bound |= {x for x in triple if isinstance(x, BlankNode)}
    return ordered


def _search(known: set[Triple], wanted: list[Triple], mapping: dict[Term, Term]) -> bool:
    if not wanted:
        return True
    pattern = tuple(mapping.get(term, term) for term in wanted[0])
    open_terms = [isinstance(x, BlankNode) and x not in mapping for x in wanted[0]]
    if not any(open_terms):
        return pattern in known and _search(known, wanted[1:], mapping)
    for triple in known:
        extended = dict(mapping)
        for term, is_open, value, expected in zip(wanted[0], open_terms, triple, pattern, strict=True):
            if is_open:
                if extended.setdefault(term, value) != value:
                    break
            elif value != expected:
                break
        else:
            if _search(known, wanted[1:], extended):
                return True
    return False
