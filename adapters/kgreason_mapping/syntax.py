r"""Well-formed IRIs, language tags and typed literals as regular expressions of Python and Java alike.

All are for whole strings, and costs grow with their length alone. The lexical spaces are those of the datatypes that
RML says must be validated, and of those derived from them: https://www.w3.org/TR/xmlschema11-2/.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from kgreason.rdf.vocabulary import XSD


def whole(form: str) -> str:
    """The form from the beginning to the very end, where a ``$`` would let a line feed follow."""
    return rf"^(?:{form})(?![\s\S])"


@cache
def linear(form: str) -> str:
    """A whole form in the syntax of RE2, which neither needs possessive repetitions nor knows them."""
    return form.replace("*+", "*").replace(r"(?![\s\S])", r"\z")


def has_form(text: str, form: str) -> bool:
    """Whether a text is of a whole form."""
    import re2  # few mappings need it before they run

    return re2.search(linear(form), text) is not None


# Possessive, as Java's matcher would need stack for each repetition of a choice.
_FREE: Final = r"(?:[^\x00-\x20\x7F-\x9F<>\"{}|^`\\\[\]#%]+|%[0-9A-Fa-f]{2})*+"
_HOST: Final = r"(?://(?:[^\x00-\x20<>\"{}|^`\\\[\]#%/?@]*@)?\[[0-9A-Fa-f:.v]+\])?"
SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.\-]*:"

ABSOLUTE_IRI: Final = whole(rf"{SCHEME}{_HOST}{_FREE}(?:#{_FREE})?")
"""RFC 3987: a scheme, percent signs only before two hexadecimal digits, brackets only around an IPv6 host."""

REST_OF_IRI: Final = whole(rf"{_FREE}(?:#{_FREE})?")
"""A reference that may stand after a base."""

LANGUAGE_TAG: Final = whole(
    r"(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*"
    r"(?:-[xX](?:-[A-Za-z0-9]{1,8})+)?|[xX](?:-[A-Za-z0-9]{1,8})+|i-[A-Za-z]{2,8}"
)
"""BCP 47 (RFC 5646, section 2.1), with the ``i-`` tags of old."""

_ZONE: Final = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_YEAR: Final = r"-?(?:[1-9][0-9]{3,}|0[0-9]{3})"
_DATE: Final = rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIME: Final = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_DECIMAL: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_REAL: Final = rf"{_DECIMAL}(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN"
_INTEGER: Final = r"[+-]?[0-9]+"

DATES: Final = (XSD + "date", XSD + "dateTime")
"""The datatypes that begin with a day of the calendar."""
NO_DAY: Final = r"^[0-9]{4}-(?:02-3|(?:04|06|09|11)-31)"
"""Well-formed dates that no year has, one for years of four digits."""
LEAP_DAY: Final = r"^[0-9]{4}-02-29"
LEAP_YEAR: Final = (
    r"^(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-"
)
"""The years that have it."""

RANGES: Final[dict[str, tuple[int, int]]] = {
    XSD + "long": (-(2**63), 2**63 - 1),
    XSD + "int": (-(2**31), 2**31 - 1),
    XSD + "short": (-(2**15), 2**15 - 1),
    XSD + "byte": (-(2**7), 2**7 - 1),
    XSD + "unsignedLong": (0, 2**64 - 1),
    XSD + "unsignedInt": (0, 2**32 - 1),
    XSD + "unsignedShort": (0, 2**16 - 1),
    XSD + "unsignedByte": (0, 2**8 - 1),
}
"""The least and the greatest value of the integers that have both."""

_FORMS: Final[dict[str, str]] = {
    "boolean": r"true|false|1|0",
    "decimal": _DECIMAL,
    "double": _REAL,
    "float": _REAL,
    "date": rf"{_DATE}{_ZONE}",
    "dateTime": rf"{_DATE}T{_TIME}{_ZONE}",
    "time": rf"{_TIME}{_ZONE}",
    "gYear": rf"{_YEAR}{_ZONE}",
    "gYearMonth": rf"{_YEAR}-(?:0[1-9]|1[0-2]){_ZONE}",
    "hexBinary": r"(?:[0-9A-Fa-f]{2})*+",
    "integer": _INTEGER,
    "nonNegativeInteger": r"\+?[0-9]+|-0+",
    "positiveInteger": r"\+?0*[1-9][0-9]*",
    "nonPositiveInteger": r"-[0-9]+|\+?0+",
    "negativeInteger": r"-0*[1-9][0-9]*",
}

LEXICAL_FORMS: Final[dict[str, str]] = {
    **{XSD + name: whole(form) for name, form in _FORMS.items()},
    **dict.fromkeys(RANGES, whole(_INTEGER)),
}
"""The lexical forms of datatypes; any text is a value of the datatypes that are not here."""
