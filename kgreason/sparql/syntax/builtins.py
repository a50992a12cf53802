"""The functions and aggregates of SPARQL 1.2 by their names, with how many arguments they take (section 17.4)."""

from __future__ import annotations

from typing import Final

ANY: Final = 1 << 30

_BY_ARITY: Final = {
    (0, 0): "RAND NOW UUID STRUUID",
    (0, 1): "BNODE",
    (0, ANY): "CONCAT COALESCE",
    (1, 1): """STR LANG DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND STRLEN UCASE LCASE ENCODE_FOR_URI YEAR MONTH DAY
        HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512 ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC
        ISTRIPLE SUBJECT PREDICATE OBJECT LANGDIR HASLANG HASLANGDIR""",
    (2, 2): "LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT SAMETERM",
    (2, 3): "SUBSTR REGEX",
    (3, 3): "IF TRIPLE STRLANGDIR",
    (3, 4): "REPLACE",
}
ARITIES: Final = {name: arity for arity, names in _BY_ARITY.items() for name in names.split()}
"""The least and the most arguments of a function by its name in upper case."""

AGGREGATES: Final = frozenset(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"))
EXISTS: Final = frozenset(("EXISTS", "NOT"))
"""The words that EXISTS and NOT EXISTS begin with."""

CALLED: Final = frozenset((*ARITIES, *AGGREGATES, *EXISTS))
"""All words that stand before something in brackets or braces in an expression."""


def name_of(word: str) -> str:
    """What the table of functions calls a function: isURI and isIRI are one."""
    return "isiri" if word == "ISURI" else word.lower()


def counted(least: int, most: int) -> str:
    """How many arguments, in words."""
    if most == ANY:
        return f"{least} or more" if least else "any number of them"
    return f"{least}" if least == most else f"{least} or {most}" if most == least + 1 else f"{least} to {most}"
