"""Triples with the graphs that show them: what `ReasoningStore.triples` hands out where all graphs are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from rdflib.graph import Graph

from kgreason.store.triple_view import Run, View
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.triple_rows import few_ids, few_of, few_rows, ids_of, pieces_of, rows_of, same_terms

Named: TypeAlias = Callable[[Sequence[int]], Sequence[Graph]]
"""From the ids of the graphs in which a triple is explicit to the graphs that a list of quads names."""

QuadRow: TypeAlias = tuple[Triple, Iterator[Graph]]


class Holders(Protocol):
    """Knows in which graphs triples are explicit, as `kgreason.store.graph_holdings`."""

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]: ...

    def graphs_of_run(self, run: Run) -> list[Sequence[int]]: ...


IdentifiedRows: TypeAlias = list[tuple[Triple, tuple[int, int, int]]]
"""Triples with their ids."""


def read_few(view: View, pattern: Any, border: TermBorder) -> IdentifiedRows | None:
    """The triples of a view that match a pattern of rdflib terms; None where they may be many."""
    ids = ids_of(pattern, border)
    few = [] if ids is None else few_of(view, ids)
    if few is None or ids is None:
        return None if few is None else []
    return list(zip(few_rows(few, ids, pattern, border), few_ids(few, ids), strict=True))


def with_graphs(rows: IdentifiedRows, holders: Holders, named: Named) -> Iterator[QuadRow]:
    """Each with its graphs, which are looked for when they are asked for."""
    return ((row, _graphs(holders, triple, named)) for row, triple in rows)


def read_many(view: View, pattern: Any, border: TermBorder, holders: Holders, named: Named) -> Iterator[QuadRow]:
    """The triples of a view that match a pattern of rdflib terms, each with its graphs."""
    ids = ids_of(pattern, border)
    if ids is not None:
        same = same_terms(pattern, ids, border)
        for piece in pieces_of(view.runs(*ids)):
            graphs = _GraphsOfPiece(piece, holders, named)
            yield from ((row, graphs.of(number)) for number, row in enumerate(rows_of(piece, same, border)))


def _graphs(holders: Holders, triple: tuple[int, int, int], named: Named) -> Iterator[Graph]:
    yield from named(holders.graphs_of(*triple))


class _GraphsOfPiece:
    """The graphs of the triples of a piece, found together when something asks for those of one."""

    __slots__ = ("_found", "_holders", "_named", "_piece")

    def __init__(self, piece: Run, holders: Holders, named: Named) -> None:
        self._piece = piece
        self._holders = holders
        self._named = named
        self._found: list[Sequence[Graph]] | None = None

    def of(self, number: int) -> Iterator[Graph]:
        if self._found is None:
            holders = self._holders.graphs_of_run(self._piece)
            names = {graphs: self._named(graphs) for graphs in set(holders)}
            self._found = [names[graphs] for graphs in holders]
        yield from self._found[number]
