"""Logical sources, from the graph to the model: paths of RML-IO, CSV on the Web's tables, and names of DataFrames."""

from __future__ import annotations

from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode

from kgreason.errors import MappingError
from kgreason_spark.mapping.graph import MappingGraph, Node, Value
from kgreason_spark.mapping.model import Dialect, Formulation, LogicalSource
from kgreason_spark.mapping.vocabulary import CSVW, RML, in_rml

_FORMULATIONS: Final = {RML + one.value: one for one in Formulation}
_ENCODINGS: Final = {RML + "UTF-8": "UTF-8", RML + "UTF-16": "UTF-16"}
_WORKING_DIRECTORY: Final = RML + "CurrentWorkingDirectory"
_MAPPING_DIRECTORY: Final = RML + "MappingDirectory"


def logical_source(graph: MappingGraph, triples_map: Node) -> LogicalSource | None:
    """The source of a triples map, None when it names none.

    Raises:
        MappingError: it has several, or one that is incomplete or of another kind than files and DataFrames.
    """
    found = graph.values(triples_map, "logicalSource")
    if len(found) > 1:
        raise MappingError("it has two logical sources")
    return _logical_source(graph, found[0]) if found else None


def _logical_source(graph: MappingGraph, node: Value) -> LogicalSource:
    table = _one(graph, node, "tableName")
    if table is not None:
        return LogicalSource(table.value.strip('"`'), formulation=Formulation.COLUMNS)
    if graph.values(node, "sqlQuery") or graph.values(node, "query"):
        raise MappingError("its logical source is an SQL query; give the answer as a DataFrame with a table name")
    source = _one(graph, node, "source")
    if source is None:
        raise MappingError("its logical source has no rml:source")
    iterator = _one(graph, node, "iterator")
    nulls = [*graph.values(source, "null"), *graph.values(source, CSVW + "null")]
    _check_compression(graph, source)
    return LogicalSource(
        location=_location(graph, source),
        root=_root(graph, source),
        formulation=_formulation(graph, node),
        iterator=iterator.value if iterator is not None else None,
        nulls=frozenset(one.value for one in nulls if isinstance(one, Literal)),
        dialect=_dialect(graph, source),
        encoding=_encoding(graph, source),
    )


def _location(graph: MappingGraph, source: Value) -> str:
    path = _one(graph, source, "path") or _one(graph, source, CSVW + "url")
    if path is not None:
        return path.value
    if isinstance(source, BlankNode):
        raise MappingError("its source has no rml:path")
    return source.value


def _root(graph: MappingGraph, source: Value) -> str | None:
    if _one(graph, source, "path") is None:
        return None
    root = _one(graph, source, "root")
    if root is None or in_rml(root.value) == _WORKING_DIRECTORY:
        return "."
    return None if in_rml(root.value) == _MAPPING_DIRECTORY else root.value


def _formulation(graph: MappingGraph, node: Value) -> Formulation | None:
    given = _one(graph, node, "referenceFormulation")
    if given is None:
        return None
    known = _FORMULATIONS.get(in_rml(given.value))
    if known is None:
        raise MappingError(f"its reference formulation {given.value} is none of CSV, JSONPath and Parquet")
    return known


def _dialect(graph: MappingGraph, source: Value) -> Dialect | None:
    dialect = graph.values(source, CSVW + "dialect")
    if not dialect:
        return None
    delimiter, quote = (_one(graph, dialect[0], CSVW + name) for name in ("delimiter", "quoteChar"))
    standard = Dialect()
    return Dialect(_character(delimiter, standard.delimiter), _character(quote, standard.quote))


def _character(given: Value | None, standard: str) -> str:
    if given is None:
        return standard
    if len(given.value) != 1:
        raise MappingError(f"the dialect of its source has {given.value!r} where one character must be")
    return given.value


def _encoding(graph: MappingGraph, source: Value) -> str | None:
    given = _one(graph, source, "encoding")
    if given is None:
        return None
    return _ENCODINGS.get(in_rml(given.value), given.value.rpartition("/")[2])


def _check_compression(graph: MappingGraph, source: Value) -> None:
    given = _one(graph, source, "compression")
    if given is None or in_rml(given.value) == RML + "none":
        return
    if in_rml(given.value) != RML + "gzip" or not _location(graph, source).endswith(".gz"):
        raise MappingError("a compressed source is a .gz file; unpack archives first")


def _one(graph: MappingGraph, node: Value, name: str) -> NamedNode | Literal | BlankNode | None:
    found = graph.values(node, name)
    if len(found) > 1:
        raise MappingError(f"its logical source has two values for {name.rpartition('#')[2]}")
    return found[0] if found else None
