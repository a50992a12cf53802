"""Functions that look at an argument only where they need it, and tests of what kind of term one is."""

from __future__ import annotations

from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, where
from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.expressions.truth import Truth
from kgreason.algebra.local_terms import NO_KIND, UNBOUND
from kgreason.algebra.row_keys import Ids
from kgreason.columns.id_columns import repeated
from kgreason.errors import FunctionError
from kgreason.rdf.value_classes import ValueClass


def connected(decisive: bool, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """|| (`decisive` is true) and && (it is false): later arguments only for the rows that earlier ones leave open."""
    found = Truth.all(not decisive, len(batch))
    for argument in arguments:
        settled = found.true if decisive else ~(found.true | found.error)
        open_rows = where(~settled)
        if not len(open_rows):
            break
        if len(open_rows) * 2 > len(batch):
            more = evaluator.truth_of(argument, batch)
            found = found | more if decisive else found & more
        else:
            more = evaluator.truth_of(argument, batch.take(open_rows))
            known = found.take(open_rows)
            found.put(open_rows, known | more if decisive else known & more)
    return found


def bound(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """BOUND, of a variable."""
    (variable,) = arguments
    if not isinstance(variable, Variable):
        raise FunctionError("BOUND takes a variable")
    return Truth.known(batch.ids(variable) != UNBOUND)


def is_kind(kind: int, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """isIRI, isBlank and isLiteral, by the kind that they ask for."""
    (argument,) = arguments
    kinds = evaluator.terms.kinds(evaluator.ids_of(argument, batch))
    return Truth(kinds == kind, kinds == NO_KIND)


def is_numeric(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """isNumeric."""
    (argument,) = arguments
    classes = evaluator.operand(argument, batch).values.classes
    numeric = (classes >= ValueClass.INTEGER) & (classes <= ValueClass.DOUBLE)
    return Truth(numeric, classes == ValueClass.NOTHING)


def unchanged(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """The value itself."""
    return evaluator.ids_of(arguments[0], batch)


def negation(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """!, in error where its argument has no truth value."""
    return ~evaluator.truth_of(arguments[0], batch)


def effective(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """The effective boolean value as a value."""
    return evaluator.truth_of(arguments[0], batch)


def chosen(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """IF."""
    condition, then, otherwise = arguments
    truth = evaluator.truth_of(condition, batch)
    found = repeated(UNBOUND, len(batch))
    for rows, expression in ((where(truth.true), then), (where((~truth).true), otherwise)):
        if len(rows):
            found[rows] = evaluator.ids_of(expression, batch.take(rows))
    return found


def coalesced(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """COALESCE: the first value that there is."""
    found = repeated(UNBOUND, len(batch))
    for argument in arguments:
        rows = where(found == UNBOUND)
        if not len(rows):
            break
        found[rows] = evaluator.ids_of(argument, batch.take(rows) if len(rows) < len(batch) else batch)
    return found
