"""Functions of queries that return something new in each solution (BNODE, RAND, UUID, STRUUID), or in each query (NOW).

Rules have none of them: what they derive must not depend on when and how often they run.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from kgreason.algebra import algebra_tuning
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator
from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import Ids
from kgreason.checkpoints import passes
from kgreason.columns.id_columns import repeated
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.numbers import number_literal
from kgreason.rdf.times import now_literal
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import XSD_DOUBLE

SOLUTION: Final = Variable("#solution")
"""Its column numbers the solutions, so that BNODE("a") is the same node wherever it stands in one of them."""


class FreshTerms:
    """Makes new terms for one query."""

    def __init__(self) -> None:
        self.prefix = f"b{uuid.uuid4().hex}"
        self._used = 0

    def numbers(self, length: int) -> Ids:
        """Numbers that were not given before."""
        self._used += length
        return np.arange(self._used - length, self._used, dtype=np.uint32)


def bnode(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """BNODE(): a new node in each row. BNODE(text): a node for each solution and string; an error for other terms."""
    fresh = _fresh(evaluator)
    if not arguments:
        own = fresh.numbers(len(batch)).tolist()
        return _encoded((BlankNode(f"{fresh.prefix}n{number}") for number in own), evaluator)
    texts = evaluator.ids_of(arguments[0], batch)
    numbers = batch.ids(SOLUTION)
    if (numbers == UNBOUND).any():
        numbers = fresh.numbers(len(batch))
    found = repeated(UNBOUND, len(batch))
    rows = np.flatnonzero(evaluator.terms.values_of(texts).classes == ValueClass.STRING)
    named = zip(numbers[rows].tolist(), texts[rows].tolist(), strict=True)
    found[rows] = _encoded((BlankNode(f"{fresh.prefix}s{n}t{t}") for n, t in named), evaluator)
    return found


def _fresh(evaluator: Evaluator) -> FreshTerms:
    fresh = evaluator.surroundings.fresh
    assert fresh is not None, "only queries make new terms"
    return fresh


def _each(make: Callable[[], Term]) -> Callable[[Evaluator, Arguments, Batch], Ids]:
    def made(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
        return _encoded((make() for _ in range(len(batch))), evaluator)

    return made


def _encoded(terms: Iterable[Term], evaluator: Evaluator) -> Ids:
    """The ids of terms, which are valid."""
    return evaluator.terms.encode_keys([*passes(map(key_of, terms), algebra_tuning.FRESH_TERMS)])


rand: Final = _each(lambda: number_literal(random.random(), XSD_DOUBLE))
uuid_iri: Final = _each(lambda: IRI(uuid.uuid4().urn))
uuid_text: Final = _each(lambda: Literal(str(uuid.uuid4())))


def now(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """NOW: the same moment in the whole query."""
    moment = evaluator.surroundings.now
    assert moment is not None, "only queries have a moment"
    return evaluator.ids_of(now_literal(moment), batch)
