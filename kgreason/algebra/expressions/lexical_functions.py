"""Functions of one term that its key shows: for each distinct id a slice of a text, and no term object."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from kgreason.algebra import algebra_tuning
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, where
from kgreason.algebra.expressions.truth import Mask
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Ids, distinct_ids
from kgreason.checkpoints import text_passes
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.literal_suffixes import Suffixes
from kgreason.rdf.keys import IRI_KIND, LITERAL_KIND
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.moments import midnight_begun
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import RDF_DIR_LANG_STRING, RDF_LANG_STRING, XSD_INTEGER, XSD_STRING

Accepted: TypeAlias = Callable[[LocalTerms, Ids], Mask]
"""For each id whether a function takes its term; for others it is in error."""


def lexical(function: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """The ids of the values of one of `LEXICAL`, UNBOUND for errors: a part of a microsecond for each distinct id."""
    accepted, apply = LEXICAL[function]
    column = evaluator.ids_of(arguments[0], batch)
    of_ids = _of_suffixes if function in _OF_SUFFIXES else _of_keys
    return _applied(evaluator, column, accepted, lambda ids: of_ids(evaluator.terms, ids, apply))


def integer_of(constant: Term | None) -> int | None:
    """The value of a short integer, None for any other term."""
    if not isinstance(constant, Literal) or constant.datatype != XSD_INTEGER:
        return None
    return int(constant.lexical) if _DIGITS.fullmatch(constant.lexical) else None


def _applied(
    evaluator: Evaluator, column: Ids, accepted: Accepted, of_ids: Callable[[Ids], Ids]
) -> Ids:
    ids, numbers = distinct_ids(column)
    rows = where(accepted(evaluator.terms, ids))
    found = repeated(UNBOUND, len(ids))
    found[rows] = of_ids(ids[rows])
    return np.asarray(found[numbers])


def _of_keys(terms: LocalTerms, ids: Ids, apply: Callable[[str], str]) -> Ids:
    read = (terms.keys(ids[rows]) for rows in terms.text_passes(ids))
    return terms.encode_keys([apply(key) for keys in read for key in text_passes(keys)])


def _of_suffixes(terms: LocalTerms, ids: Ids, apply: Callable[[str], str]) -> Ids:
    """What depends on the language or datatype alone: once for each of these."""
    if len(ids) <= algebra_tuning.FEW_LEXICAL:
        return _of_keys(terms, ids, apply)
    try:
        suffixes = Suffixes.joined([Suffixes.of(terms.key_column(ids[rows])) for rows in terms.text_passes(ids)])
    except UnicodeEncodeError:  # a lone surrogate, which no Arrow column holds
        return _of_keys(terms, ids, apply)
    made = terms.encode_keys([apply(f'""{suffix}') for suffix in suffixes.texts])
    return np.asarray(made[suffixes.codes])


def _are_literals(terms: LocalTerms, ids: Ids) -> Mask:
    return np.asarray(terms.kinds(ids) == LITERAL_KIND)


def are_texts(terms: LocalTerms, ids: Ids) -> Mask:
    """The rows that string functions take."""
    classes = terms.values_of(ids).classes
    strings = (classes >= ValueClass.STRING) & (classes <= ValueClass.TAGGED)
    return np.asarray(strings | (classes == ValueClass.ILL_TEXT))


def are_untagged(terms: LocalTerms, ids: Ids) -> Mask:
    """The rows that have a string without a language."""
    return np.asarray(are_texts(terms, ids) & (terms.values_of(ids).classes != ValueClass.TAGGED))


def have_text(terms: LocalTerms, ids: Ids) -> Mask:
    """The rows for which STR has a value."""
    kinds = terms.kinds(ids)
    return np.asarray((kinds == LITERAL_KIND) | (kinds == IRI_KIND))


def _are_days(terms: LocalTerms, ids: Ids) -> Mask:
    classes = terms.values_of(ids).classes
    return np.asarray((classes >= ValueClass.DATETIME) & (classes <= ValueClass.DATE_ZONED))


def _are_clocks(terms: LocalTerms, ids: Ids) -> Mask:
    classes = terms.values_of(ids).classes
    days = (classes == ValueClass.DATE) | (classes == ValueClass.DATE_ZONED)
    return np.asarray((classes >= ValueClass.DATETIME) & (classes <= ValueClass.TIME_ZONED) & ~days)


def plain(key: str) -> str:
    """The key of the text of a literal or an IRI."""
    return key[: key.rindex('"') + 1] if key[0] == '"' else f'"{key}"'


def _language(key: str) -> str:
    suffix = key[key.rindex('"') + 1 :]
    return f'"{suffix[1:].partition("--")[0]}"' if suffix[:1] == "@" else '""'


def _datatype(key: str) -> str:
    suffix = key[key.rindex('"') + 1 :]
    if suffix[:1] == "@":
        return RDF_DIR_LANG_STRING if "--" in suffix else RDF_LANG_STRING
    return suffix[2:] if suffix else XSD_STRING


def lower(key: str) -> str:
    """The key of a text in lower case."""
    end = key.rindex('"')
    return key[:end].lower() + key[end:]


def upper(key: str) -> str:
    """The key of a text in upper case."""
    end = key.rindex('"')
    return key[:end].upper() + key[end:]


def of_text(function: Callable[[str], str]) -> Callable[[str], str]:
    """From the key of a text to that of what a function makes of the text, without a language or datatype."""
    return lambda key: f'"{function(key[1 : key.rindex(chr(34))])}"'


def slicing(begin: int, length: int | None = None) -> Callable[[str], str]:
    """From the key of a text to that of a part of it, as SUBSTR counts."""
    # A text begins at 1 in SPARQL, and in its key after the quotation mark.
    first, last = max(begin, 1), None if length is None else max(begin + length, 1)

    def slice_of(key: str) -> str:
        end = key.rindex('"')
        return f'"{key[first : end if last is None else min(last, end)]}{key[end:]}'

    return slice_of


def _length(key: str) -> str:
    return f'"{key.rindex(chr(34)) - 1}"^^{XSD_INTEGER}'


def _day_digits(part: int) -> Callable[[str], str]:
    """The number of the year, month or day of a dateTime or date."""
    begin, end = ((1, 5), (6, 8), (9, 11))[part]

    def digits(key: str) -> str:
        text = midnight_begun(key)
        if text[5] == "-" != text[1]:
            return f'"{int(text[begin:end])}"^^{XSD_INTEGER}'
        found = _LONG_DAY.match(text)
        assert found is not None, "it is a date"
        return f'"{int(found[part + 1])}"^^{XSD_INTEGER}'

    return digits


def _clock_digits(begin: int) -> Callable[[str], str]:
    """The number at a place of a time, which a dateTime has after its date."""

    def digits(key: str) -> str:
        text = midnight_begun(key)
        start = begin if text[3] == ":" else text.index("T") + begin
        return f'"{int(text[start : start + 2])}"^^{XSD_INTEGER}'

    return digits


_LONG_DAY: Final = re.compile('"(-?[0-9]+)-([0-9]+)-([0-9]+)')
_OF_SUFFIXES: Final = frozenset(("lang", "datatype"))
_DIGITS: Final = re.compile(r"[+-]?[0-9]{1,15}")

LEXICAL: Final[dict[str, tuple[Accepted, Callable[[str], str]]]] = {
    "lang": (_are_literals, _language),
    "datatype": (_are_literals, _datatype),
    "strlen": (are_texts, _length),
    "year": (_are_days, _day_digits(0)),
    "month": (_are_days, _day_digits(1)),
    "day": (_are_days, _day_digits(2)),
    "hours": (_are_clocks, _clock_digits(1)),
    "minutes": (_are_clocks, _clock_digits(4)),
}
"""For each function the classes of values that it takes, and from key to key."""
