"""Whether texts are IRIs, language tags, or values of a datatype, whole columns at a time."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kgreason_mapping.arrow.columns import first_reason, joined, mask_of, reason_where
from kgreason_mapping.quarantine_reasons import ILL_TYPED, INVALID_IRI, INVALID_LANGUAGE, RELATIVE_IRI
from kgreason_mapping.syntax import (
    ABSOLUTE_IRI,
    DATES,
    LANGUAGE_TAG,
    LEAP_DAY,
    LEAP_YEAR,
    LEXICAL_FORMS,
    NO_DAY,
    RANGES,
    REST_OF_IRI,
    SCHEME,
    linear,
)

_MOST_DIGITS: Final = 18


def matches(texts: pa.Array, form: str) -> pa.Array:
    """Whether each text is of a form; null for null."""
    return pc.match_substring_regex(texts, linear(form))


def checked_iris(texts: pa.Array, base: str | None) -> tuple[pa.Array, pa.Array | None]:
    """Texts as IRIs, behind the base where they are not absolute, and why they are none."""
    is_absolute = matches(texts, ABSOLUTE_IRI)
    if pc.all(is_absolute).as_py() is not False:
        return texts, None
    relative = pc.invert(is_absolute)
    if base is None:
        is_invalid = pc.or_(matches(texts, f"^{SCHEME}"), pc.invert(matches(texts, REST_OF_IRI)))
        wrong = pc.if_else(is_invalid, INVALID_IRI, RELATIVE_IRI)
        return texts, pc.if_else(relative, wrong, pa.scalar(None, pa.string()))
    whole = pc.if_else(is_absolute, texts, joined((base, texts), len(texts)))
    return whole, reason_where(pc.invert(matches(whole, ABSOLUTE_IRI)), INVALID_IRI)


def language_reason(tags: pa.Array) -> pa.Array | None:
    """Why texts are not language tags."""
    return reason_where(pc.invert(matches(tags, LANGUAGE_TAG)), INVALID_LANGUAGE)


def datatype_reason(texts: pa.Array, datatype: str | pa.Array) -> pa.Array | None:
    """Why texts are not values of a datatype, or each of its own; None where all are."""
    if isinstance(datatype, str):
        valid = _is_valid(texts, datatype)
        return None if valid is None else reason_where(pc.invert(valid), ILL_TYPED)
    reasons = []
    for name in pc.unique(datatype).to_pylist():
        valid = _is_valid(texts, name) if name is not None else None
        if valid is not None:
            reasons.append(reason_where(pc.and_(pc.equal(datatype, name), pc.invert(valid)), ILL_TYPED))
    return first_reason(*reasons)


def _is_valid(texts: pa.Array, datatype: str) -> pa.Array | None:
    form = LEXICAL_FORMS.get(datatype)
    if form is None:
        return None
    valid = matches(texts, form)
    if datatype in RANGES:
        return pc.and_(valid, _in_range(texts, mask_of(valid), *RANGES[datatype]))
    if datatype in DATES:
        impossible = pc.or_(
            matches(texts, NO_DAY),
            pc.and_(matches(texts, LEAP_DAY), pc.invert(matches(texts, LEAP_YEAR))),
        )
        return pc.and_(valid, pc.invert(impossible))
    return valid


def _in_range(texts: pa.Array, is_integer: object, least: int, greatest: int) -> pa.Array:
    """Whether integers are in a range; anything where the text is none."""
    if pc.max(pc.binary_length(texts)).as_py() or _MOST_DIGITS >= 0:
        zeros = pc.if_else(pa.array(is_integer), pc.utf8_ltrim(texts, "+"), "0")
        numbers = zeros.cast(pa.int64())
        return pc.and_(
            pc.greater_equal(numbers, pa.scalar(max(least, -(2**63)), pa.int64())),
            pc.less_equal(numbers, pa.scalar(min(greatest, 2**63 - 1), pa.int64())),
        )
    return pa.array([text is not None and _is_in(text, least, greatest) for text in texts.to_pylist()], pa.bool_())


def _is_in(text: str, least: int, greatest: int) -> bool:
    digits = text.lstrip("+-").lstrip("0")
    if not digits.isascii() or (digits and not digits.isdigit()) or len(digits) > len(str(greatest)):
        return False
    return least <= int(text[:1].replace("+", "") + text[1:].lstrip("0") if digits else "0") <= greatest
