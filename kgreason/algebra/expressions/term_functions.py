"""Functions of terms over columns: once for each distinct combination of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import urljoin

import numpy as np

from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, Tick
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Ids, distinct_ids, keys_of, numbered
from kgreason.checkpoints import passes, text_passes
from kgreason.columns.id_columns import repeated
from kgreason.errors import FunctionError, TermError
from kgreason.rdf.functions import evaluate
from kgreason.rdf.keys import held_key, term_of
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.strings import simple_text
from kgreason.rdf.text_lengths import check_length

TermFunction = Callable[[Sequence[Term]], Term]


def called(apply: TermFunction, columns: Sequence[Ids], length: int, terms: LocalTerms, tick: Tick) -> Ids:
    """The ids of a function's values, UNBOUND where an argument is unbound or the function in error: some microseconds
    for each distinct combination of arguments. `tick` is called before each of these."""
    if not columns:
        return repeated(encoded([applied_once(apply, (), tick)], terms)[0], length)
    distinct = [distinct_ids(column) for column in columns]
    if len(columns) == 1:
        ids, numbers = distinct[0]
        choices = [ids]
    else:
        first, numbers = numbered(keys_of([n.astype(np.uint32) for _, n in distinct], length))
        choices = [column[first] for column in columns]
    bound = np.flatnonzero(np.logical_and.reduce([ids != UNBOUND for ids in choices]))
    arguments = zip(*(_terms_of(ids[bound], terms) for ids in choices), strict=True)
    found = repeated(UNBOUND, len(choices[0]))
    found[bound] = encoded([applied_once(apply, row, tick) for row in arguments], terms)
    return np.asarray(found[numbers])


def resolved_iri(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """IRI and URI: relative IRIs are resolved against the base, if there is one."""
    columns = [evaluator.ids_of(argument, batch) for argument in arguments]
    base = evaluator.surroundings.base
    apply = partial(evaluate, "iri") if base is None else partial(_resolved, base)
    return called(apply, columns, len(batch), evaluator.terms, evaluator.tick)


def _resolved(base: str, arguments: Sequence[Term]) -> Term:
    (term,) = arguments
    return term if isinstance(term, IRI) else IRI(urljoin(base, simple_text(term)))


def applied_once(apply: TermFunction, arguments: Sequence[Term | None], tick: Tick) -> Term | None:
    """The value of a function, None where it or an argument is in error; QueryLimitError for too long a text."""
    tick()
    terms = [term for term in arguments if term is not None]
    if len(terms) < len(arguments):
        return None
    try:
        value = apply(terms)
    except FunctionError:
        return None
    if isinstance(value, Literal):
        check_length(len(value.lexical))
    return value


def encoded(values: Sequence[Term | None], terms: LocalTerms) -> Ids:
    """The ids of values, UNBOUND for None and for what is not a valid term."""
    return encoded_keys([_key(value) for value in passes(values, 4096)], terms)


def _key(value: Term | None) -> str | None:
    try:
        return None if value is None else held_key(value)
    except TermError:
        return None


def encoded_keys(keys: Sequence[str | None], terms: LocalTerms) -> Ids:
    """The ids of keys, UNBOUND for None."""
    found = repeated(UNBOUND, len(keys))
    made = [row for row, key in enumerate(keys) if key is not None]
    found[made] = terms.encode_keys([key for key in keys if key is not None])
    return found


def _terms_of(ids: Ids, terms: LocalTerms) -> list[Term]:
    """The terms of ids; one that comes again and again is made once."""
    distinct, numbers = distinct_ids(ids)
    read = (terms.keys(distinct[rows]) for rows in terms.text_passes(distinct))
    made = [term_of(key) for keys in read for key in text_passes(keys)]
    return [made[number] for number in numbers.tolist()]
