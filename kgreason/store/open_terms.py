"""Blank nodes in triple terms, for what orders and names blank nodes: the terms that have some, and what is in what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.rdf.model import BlankNode, Term, TripleTerm

Places: TypeAlias = NDArray[np.intp]


class OpenTerms:
    """Terms, with the blank nodes that are in triple terms alone behind them.

    `is_open` are the blank nodes, and the triple terms that have some. Each row of `outer`, `inner` and `positions` is
    a triple term, a blank node in it, and where that is.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = list(terms)
        places = {term: place for place, term in enumerate(terms) if isinstance(term, BlankNode)}
        rows: list[tuple[int, int, int]] = []
        for place, term in enumerate(terms):
            for position, node in enumerate(_nodes(term)) if isinstance(term, TripleTerm) else ():
                if node not in places:
                    places[node] = len(self.terms)
                    self.terms.append(node)
                rows.append((place, places[node], position))
        columns = np.array(rows, dtype=np.intp).reshape(-1, 3)
        self.outer, self.inner, self.positions = columns[:, 0], columns[:, 1], columns[:, 2]
        self.is_open = np.array([isinstance(term, BlankNode) for term in self.terms], dtype=np.bool_)
        self.is_open[self.outer] = True


def text_without_labels(term: Term) -> str:
    """A term without the labels of the blank nodes in it."""
    if isinstance(term, TripleTerm):
        return f"<<( {' '.join(map(text_without_labels, (term.subject, term.predicate, term.object)))} )>>"
    return "_:" if isinstance(term, BlankNode) else str(term)


def renamed(term: Term, names: Mapping[Term, BlankNode]) -> Term:
    """A term with other names of blank nodes, also in triple terms."""
    if isinstance(term, BlankNode):
        return names[term]
    if isinstance(term, TripleTerm):
        subject, object = renamed(term.subject, names), renamed(term.object, names)
        return TripleTerm(subject, term.predicate, object)  # type: ignore[arg-type]  # of the same kind as before
    return term


def _nodes(term: Term) -> Iterator[BlankNode]:
    """The blank nodes in a triple term, in their order."""
    if isinstance(term, BlankNode):
        yield term
    elif isinstance(term, TripleTerm):
        yield from (*_nodes(term.subject), *_nodes(term.object))
