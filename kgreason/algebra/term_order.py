"""The order of terms that ORDER BY (SPARQL 1.1, section 15.1), MIN and MAX go by.

Unbound before blank nodes before IRIs before literals before triple terms, which come by their parts. Literals come by
their datatypes, all numbers and all moments of a kind together, and among these by value; strings without a language
before those with one, by language and text. So does rdflib have it where the recommendation leaves it open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.algebra import algebra_tuning
from kgreason.algebra.local_terms import LocalTerms
from kgreason.algebra.row_keys import Ids, Index, distinct_ids
from kgreason.arrow import pa
from kgreason.checkpoints import checkpoint, passes
from kgreason.dictionary.literal_suffixes import Suffixes, literal_texts
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.durations import DURATION_TYPES
from kgreason.rdf.hashing import joined_texts, text_buffers
from kgreason.rdf.keys import term_of
from kgreason.rdf.literal_values import datatype_of
from kgreason.rdf.model import Literal
from kgreason.rdf.moments import Duration, Moment, ends_of
from kgreason.rdf.triple_keys import triple_parts
from kgreason.rdf.value_classes import ValueClass as C
from kgreason.rdf.value_classes import classified
from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_STRING
from kgreason.sorting import argsort, dense_ranks, text_ranks

Ranks = NDArray[np.int64]

_NOTHING, _BLANK, _IRI, _TRIPLE = int(C.NOTHING), int(C.BLANK), int(C.IRI), int(C.TRIPLE)
_KINDS: Final[dict[int, str]] = {
    C.INTEGER: XSD_DECIMAL, C.DECIMAL: XSD_DECIMAL, C.FLOAT: XSD_DECIMAL, C.DOUBLE: XSD_DECIMAL,
    C.BOOLEAN: XSD_BOOLEAN, C.STRING: XSD_STRING,
    C.DERIVED: XSD_STRING, C.TAGGED: XSD_STRING,
    C.DATETIME: XSD + "dateTime", C.DATETIME_ZONED: XSD + "dateTime",
    C.DATE: XSD + "date", C.DATE_ZONED: XSD + "date",
    C.TIME: XSD + "time", C.TIME_ZONED: XSD + "time",
}  # fmt: skip
"""The datatype among which the literals of a class are put; of other classes by their own."""
_VALUED: Final = np.array([code in _KINDS for code in range(max(C) + 1)])
"""For each class whether the values of its literals are ranked."""


def ranks_of(ids: Ids, terms: LocalTerms) -> Ranks:
    """For each of some distinct ids its place in the order; those that neither comes before the other have the same."""
    values = terms.values_of(ids)
    found = np.zeros(len(ids), dtype=np.int64)
    start = 0
    for rows, rank in _sections(ids, values, terms):
        ranks = rank(rows)
        found[rows] = start + ranks
        start += int(ranks.max()) + 1
    return found


def _sections(
    ids: Ids, values: ValueColumn, terms: LocalTerms
) -> list[tuple[Index, Callable[[Index], Ranks]]]:
    """The rows that go together, in the order of the sections, and what ranks them."""
    classes = values.classes

    def by_number(rows: Index) -> Ranks:
        return _number_ranks(values.take(rows), lambda some: terms_of(ids[rows[some]], terms))

    def by_key(rows: Index) -> Ranks:
        return key_ranks(ids[rows], terms)

    def by_string(rows: Index) -> Ranks:
        return _string_ranks(ids[rows], classes[rows], terms)

    def by_parts(rows: Index) -> Ranks:
        return _triple_ranks(ids[rows], terms)

    def by_content(rows: Index) -> Ranks:
        return _content_ranks(terms_of(ids[rows], terms))

    rows_of = {code: (classes == code).nonzero()[0] for code in np.bincount(classes).nonzero()[0].tolist()}
    before = ((_NOTHING, _all_equal), (_BLANK, by_key), (_IRI, by_key))
    sections = [(rows_of.pop(code), rank) for code, rank in before if code in rows_of]
    triples = [(rows_of.pop(_TRIPLE), by_parts)] if _TRIPLE in rows_of else []
    literals: dict[str, list[Index]] = {}
    for code, rows in rows_of.items():
        kind = _KINDS.get(code)
        if kind is not None:
            literals.setdefault(kind, []).append(rows)
            continue
        for row, term in zip(rows.tolist(), terms_of(ids[rows], terms), strict=True):
            datatype = datatype_of(term)
            common = XSD + "duration" if datatype in DURATION_TYPES else datatype
            literals.setdefault(common, []).append(np.array([row]))
    for kind in sorted(literals):
        rows = np.concatenate(literals[kind])
        valued = _VALUED[classes[rows]]
        sections.append((rows[valued], by_string if kind == XSD_STRING else by_number))
        sections.append((rows[~valued], by_content))
    return [(rows, rank) for rows, rank in (*sections, *triples) if len(rows)]


def terms_of(ids: Ids, terms: LocalTerms) -> list[Literal]:
    """The terms of ids of literals."""
    return [term for term in map(term_of, terms.keys(ids)) if isinstance(term, Literal)]


def _triple_ranks(ids: Ids, terms: LocalTerms) -> Ranks:
    """By subject, then by predicate, then by object."""
    found = np.zeros(len(ids), dtype=np.int64)
    for keys in zip(*map(triple_parts, terms.keys(ids)), strict=True):
        parts, numbers = distinct_ids(terms.encode_keys(keys))
        found = dense_ranks((found << 32) + ranks_of(parts, terms)[numbers])
    return found


def _all_equal(rows: Index) -> Ranks:
    return np.zeros(len(rows), dtype=np.int64)


def _number_ranks(values: ValueColumn, terms: Callable[[Index], list[Literal]]) -> Ranks:
    """By number, NaN last; those that are not exact and have the same float by their exact values."""
    ranks = dense_ranks(values.numbers)
    if values.exact.all():
        return ranks
    doubtful = ~values.exact & (values.classes != C.FLOAT) & (values.classes != C.DOUBLE)
    if not doubtful.any():
        return ranks
    shared = np.bincount(ranks)[ranks] > 1
    some = np.flatnonzero(np.isin(ranks, ranks[doubtful & shared]))
    if not len(some):
        return ranks
    finer = np.zeros(len(ranks), dtype=np.int64)
    finer[some] = _places([classified(term)[1] for term in terms(some)])
    return dense_ranks((ranks << 32) + finer)


def _places(keys: Sequence[Any]) -> list[int]:
    """For each key its place among the distinct ones, in their order in Python."""
    places = {key: place for place, key in enumerate(sorted({*keys}))}
    return [places[key] for key in keys]


def key_ranks(ids: Ids, terms: LocalTerms) -> Ranks:
    """For each id the place of its key among those of all, in the order of code points."""
    order, ranks = argsort(ids), np.empty(len(ids), dtype=np.int64)
    ascending = ids[order]
    if len(ids) > tuning.FEW_TEXTS:
        with suppress(UnicodeEncodeError):  # a lone surrogate, which only Python compares
            ranks[order] = text_ranks(
                [terms.key_column(ascending[rows]).cast(pa.large_string()) for rows in terms.text_passes(ascending)]
            )
            return ranks
    ranks[order] = _places([key for rows in terms.text_passes(ascending) for key in terms.keys(ascending[rows])])
    return ranks


def wide_texts(ascending: Ids, are_literals: bool, terms: LocalTerms) -> pa.Array | None:
    """The texts of literals, or of IRIs, by ascending ids, at least one, as a string column with wide offsets; None
    where one has a lone surrogate, which only Python compares and joins."""
    try:
        columns = [terms.key_column(ascending[rows]) for rows in terms.text_passes(ascending)]
    except UnicodeEncodeError:
        return None
    texts = [literal_texts(keys) for keys in passes(columns, 1)] if are_literals else columns
    return joined_texts(texts).cast(pa.large_string())


def beginnings(ids: Ids, classes: NDArray[np.uint8], terms: LocalTerms) -> NDArray[np.int64] | None:
    """For many ids, all of strings without a language or all of IRIs, numbers that ascend with the order of these as
    far as eight bytes tell, behind those with which all begin; None for others, and for few."""
    if len(ids) <= tuning.FEW_TEXTS or classes[0] not in (C.STRING, C.IRI) or not (classes == classes[0]).all():
        return None
    distinct, numbers = distinct_ids(ids)
    texts = wide_texts(distinct, classes[0] == C.STRING, terms)
    if texts is None:
        return None
    offsets, data = text_buffers(texts)
    data = data[offsets[0] : offsets[-1]]
    memory.check(data.nbytes + 64 * len(distinct), "the beginnings of texts")
    begins, ends = offsets[:-1] - offsets[0], offsets[1:] - offsets[0]
    words = np.ndarray(len(data) + 1, dtype=">u8", buffer=np.append(data, np.zeros(8, dtype=np.uint8)), strides=1)

    def word(skipped: int) -> NDArray[np.uint64]:
        """Eight bytes of each text, zeros behind its end."""
        checkpoint()
        lengths = np.clip(ends - begins - skipped, 0, 8)
        unused = (64 - 8 * lengths).astype(np.uint64)
        found: NDArray[np.uint64] = words[np.minimum(begins + skipped, len(data))].astype(np.uint64)
        found >>= unused
        found <<= unused
        return found

    skipped, found, most = 0, word(0), algebra_tuning.COMMON_BYTES
    while skipped < most and (differing := int(np.bitwise_or.reduce(found ^ found[0]))) < 1 << 56:
        skipped += 8 - (differing.bit_length() + 7) // 8
        found = word(skipped)
    return (found >> np.uint64(1)).astype(np.int64)[numbers]


def _string_ranks(ids: Ids, classes: NDArray[np.uint8], terms: LocalTerms) -> Ranks:
    """By language, none first, then by text."""
    order, ranks = argsort(ids), np.empty(len(ids), dtype=np.int64)
    ranks[order], suffixes = _ranked_texts(ids[order], terms)
    tagged = classes == C.TAGGED
    if not tagged.any():
        return ranks
    tags = [suffix[1:].lower() for suffix in suffixes.texts]
    languages = np.empty(len(ids), dtype=np.int64)
    languages[order] = (np.array(_places(tags), dtype=np.int64) + 1)[suffixes.codes]
    languages[~tagged] = 0
    return dense_ranks((languages << 32) + ranks)


def _ranked_texts(ascending: Ids, terms: LocalTerms) -> tuple[Ranks, Suffixes]:
    """For each of some literals, by ascending ids, the place of its text among those of all, and their suffixes."""
    if len(ascending) > tuning.FEW_TEXTS:
        with suppress(UnicodeEncodeError):  # a lone surrogate, which only Python compares
            columns, parts = [], []
            for rows in terms.text_passes(ascending):
                keys = terms.key_column(ascending[rows])
                parts.append(Suffixes.of(keys))
                columns.append(parts[-1].values(keys).cast(pa.large_string()))
            return text_ranks(columns), Suffixes.joined(parts)
    texts: list[str] = []
    ends: list[str] = []
    for rows in terms.text_passes(ascending):
        for all_of, found in zip((texts, ends), terms.literals(ascending[rows]), strict=True):
            all_of.extend(found)
    return np.array(_places(texts), dtype=np.int64), Suffixes.of_each(ends)


def _content_ranks(terms: Sequence[Literal]) -> Ranks:
    """By the place on the time line or the length where there is one, then by the lexical form."""
    def key(term: Literal) -> tuple[bool, Any, str]:
        match classified(term)[1]:
            case Moment(_, microseconds, _):
                return False, microseconds, term.lexical
            case Duration() as duration:
                return False, sum(ends_of(duration)), term.lexical
            case value:
                return value is None, 0, term.lexical

    return np.array(_places([*map(key, terms)]), dtype=np.int64)
