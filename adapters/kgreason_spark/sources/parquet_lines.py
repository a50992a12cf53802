"""Parquet files with a column of strings for each place of a triple or quad, as lines of N-Quads.

The columns and the ways to write terms are those of `kgreason.io.term_tables`. The lines go the way of lines in
files, so a term is the same from a table, and a row that is not a quad is told with the same reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from kgreason.errors import LoadError
from kgreason.io.job_directories import is_part, job_root
from kgreason.io.term_tables import TableOptions, columns_of, style_of
from kgreason.rdf.triple_keys import OPENING
from kgreason_mapping.locations import pattern_of, shown
from kgreason_spark.directories import VERIFIED
from kgreason_spark.session import session_with
from kgreason_spark.token_columns import literal_token

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NODE: Final = r"<[^<>]*+>|_:[^\s<>\"]++"
_TERM: Final = rf"{_NODE}|\"(?:[^\"\\]|\\.)*+\"(?:@[^\s<>\"]++|\^\^<[^<>]*+>)?+"
# One triple term, however many are inside of it: a graph, which cannot be one, would have to be the last token.
_TRIPLE: Final = (
    r"(?=.*\)>>[ \t]*+\z)<<\((?:[ \t]++|<<\(|\)>>|<[^<>]*+>|_:[^\s<>\")]++|"
    r"\"(?:[^\"\\]|\\.)*+\"(?:@[^\s<>\")]++|\^\^<[^<>]*+>)?+)*+"
)
_OBJECT: Final = rf"{_TERM}|{_TRIPLE}"
_PLAIN_LITERAL: Final = r"(?s)\A\".*\"(?:@[^\s\"]++|\^\^[^\"]++)?+\z"
_PLACE: Final = "place"
VALUE: Final = "value"


def table_lines(spark: SparkSession, files: Sequence[str], options: TableOptions) -> list[DataFrame]:
    """The rows of tables as lines in the column VALUE, with the URIs of their files: one frame for each job.

    Raises:
        LoadError: there are no such columns, or they have something else than strings.
    """
    by_root: dict[str, list[str]] = {}
    for file in files:
        by_root.setdefault(_root(file), []).append(file)
    return [_lines(_table(spark, root, some), shown(some[0]), options) for root, some in by_root.items()]


def _root(file: str) -> str:
    """Where the folders of a part begin that stand for columns; a file that is not a part is a table of its own."""
    return job_root(file) if is_part(file.rpartition("/")[2]) else file


def _table(spark: SparkSession, root: str, files: Sequence[str]) -> DataFrame:
    # Values in names of folders are text, also where they look like numbers.
    apart = session_with(spark, {"spark.sql.sources.partitionColumnTypeInference.enabled": "false"})
    reader = apart.read.options(**VERIFIED)
    reader = reader if files[0] == root else reader.option("basePath", root)
    return reader.parquet(*map(pattern_of, files))


def _lines(table: DataFrame, name: str, options: TableOptions) -> DataFrame:
    kinds = {field.name: field.dataType for field in table.schema.fields}
    try:
        names = columns_of(list(kinds), options.columns)
    except ValueError as error:
        raise LoadError(str(error), path=name) from None
    for column in names:
        if not isinstance(kinds[column], T.StringType | T.BinaryType | T.NullType):
            kind = kinds[column].simpleString()
            raise LoadError(f"the column {column} is of type {kind}", path=name, expected="strings")
    terms = [F.col(f"`{column}`").cast("string") for column in names]
    style = options.terms
    if style is None:
        first = table.select(terms[1].alias(_PLACE)).where(F.col(_PLACE).isNotNull()).first()
        style = "ntriples" if first is None else style_of(first[0])
    return table.select(_line(terms, plain=style == "plain").alias(VALUE), F.col("_metadata.file_path").alias(_PLACE))


def _line(terms: Sequence[Column], *, plain: bool) -> Column:
    """A line; where a value is more or less than one term, one that is not a statement."""
    tokens = [_plain_token(term) if plain else term for term in terms]
    shapes = [_OBJECT if number == 2 else _NODE for number in range(len(terms))]
    single = [
        F.coalesce(token.rlike(rf"(?s)\A[ \t]*+(?:{shape})[ \t]*+\z"), F.lit(number == 3))
        for number, (token, shape) in enumerate(zip(tokens, shapes, strict=True))
    ]
    line = F.concat_ws(" ", *(F.coalesce(token, F.lit("" if number == 3 else "null")) for number, token in
                              enumerate(tokens)), F.lit("."))  # fmt: skip
    return F.when(reduce(Column.__and__, single), line).otherwise(F.concat(F.lit("? "), line))


def _plain_token(term: Column) -> Column:
    """The token of N-Triples for a term as it is in the keys of a dictionary; null for anything else."""
    iri = F.replace(F.replace(term, F.lit("\\"), F.lit("\\\\")), F.lit(">"), F.lit("\\u003E"))
    return (
        F.when(F.startswith(term, F.lit('"')), F.when(term.rlike(_PLAIN_LITERAL), literal_token(term)).otherwise(term))
        .when(F.startswith(term, F.lit("_:")) | F.startswith(term, F.lit(OPENING.rstrip())), term)
        .otherwise(F.concat(F.lit("<"), iri, F.lit(">")))
    )
