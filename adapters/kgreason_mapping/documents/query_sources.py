"""Tables and queries of databases as logical sources: R2RML's, and those of RML."""

from __future__ import annotations

from typing import Final

from kgreason.errors import MappingError
from kgreason_mapping.documents.graph import MappingGraph, Value
from kgreason_mapping.documents.mapping_model import Formulation, LogicalSource
from kgreason_mapping.documents.rml_vocabulary import RML, in_rml
from kgreason_mapping.sql_names import unquoted

_VERSIONS: Final = frozenset(
    RML + name
    for name in (
        "SQL2008", "Oracle", "MySQL", "MSSQLServer", "HSQLDB", "PostgreSQL", "DB2", "Informix", "Ingres", "Progress",
        "SybaseASE", "SybaseSQLAnywhere", "Virtuoso", "Firebird", "SQLite", "DuckDB",
    )
)  # fmt: skip
"""https://www.w3.org/2001/sw/wiki/RDB2RDF/SQL_Version_IDs, and databases that are read here."""


def query_source(graph: MappingGraph, node: Value) -> LogicalSource | None:
    """The logical source of a table or a query, None for any other.

    A table is called by its name, a query by its text on one line; a source node beside it names the database.

    Raises:
        MappingError: it has several tables or queries, or one that is not a string.
    """
    formulations = {in_rml(one.value) for one in graph.values(node, "referenceFormulation")}
    tables = [one.value for one in graph.values(node, "tableName")]
    queries = [one.value for name in ("sqlQuery", "query") for one in graph.values(node, name)]
    iterators = [one.value for one in graph.values(node, "iterator")]
    if RML + "SQL2008Table" in formulations:
        tables += iterators
    elif RML + "SQL2008Query" in formulations:
        queries += iterators
    if not tables and not queries:
        if formulations & {RML + "SQL2008Table", RML + "SQL2008Query"}:
            raise MappingError("its logical source names no table and no query")
        return None
    if len(tables) + len(queries) > 1:
        raise MappingError("its logical source has more than one table or query")
    _check_version(graph, node)
    sources = graph.values(node, "source")
    database = graph.name_of(sources[0]) if sources else None
    if tables:
        name = ".".join(unquoted(part) for part in tables[0].split("."))
        query = f"SELECT * FROM {tables[0]}"
    else:
        name, query = " ".join(queries[0].split()), queries[0]
    return LogicalSource(name, formulation=Formulation.COLUMNS, query=query, database=database)


def _check_version(graph: MappingGraph, node: Value) -> None:
    for one in graph.values(node, "sqlVersion"):
        if in_rml(one.value) not in _VERSIONS:
            raise MappingError(f"the SQL version {one.value} of its logical source is unknown")
