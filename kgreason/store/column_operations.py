"""Filters and assignments of rules on id columns: what the engine asks of terms, answered by a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kgreason.algebra.local_terms import UNBOUND, LocalTerms, StoredTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.rules.rule_inputs import KeysOfRows, Side, Tick
from kgreason.engine.rules.template_parts import Operation, Slot, Summary
from kgreason.rdf.keys import IRI_KIND, LITERAL_KIND
from kgreason.relations.codes import PROPERTY
from kgreason.relations.table import Ids, Index, Mask

# All functions there are come with the evaluator, a sixth of what a store imports. Most programs have no filter, or
# none whose rule is ever reached.
if TYPE_CHECKING:
    from kgreason.algebra.expressions.operands import ColumnBatch
    from kgreason.algebra.expressions.order_ranks import Ranks
    from kgreason.algebra.summaries import Summariser


class Operations:
    """The engine's `Terms` protocol. Terms that are made on the way to a value are not added to the dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def object_only_mask(self) -> Mask:
        """For each id whether it stands in the place of objects alone."""
        return self._dictionary.object_only_mask()

    def names(self, identifiers: Ids, kind: int) -> Mask:
        """For each id whether it can name a relation of a kind: a class is an IRI or blank node, a property an IRI."""
        kinds = self._dictionary.kinds(identifiers)
        return np.asarray(kinds == IRI_KIND if kind == PROPERTY else kinds < LITERAL_KIND)

    def test(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick = lambda: None
    ) -> Mask:
        """For each row whether the operation is true; an error is false. `tick` is called now and then."""
        compared = self._compared(operation, columns)
        if compared is not None:
            return np.broadcast_to(compared, (length,))
        from kgreason.algebra.expressions.evaluator import ColumnEvaluator

        evaluator = ColumnEvaluator(LocalTerms(self._dictionary), tick)
        return evaluator.passes(operation, self._batch(columns, length))

    def _compared(self, operation: Operation, columns: Mapping[Slot, Ids]) -> Mask | None:
        """What ``=`` and ``!=`` say of columns of which one has no literals: equal terms have one id then, and the
        evaluator takes several times as long. None for all other operations."""
        if operation.function not in ("=", "!="):
            return None
        left, right = (columns.get(each) if isinstance(each, int) else None for each in operation.arguments)
        if left is None or right is None:
            return None
        are_literals = self.object_only_mask()
        if are_literals.take(left).any() and are_literals.take(right).any():
            return None
        return np.asarray(left != right if operation.function == "!=" else left == right)

    def compute(
        self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick = lambda: None
    ) -> tuple[Ids, Mask, int]:
        """For each row the id of the operation's value, which is new in the dictionary where it must be, and whether it
        has one; and how many characters have the terms that are new. `tick` is called now and then."""
        from kgreason.algebra.expressions.evaluator import ColumnEvaluator

        terms = LocalTerms(self._dictionary)
        values = ColumnEvaluator(terms, tick).values(operation, self._batch(columns, length))
        return terms.stored(values), values != UNBOUND, terms.stored_characters

    def keys(
        self, symbol: str, left: Side, right: Side, tick: Tick = lambda: None
    ) -> tuple[KeysOfRows, KeysOfRows]:
        """For each row of two sides of ``=`` or ``sameterm`` a key, which is the same where it holds, and whether it
        may hold. `tick` is called now and then."""
        from kgreason.algebra.expressions.equality_keys import has_singles, term_keys, value_keys
        from kgreason.algebra.expressions.evaluator import ColumnEvaluator

        terms = LocalTerms(self._dictionary)
        evaluator = ColumnEvaluator(terms, tick)
        batches = ((side.operation, self._batch(side.columns, side.length)) for side in (left, right))
        mine, theirs = (evaluator.values(operation, batch) for operation, batch in batches)
        if symbol != "=":
            return term_keys(mine), term_keys(theirs)
        are_rounded = has_singles(mine, terms) or has_singles(theirs, terms)
        return value_keys(mine, terms, are_rounded), value_keys(theirs, terms, are_rounded)

    def ranks(self, sides: Sequence[Side], tick: Tick = lambda: None) -> list[Ranks]:
        """The ranks of the rows of several sides, by which values are found that are less or greater than others.
        `tick` is called now and then."""
        from kgreason.algebra.expressions.evaluator import ColumnEvaluator
        from kgreason.algebra.expressions.order_ranks import ranks_of

        evaluator = ColumnEvaluator(LocalTerms(self._dictionary), tick)
        batches = ((side.operation, self._batch(side.columns, side.length)) for side in sides)
        return ranks_of([evaluator.columns(operation, batch) for operation, batch in batches])

    def summariser(self, summary: Summary) -> Summariser:
        """What an aggregate makes of groups, whose members are still to come: terms that are new in the dictionary
        where they must be."""
        from kgreason.algebra.summaries import Summariser

        return Summariser(summary.function, summary.separator, StoredTerms(self._dictionary))

    def integers(self, numbers: Index) -> Ids:
        """The ids of integer literals."""
        return StoredTerms(self._dictionary).encode_integers(numbers)

    def _batch(self, columns: Mapping[Slot, Ids], length: int) -> ColumnBatch:
        """The columns as a batch; a parameter is a column of one id, or of one for each row."""
        from kgreason.algebra.expressions.operands import ColumnBatch

        constants = {s: int(column[0]) for s, column in columns.items() if s < 0 and len(column) == 1}
        others = {s: column for s, column in columns.items() if s not in constants}
        return ColumnBatch(others, length, constants, self._dictionary.decode)
