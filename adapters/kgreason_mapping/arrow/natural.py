"""Natural RDF literals: the canonical forms of doubles, and values of typed columns as text with a datatype.

The text of a value is its plain form, which templates and declared datatypes use (1.5); a literal of it is canonical
(1.5E0). Sources: RML-Core, section Datatype conversions, and https://www.w3.org/TR/xmlschema11-2/. Doubles are
written as Java writes them, so that both engines give the same.
"""

from __future__ import annotations

import math
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from kgreason_mapping.arrow.columns import ValueColumn, joined, reason_where
from kgreason_mapping.arrow.escapes import each_distinct
from kgreason_mapping.quarantine_reasons import ILL_TYPED

_LEAST_PLAIN: Final = 1e-3
_LEAST_SCIENTIFIC: Final = 1e7


def double_text(value: float) -> str:
    """The text of a double: digits and a point, with an exponent where it is small or large."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    digits, exponent = _shortest(abs(value))
    if _LEAST_PLAIN <= abs(value) < _LEAST_SCIENTIFIC:
        whole = digits[: exponent + 1].ljust(exponent + 1, "0") if exponent >= 0 else "0"
        fraction = digits[exponent + 1 :] if exponent >= 0 else "0" * (-exponent - 1) + digits
        return f"{sign}{whole}.{fraction or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def canonical_double(text: str) -> str:
    """The canonical form of a double that is written with digits and a point, and perhaps with an exponent."""
    if "E" in text or "N" in text:
        return text
    sign, unsigned = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, fraction = unsigned.partition(".")
    significant = (whole + fraction).lstrip("0")
    if not significant:
        return f"{sign}0.0E0"
    exponent = len(whole) - 1 - (len(whole) + len(fraction) - len(significant))
    return f"{sign}{significant[0]}.{significant[1:].rstrip('0') or '0'}E{exponent}"


def canonical_texts(texts: pa.Array, datatype: str | pa.Array | None) -> pa.Array:
    """The texts of natural literals in canonical form."""
    if datatype is None or (isinstance(datatype, str) and datatype != XSD_DOUBLE):
        return texts
    made = each_distinct(texts, lambda text: None if text is None else canonical_double(text))
    if isinstance(datatype, str):
        return made
    return pc.if_else(pc.fill_null(pc.equal(datatype, XSD_DOUBLE), False), made, texts)


def typed_values(column: pa.Array) -> ValueColumn | None:
    """The values of a typed column; None for a type that holds more than one value."""
    kind = column.type
    types = pa.types
    if types.is_dictionary(kind):
        return typed_values(column.dictionary_decode())
    if isinstance(kind, pa.BaseExtensionType):
        return _extension(column)
    if types.is_string(kind):
        return ValueColumn(column)
    if types.is_large_string(kind) or types.is_string_view(kind) or types.is_null(kind):
        return ValueColumn(column.cast(pa.string()))
    if types.is_integer(kind):
        return ValueColumn(column.cast(pa.string()), datatype=XSD_INTEGER)
    if types.is_floating(kind):
        return ValueColumn(_real_texts(column), datatype=XSD_DOUBLE)
    if types.is_decimal(kind):
        return _decimals(column)
    if types.is_boolean(kind):
        return ValueColumn(column.cast(pa.string()), datatype=XSD_BOOLEAN)
    if types.is_date(kind):
        return _in_range(column.cast(pa.date32()).cast(pa.string()), XSD + "date")
    if types.is_time(kind):
        return _in_range(_trimmed(column.cast(pa.string())), XSD + "time")
    if types.is_timestamp(kind):
        return _in_range(_instants(column), XSD + "dateTime")
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        texts = [None if one is None else one.hex().upper() for one in column.to_pylist()]
        return ValueColumn(pa.array(texts, pa.string()), datatype=XSD + "hexBinary")
    return None


def _extension(column: pa.Array) -> ValueColumn | None:
    """The values of an extension type; PostgreSQL's numbers of any length come as text that says so."""
    kind = column.type
    if isinstance(kind, pa.OpaqueType) and kind.type_name == "numeric":
        return ValueColumn(_trimmed(column.storage), datatype=XSD_DECIMAL)
    if isinstance(kind, pa.UuidType):
        return ValueColumn(pa.array([None if one is None else str(one) for one in column.to_pylist()], pa.string()))
    return typed_values(column.storage)


def _real_texts(column: pa.Array) -> pa.Array:
    if pa.types.is_float64(column.type):
        return pa.array([None if one is None else double_text(one) for one in column.to_pylist()], pa.string())
    # The shortest digits of a float are not those of the double that it becomes.
    numbers = column.cast(pa.float32()).to_numpy(zero_copy_only=False)
    texts = [None if null else double_text(float(str(one))) for one, null in
             zip(numbers, column.is_null().to_pylist(), strict=True)]  # fmt: skip
    return pa.array(texts, pa.string())


def _decimals(column: pa.Array) -> ValueColumn:
    if column.type.scale <= 0:
        return ValueColumn(column.cast(pa.string()), datatype=XSD_INTEGER)
    texts = pa.array([None if one is None else f"{one:f}" for one in column.to_pylist()], pa.string())
    return ValueColumn(pc.replace_substring_regex(texts, r"\.?0+$", ""), datatype=XSD_DECIMAL)


def _instants(column: pa.Array) -> pa.Array:
    """Times with the digits of a second that are not zeros at the end, in UTC where they have a zone."""
    zone = "Z" if column.type.tz is not None else ""
    # Without its zone, an instant is one on a clock in UTC.
    unit = column.type.unit
    clock = column.cast(pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit)) if zone else column
    texts = pc.replace_substring(clock.cast(pa.string()), " ", "T")
    return joined((_trimmed(texts), zone), len(texts))


def _in_range(texts: pa.Array, datatype: str) -> ValueColumn:
    """Dates and times. Arrow writes a sentence in brackets for those that it cannot, such as DuckDB's ``infinity``."""
    problem = reason_where(pc.starts_with(texts, "<"), ILL_TYPED)
    if problem is not None:
        texts = pc.if_else(problem.is_valid(), "out of range", texts)
    return ValueColumn(texts, datatype=datatype, problem=problem)


def _trimmed(texts: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.replace_substring_regex(texts, r"(\.[0-9]*?)0+$", r"\1"), r"\.$", "")


def _shortest(value: float) -> tuple[str, int]:
    """The shortest digits of a positive double, and the exponent of the first."""
    mantissa, _, exponent = f"{value!r}".partition("e")
    if exponent:
        return mantissa.replace(".", ""), int(exponent)
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    return digits.rstrip("0") or "0", len(whole) - 1 - (len(whole + fraction) - len(digits))
