"""Answers of SPARQL queries, printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias, cast

from kgreason.cli.output import written
from kgreason.cli.reporting import UsageError
from kgreason.cli.tables import print_table

if TYPE_CHECKING:
    from rdflib.query import Result
    from rdflib.term import Identifier

    Row: TypeAlias = tuple[Identifier | None, ...]

ROW_FORMATS = ("table", "tsv", "csv", "json", "xml")
GRAPH_FORMATS = ("turtle", "nt")
FORMATS = (*ROW_FORMATS, *GRAPH_FORMATS)


def print_answer(result: Result, format: str | None) -> None:
    """Print rows, a truth value or triples in a format of theirs; a table or Turtle when none is named.

    Raises:
        UsageError: rows as triples, or triples as rows.
    """
    formats = GRAPH_FORMATS if result.type in ("CONSTRUCT", "DESCRIBE") else ROW_FORMATS
    if format is None:
        format = formats[0]
    if format not in formats:
        raise UsageError(f"no {format} for the answer of {result.type}; there are {', '.join(formats)}")
    if format in ("table", "tsv") and result.type == "ASK":
        print(str(result.askAnswer).lower())
    elif format == "table":
        print_table([str(variable) for variable in result.vars or ()], map(_texts, _rows(result)))
    elif format == "tsv":
        _print_tsv(result)
    else:
        with written(None) as stream:
            stream.write(result.serialize(format=format, encoding="utf-8") or b"")


def _rows(result: Result) -> Iterator[Row]:
    return (cast("Row", row) for row in result)


def _texts(row: Row) -> list[str]:
    return ["" if term is None else str(term) for term in row]


def _print_tsv(result: Result) -> None:
    """The W3C's SPARQL 1.1 Query Results TSV Format: terms as in Turtle."""
    print("\t".join(variable.n3() for variable in result.vars or ()))
    for row in _rows(result):
        print("\t".join("" if term is None else term.n3().replace("\t", "\\t") for term in row))
