"""Answers of SPARQL queries, written to stdout or to a file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from kgreason.cli.error_lines import UsageError
from kgreason.cli.output import written
from kgreason.cli.printed_tables import print_table

if TYPE_CHECKING:
    import pyarrow as pa
    from rdflib.query import Result
    from rdflib.term import Identifier, Node

    Row: TypeAlias = tuple[Identifier | None, ...]

PARQUET = "parquet"
ROW_FORMATS = ("table", "tsv", "csv", "json", "xml", PARQUET)
GRAPH_FORMATS = ("turtle", "nt")
FORMATS = (*ROW_FORMATS, *GRAPH_FORMATS)
ENDINGS: Final = {
    ".tsv": "tsv", ".csv": "csv", ".json": "json", ".srj": "json", ".xml": "xml", ".srx": "xml", ".parquet": PARQUET,
    ".ttl": "turtle", ".nt": "nt",
}  # fmt: skip


def _checked_format(result: Result, format: str | None, path: Path | None) -> str:
    """The format, or the usual one of an answer; UsageError for one that does not suit."""
    formats = GRAPH_FORMATS if result.type in ("CONSTRUCT", "DESCRIBE") else ROW_FORMATS
    if format is None:
        format = formats[0] if path is None or formats is GRAPH_FORMATS else "tsv"
    if format not in formats:
        raise UsageError(f"no {format} for the answer of {result.type}; there are {', '.join(formats)}")
    if format == "table" and path is not None:
        raise UsageError(f"a table is for a terminal; there are {', '.join(formats[1:])} for files", path=path)
    return format


def write_answer(
    result: Result, format: str | None, path: Path | None, namespaces: Iterable[tuple[str, Node]]
) -> None:
    """Write rows, a truth value or triples in the named format; a table or Turtle by default, with the prefixes of
    `namespaces` that are of use.

    Raises:
        UsageError: rows as triples, or triples as rows, or a table to a file.
    """
    format = _checked_format(result, format, path)
    if format == "table" and result.type != "ASK":
        print_table([str(variable) for variable in result.vars or ()], map(_texts, _rows(result)))
        return
    with written(path) as stream:
        if format in ("table", "tsv") and result.type == "ASK":
            stream.write(f"{str(result.askAnswer).lower()}\n".encode())
        elif result.graph is not None:
            for prefix, namespace in namespaces:
                result.graph.bind(prefix, namespace, replace=True)
            result.graph.serialize(stream, format=f"kg-{format}", encoding="utf-8")
        else:
            stream.write(result.serialize(format=format, encoding="utf-8") or b"")


def write_parquet(table: pa.Table, path: Path | None) -> None:
    """Write a table of solutions as Parquet."""
    import pyarrow.parquet as pq

    with written(path) as stream:
        content = io.BytesIO()
        pq.write_table(table, content, compression="zstd")
        stream.write(content.getbuffer())


def _rows(result: Result) -> Iterator[Row]:
    return (cast("Row", row) for row in result)


def _texts(row: Row) -> list[str]:
    return ["" if term is None else str(term) for term in row]
