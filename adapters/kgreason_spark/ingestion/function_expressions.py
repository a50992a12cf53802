"""Functions of mappings as column expressions: what is none in an argument is none in the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

from kgreason_mapping.documents.functions import datatype_of
from kgreason_mapping.quarantine_reasons import FUNCTION_INPUT
from kgreason_mapping.text_functions import CONTROLS, HTML, XML
from kgreason_spark.ingestion.percent_encoding import iri_safe
from kgreason_spark.ingestion.reference_values import Value, first_reason

SEVERAL: Final = frozenset({"split"})
"""The functions that have several results."""

_NUMBER: Final = r"^\s*[+-]?[0-9]{1,9}\s*$"


def result(function: str, arguments: Sequence[Value]) -> Value:
    """What a function makes of texts."""
    columns = [one.text for one in arguments]
    known = reduce(Column.__and__, [one.isNotNull() for one in columns], F.lit(True))
    made, wrong = _made(function, columns)
    reason = first_reason(*(one.reason for one in arguments))
    if wrong is not None:
        reason = first_reason(reason, F.when(known & wrong, FUNCTION_INPUT))
        # The first argument stands for a result that is none.
        made = F.when(known & wrong, columns[0]).otherwise(made)
    return Value(F.when(known, made), datatype_of(function), reason)


def several_results(function: str, arguments: Sequence[Value]) -> Column:
    """The results of one of SEVERAL, as an array of packed values."""
    assert function in SEVERAL
    text, separator = (one.text for one in arguments)
    reason = first_reason(*(one.reason for one in arguments))
    # The separator is no pattern.
    literal = F.concat(F.lit("\\Q"), F.replace(separator, F.lit("\\E"), F.lit("\\E\\\\E\\Q")), F.lit("\\E"))
    parts = F.when(separator == "", F.array(text)).otherwise(F.call_function("split", text, literal, F.lit(-1)))
    return F.transform(parts, lambda one: Value(one, None, reason).packed())


def _made(function: str, columns: Sequence[Column]) -> tuple[Column, Column | None]:
    """The result, and where there is none although all arguments are known; None for nowhere."""
    checked = _CHECKED.get(function)
    return checked(*columns) if checked is not None else (_FUNCTIONS[function](*columns), None)


def _is_true(column: Column) -> Column:
    return F.lower(column) == "true"


def _truth(column: Column) -> Column:
    return column.cast("string")


def _title(text: Column) -> Column:
    words = F.transform(
        F.split(text, " ", -1),
        lambda word: F.concat(F.upper(F.substring(word, 1, 1)), F.lower(word.substr(F.lit(2), F.length(word)))),
    )
    return F.array_join(words, " ")


def _chomp(text: Column, end: Column) -> Column:
    return F.when(F.endswith(text, end), F.left(text, F.length(text) - F.length(end))).otherwise(text)


def _replaced(text: Column, find: Column, replacement: Column) -> Column:
    return F.when(find == "", text).otherwise(F.replace(text, find, replacement))


def _upper_url(text: Column) -> Column:
    return F.when(F.contains(text, F.lit("://")), F.upper(text)).otherwise(F.concat(F.lit("http://"), F.upper(text)))


def _substring(text: Column, begin: Column, end: Column) -> tuple[Column, Column]:
    size = F.length(text)
    wrong = ~begin.rlike(_NUMBER) | ((end != "") & ~end.rlike(_NUMBER))
    first = F.try_to_number(F.trim(begin), F.lit("S999999999")).cast("int")
    last = F.when(end == "", size).otherwise(F.try_to_number(F.trim(end), F.lit("S999999999")).cast("int"))
    from_start = F.when(first < 0, F.greatest(first + size, F.lit(0))).otherwise(first)
    to = F.least(F.when(last < 0, F.greatest(last + size, F.lit(0))).otherwise(last), size)
    part = text.substr(from_start + 1, F.greatest(to - from_start, F.lit(0)))
    return F.when(first <= size, part), wrong


def _escaped(text: Column, mode: Column) -> tuple[Column, Column]:
    kind = F.lower(mode)

    def written(pairs: Sequence[tuple[str, str]]) -> Column:
        return reduce(lambda made, pair: F.replace(made, F.lit(pair[0]), F.lit(pair[1])), pairs, text)

    doubled = F.concat(F.lit('"'), F.replace(text, F.lit('"'), F.lit('""')), F.lit('"'))
    made = (
        F.when(kind == "html", written(HTML))
        .when(kind == "xml", written(XML))
        .when(kind == "url", iri_safe(text, only_ascii=True))
        .when(kind == "csv", F.when(text.rlike('[",\r\n]'), doubled).otherwise(text))
    )
    return made, ~kind.isin("html", "xml", "url", "csv")


def _date(text: Column, pattern: Column) -> tuple[Column, Column]:
    moment = F.try_to_timestamp(text, pattern)
    return F.date_format(moment, "yyyy-MM-dd"), moment.isNull()


def _date_time(text: Column, pattern: Column) -> tuple[Column, Column]:
    moment = F.try_to_timestamp(text, pattern)
    return F.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss"), moment.isNull()


_CHECKED: Final[dict[str, Callable[..., tuple[Column, Column]]]] = {
    "substring": _substring,
    "escape": _escaped,
    "date": _date,
    "date_time": _date_time,
}
"""Functions that do not take all texts."""

_FUNCTIONS: Final[dict[str, Callable[..., Column]]] = {
    "upper": F.upper,
    "lower": F.lower,
    "title": _title,
    "trim": lambda text: F.btrim(text, F.lit(CONTROLS)),
    "reverse": F.reverse,
    "text": lambda text: text,
    "length": lambda text: F.length(text).cast("string"),
    "md5": lambda text: F.md5(text.cast("binary")),
    "sha1": lambda text: F.sha1(text.cast("binary")),
    "replace": _replaced,
    "chomp": _chomp,
    "contains": lambda text, part: _truth(F.contains(text, part)),
    "starts": lambda text, part: _truth(F.startswith(text, part)),
    "ends": lambda text, part: _truth(F.endswith(text, part)),
    "index": lambda text, part: (F.position(part, text) - 1).cast("string"),
    "concat": lambda one, other, between: F.concat(one, between, other),
    "if": lambda test, one, other: F.when(_is_true(test), one).otherwise(other),
    "not": lambda one: _truth(~_is_true(one)),
    "and": lambda *columns: _truth(reduce(Column.__and__, map(_is_true, columns))),
    "or": lambda *columns: _truth(reduce(Column.__or__, map(_is_true, columns))),
    "equal": lambda one, other: _truth(one == other),
    "unequal": lambda one, other: _truth(one != other),
    "when": lambda test, one: F.when(_is_true(test), one),
    "decide": lambda one, expected, made: F.when(one == expected, made),
    "upper_url": _upper_url,
    "abc": lambda: F.lit("ABC"),
}
