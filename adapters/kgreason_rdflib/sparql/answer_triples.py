"""CONSTRUCT as columns of ids: a template filled in with whole batches of solutions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from rdflib.term import BNode, Node, Variable

from kgreason import memory
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.checkpoints import checkpoint, passes
from kgreason.columns import sorted_sets
from kgreason.columns.rows import distinct, unpack
from kgreason.columns.sorted_columns import Column
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND
from kgreason.sparql.put_query import Answer
from kgreason.sparql.solutions import Ids, Solutions
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.rdflib_terms import to_model
from kgreason_rdflib.sparql.questions import Triples

Chunk = tuple[Ids, Ids, Ids]


def constructed(template: Triples, answer: Answer) -> Iterator[Chunk]:
    """The triples of a template for each solution; what RDF does not allow is left out."""
    terms = answer.terms
    ids = {each: terms.encode(to_model(each)) for triple in template for each in triple if not _varies(each)}
    for batch in answer.batches:
        for some in batch.spread_out(rdflib_tuning.FILLED_ROWS):
            for begin in range(0, some.length, rdflib_tuning.FILLED_ROWS):
                checkpoint()
                yield from _filled(template, some.slice(begin, begin + rdflib_tuning.FILLED_ROWS), ids, terms)


def each_once(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """All triples of chunks, each once and in order: 12 bytes of memory for each."""
    runs, rows = [], 0
    for chunk in chunks:
        rows += len(chunk[0])
        memory.check(36 * rows, "the triples of a CONSTRUCT")
        runs.append(distinct(chunk))
    for some in _merged(runs):
        for begin in range(0, len(some), rdflib_tuning.FILLED_ROWS):
            subjects, predicates, objects = unpack(some[begin : begin + rdflib_tuning.FILLED_ROWS], 3)
            yield subjects, predicates, objects


def _merged(runs: list[Column]) -> Iterator[Column]:
    """The rows of sorted sets, each once and in order, about `ORDERED_TRIPLES` at a time."""
    if len(runs) < 2:
        yield from runs
        return
    stride = rdflib_tuning.ORDERED_STRIDE
    sample = np.sort(np.concatenate([run[::stride] for run in runs]))
    pivots = sorted_sets.unique_of_sorted(np.ascontiguousarray(sample[:: rdflib_tuning.ORDERED_TRIPLES // stride][1:]))
    bounds = [[0, *np.searchsorted(run, pivots).tolist(), len(run)] for run in runs]
    for number in range(len(pivots) + 1):
        checkpoint()
        parts = [run[at[number] : at[number + 1]] for run, at in zip(runs, bounds, strict=True)]
        yield sorted_sets.unique(np.concatenate(parts))


def _filled(template: Triples, rows: Solutions, ids: dict[Node, int], terms: LocalTerms) -> Iterator[Chunk]:
    """The triples for the solutions of one batch, the blank nodes of the template new for each."""
    fresh: dict[Node, Ids] = {}
    for each in dict.fromkeys(term for triple in template for term in triple):
        if isinstance(each, BNode):
            fresh[each] = terms.encode_keys([f"_:{BNode()}" for _ in passes(range(rows.length))])

    def column(term: Node) -> Ids:
        if isinstance(term, Variable):
            return rows.column(str(term))
        return fresh[term] if term in fresh else np.full(rows.length, ids[term], dtype=np.uint32)

    for triple in template:
        subjects, predicates, objects = map(column, triple)
        allowed = (subjects != UNBOUND) & (predicates != UNBOUND) & (objects != UNBOUND)
        allowed &= np.isin(terms.kinds(subjects), (IRI_KIND, BLANK_KIND)) & (terms.kinds(predicates) == IRI_KIND)
        if allowed.any():
            yield subjects[allowed], predicates[allowed], objects[allowed]


def _varies(term: Node) -> bool:
    return isinstance(term, Variable | BNode)
