"""Templates of updates filled in with solutions: columns of quads, whole batches at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from rdflib.term import BNode, Node, URIRef, Variable

from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.checkpoints import checkpoint, passes
from kgreason.errors import ReadOnlyError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, iri_key
from kgreason.sparql.solutions import Ids, Mask, Solutions
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.graph_scopes import DEFAULT, EXPLICIT, INFERRED
from kgreason_rdflib.sparql.update_operations import Quad
from kgreason_rdflib.term_border import TermBorder

Identify = Callable[[Any], "int | None"]
"""The id of a term, None for one that has none."""


class Filling:
    """Fills in templates; what RDF does not allow, or a solution leaves unbound, is left out."""

    def __init__(self, terms: LocalTerms, border: TermBorder, default: int) -> None:
        """`default` is the id of the graph that stands for the default one."""
        self._terms = terms
        self._border = border
        self._default = default

    def deleted(self, template: Iterable[Quad], solutions: Solutions) -> Quads:
        """The quads to take away. A term that the store does not know is in none of them, nor is a blank node.

        Raises:
            TermError: the template has an IRI that is not valid and that the store does not know.
        """
        known = _mapped(solutions, self._known)
        places = [quad for quad in template if not any(isinstance(term, BNode) for term in quad)]
        return self._filled(places, known, self._looked_up, {})

    def inserted(self, template: Iterable[Quad], solutions: Solutions) -> Quads:
        """The quads to add: the blank nodes of the template are new ones for each solution."""
        known = _mapped(solutions, self._encoded)
        places = tuple(template)
        encode_keys = self._terms.dictionary.encode_keys
        blanks: set[Node] = {term for quad in places for term in quad if isinstance(term, BNode)}
        fresh = {blank: encode_keys(f"_:{BNode()}" for _ in passes(range(known.length))) for blank in blanks}
        return self._filled(places, known, self._border.encode_of_document, fresh)

    def _filled(
        self, places: Iterable[Quad], solutions: Solutions, identify: Identify, fresh: Mapping[Node, Ids]
    ) -> Quads:
        if not solutions.length:
            return Quads.empty()
        varying = (Variable,) if solutions.length == 1 else (Variable, BNode)
        data: list[Quad] = []
        others: list[Quad] = []
        for quad in places:
            (others if any(isinstance(term, varying) for term in quad) else data).append(quad)
        filled = [
            self._quads(quad, part, identify, {blank: found[rows] for blank, found in fresh.items()})
            for rows, part in (_sliced(solutions) if others else ())
            for quad in others
        ]
        return Quads.concatenated([self._data(data, identify, fresh), *filled] if data else filled)

    def _data(self, quads: list[Quad], identify: Identify, fresh: Mapping[Node, Ids]) -> Quads:
        """Quads that are the same for all solutions."""
        known = {blank: identifiers.item(0) for blank, identifiers in fresh.items() if len(identifiers) == 1}

        def identified(term: Node) -> int:
            found = known.get(term)
            if found is None:
                identifier = identify(term)
                found = known[term] = UNBOUND if identifier is None else identifier
            return found

        triples = zip(*(quad[1:] for quad in passes(quads)), strict=True)
        columns = [np.array(list(map(identified, terms)), dtype=np.uint32) for terms in triples]
        names = [self._default if quad[0] is None else identified(quad[0]) for quad in quads]
        named = np.array([quad[0] is not None for quad in quads], dtype=np.bool_)
        return self._allowed(np.array(names, dtype=np.uint32), columns, named)

    def _quads(
        self, quad: Quad, solutions: Solutions, identify: Identify, fresh: Mapping[Node, Ids]
    ) -> Quads:
        name, *triple = quad
        columns = [self._column(term, solutions, identify, fresh) for term in triple]
        if name is None:
            graphs = np.full(solutions.length, self._default, dtype=np.uint32)
        else:
            graphs = self._column(name, solutions, identify, fresh)
        return self._allowed(graphs, columns, np.full(solutions.length, name is not None))

    def _allowed(self, graphs: Ids, columns: list[Ids], named: Mask) -> Quads:
        """The quads that RDF allows; `named` are those whose graph has a name in the template."""
        bound = (graphs != UNBOUND) | ~named
        rows = np.flatnonzero(np.logical_and.reduce([bound, *(column != UNBOUND for column in columns)]))
        subjects, predicates, objects = (column[rows] for column in columns)
        graphs, named = graphs[rows], named[rows]
        kinds = self._terms.dictionary.kinds
        allowed = np.isin(kinds(subjects), (IRI_KIND, BLANK_KIND)) & (kinds(predicates) == IRI_KIND)
        if named.any():
            allowed[named] &= kinds(graphs[named]) == IRI_KIND
            graphs[named] = self._named(graphs[named])
        return Quads(graphs[allowed], subjects[allowed], predicates[allowed], objects[allowed])

    def _column(
        self, term: Node, solutions: Solutions, identify: Identify, fresh: Mapping[Node, Ids]
    ) -> Ids:
        if isinstance(term, Variable):
            return solutions.column(str(term))
        if isinstance(term, BNode):
            return fresh[term]
        identifier = identify(term)
        return np.full(solutions.length, UNBOUND if identifier is None else identifier, dtype=np.uint32)

    def _named(self, graphs: Ids) -> Ids:
        """The ids of graphs for those of their names."""
        for name in (EXPLICIT, INFERRED):
            if (graphs == self._border.lookup(name)).any():
                raise ReadOnlyError(f"the graph <{name}> is read-only")
        default = self._border.lookup(DEFAULT)
        return graphs if default is None else np.where(graphs == default, np.uint32(DEFAULT_GRAPH), graphs)

    def _looked_up(self, term: Node) -> int | None:
        known = self._border.lookup(term)
        if known is None and isinstance(term, URIRef):
            iri_key(str(term))
        return known

    def _known(self, column: Ids) -> Ids:
        return np.where(column > self._terms.highest, np.uint32(UNBOUND), column)

    def _encoded(self, column: Ids) -> Ids:
        made = (column > self._terms.highest) & (column != UNBOUND)
        if not made.any():
            return column
        distinct, numbers = np.unique(column[made], return_inverse=True)
        encode, decode = self._terms.dictionary.encode, self._terms.decode
        new = [encode(decode(identifier)) for identifier in passes(distinct.tolist())]
        identifiers = np.array(new, dtype=np.uint32)
        found = column.copy()
        found[made] = identifiers[numbers]
        return found


def _sliced(solutions: Solutions) -> Iterator[tuple[slice, Solutions]]:
    """Solutions some at a time, so that limits hold while templates are filled in."""
    for start in range(0, solutions.length, rdflib_tuning.FILLED_QUAD_ROWS):
        checkpoint()
        rows = slice(start, min(start + rdflib_tuning.FILLED_QUAD_ROWS, solutions.length))
        yield rows, Solutions({n: column[rows] for n, column in solutions.columns.items()}, rows.stop - start)


def _mapped(solutions: Solutions, change: Callable[[Ids], Ids]) -> Solutions:
    return Solutions({name: change(column) for name, column in solutions.columns.items()}, solutions.length)
