r"""The grammar of CSV (RFC 4180) in a dialect, as regular expressions.

A field is quoted when it begins with the quotation mark; anywhere else the mark is a character like others. A quotation
mark in a quoted field is doubled, or in a dialect without doubling follows a backslash, as any character may then. Two
readings are made of it:

* the lenient one finds where records end, and agrees with Python's `csv` module on any input;
* the strict one says whether a record is well-formed: nothing stands between a closing quotation mark and a delimiter.

A match costs time in proportion to the text: no repetition finds anything else when it is gone back into. In Java they
are possessive, as they would need stack otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Final

from kgreason.errors import LoadError
from kgreason.repetitions import REPEATED
from kgreason_mapping.documents.mapping_model import Dialect

WHITE_SPACE: Final = " \t\r\n\f"
"""What a dialect with `trim` takes off values."""
LINE_END: Final = r"(?:\r\n|\n|\r)"


@dataclass(frozen=True, slots=True)
class Grammar:
    """Patterns for the records and fields of a dialect.

    Attributes:
        record: a strict record, whole.
        field: a strict field behind its delimiter; group 1 is the field as it is written.
        open_line: a line that ends inside a quoted field, whole, when it begins outside of one.
        rest_outside, rest_inside: lenient: what is left of a record and its line end, from outside or from inside a
            quoted field. They match at the beginning, and not where the record goes on in the next line.
    """

    record: str
    field: str
    open_line: str
    rest_outside: str
    rest_inside: str


def java_grammar(dialect: Dialect) -> Grammar:
    """The patterns of a dialect for expressions of Java, those of whole texts in ``\\A`` and ``\\z``."""
    return _grammar(dialect, "*+", r"\z")


@cache
def python_grammar(dialect: Dialect) -> Grammar:
    """The patterns of a dialect for expressions of Python."""
    return _grammar(dialect, REPEATED, r"\Z")


def _grammar(dialect: Dialect, repeated: str, end: str) -> Grammar:
    delimiter = re.escape(dialect.delimiter)
    if dialect.quote is None:
        field = _unquoted(dialect, "", repeated)
        record = rf"{field}(?:{delimiter}{field}){repeated}"
        return Grammar(rf"\A{record}{end}", rf"{delimiter}({field})", r"(?!)", record + LINE_END, r"(?!)")
    quote = re.escape(dialect.quote)
    if dialect.double_quote:
        inside, close = rf"(?:[^{quote}]++|{quote}{quote}){repeated}", rf"{quote}(?!{quote})"
    else:
        inside, close = rf"(?:[^{quote}\\]++|\\[\s\S]){repeated}", quote
    unquoted = _unquoted(dialect, rf"(?!{quote})", repeated)
    strict = rf"(?:{quote}{inside}{close}|{unquoted})"
    after = _unquoted(dialect, "", repeated)
    lenient = rf"(?:{quote}{inside}{close}{after}|{unquoted})"
    return Grammar(
        record=rf"\A{strict}(?:{delimiter}{strict}){repeated}{end}",
        field=rf"{delimiter}({strict})",
        open_line=rf"\A(?:{lenient}{delimiter}){repeated}{quote}{inside}{end}",
        rest_outside=rf"{lenient}(?:{delimiter}{lenient}){repeated}{LINE_END}",
        rest_inside=rf"{inside}{close}{after}(?:{delimiter}{lenient}){repeated}{LINE_END}",
    )


def _unquoted(dialect: Dialect, begin: str, repeated: str) -> str:
    delimiter = re.escape(dialect.delimiter)
    if dialect.double_quote:
        return rf"{begin}[^{delimiter}\r\n]*+"
    return rf"{begin}(?:[^{delimiter}\\\r\n]++|\\[^\r\n]){repeated}"


def split_record(record: str, dialect: Dialect) -> list[str]:
    """The fields of one record as they are written."""
    return re.findall(python_grammar(dialect).field, dialect.delimiter + record)


def plain_value(field: str, dialect: Dialect) -> str:
    """The value of a field from its written form."""
    quote = dialect.quote
    if quote is not None and field.startswith(quote):
        field = field[1:-1].replace(quote * 2, quote) if dialect.double_quote else field[1:-1]
    if not dialect.double_quote:
        field = re.sub(r"\\([\s\S])", r"\1", field)
    return field.strip(WHITE_SPACE) if dialect.trim else field


def column_names(first: str | None, dialect: Dialect, name: str) -> list[str]:
    """The names of the columns, from the first record of a source.

    Raises:
        LoadError: there is no header, or it names a column twice.
    """
    if first is None:
        raise LoadError("there is no header", path=name)
    names = [plain_value(one, dialect) for one in split_record(first, dialect)]
    if not dialect.header:
        return [f"_col.{number}" for number in range(1, len(names) + 1)]
    if not any(names):
        raise LoadError("there is no header", path=name)
    uses = Counter(map(str.lower, names))
    twice = next((name for name in names if uses[name.lower()] > 1), None)
    if twice is not None:
        raise LoadError(f"the header names the column {twice!r} twice", path=name)
    return names
