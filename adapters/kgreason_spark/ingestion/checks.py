"""Whether text is an IRI, a language tag, or a value of a datatype, as column expressions."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

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
    whole,
)
from kgreason_spark.ingestion.reference_values import Term

_SHORT: Final = whole("[+-]?0*[0-9]{1,20}")


def iri_term(text: Column, base: str | None) -> Term:
    """Text as an IRI; one that is not absolute is put behind the base, as RML-Core says, not resolved."""
    absolute = text.rlike(ABSOLUTE_IRI)
    if base is None:
        wrong = F.when(text.rlike(f"^{SCHEME}") | ~text.rlike(REST_OF_IRI), INVALID_IRI).otherwise(RELATIVE_IRI)
        return Term(text, F.when(~absolute, wrong))
    whole = F.when(absolute, text).otherwise(F.concat(F.lit(base), text))
    return Term(whole, F.when(~absolute & ~F.concat(F.lit(base), text).rlike(ABSOLUTE_IRI), INVALID_IRI))


def language_reason(tag: Column) -> Column:
    """Why a text is not a language tag."""
    return F.when(~tag.rlike(LANGUAGE_TAG), INVALID_LANGUAGE)


def datatype_reason(text: Column, datatype: str | Column) -> Column | None:
    """Why a text is not a value of a datatype; None when any text is."""
    if isinstance(datatype, str):
        valid = _is_valid(text, datatype)
        return F.when(~valid, ILL_TYPED) if valid is not None else None
    checks = ((name, _is_valid(text, name)) for name in LEXICAL_FORMS)
    wrong = [(datatype == name) & ~valid for name, valid in checks if valid is not None]
    return F.when(reduce(Column.__or__, wrong), ILL_TYPED)


def _is_valid(text: Column, datatype: str) -> Column | None:
    form = LEXICAL_FORMS.get(datatype)
    if form is None:
        return None
    valid = text.rlike(form)
    if datatype in RANGES:
        least, greatest = (F.lit(bound).cast("decimal(38,0)") for bound in map(str, RANGES[datatype]))
        # What is longer is in no range, and a session may have casts fail.
        number = F.when(text.rlike(_SHORT), text).cast("decimal(38,0)")
        return valid & F.coalesce(number.between(least, greatest), F.lit(False))
    if datatype in DATES:
        return valid & ~(text.rlike(NO_DAY) | (text.rlike(LEAP_DAY) & ~text.rlike(LEAP_YEAR)))
    return valid
