"""Logical sources to readers: which file or table a source means, and of what format it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from kgreason.access import NOTHING, Access
from kgreason.errors import LoadError, MappingError
from kgreason_mapping.arrow.csv_batches import CsvReader
from kgreason_mapping.arrow.json_batches import JsonReader
from kgreason_mapping.arrow.local_files import check_reach, files_at
from kgreason_mapping.arrow.query_batches import query_reader, sql_column
from kgreason_mapping.arrow.row_batches import Reader
from kgreason_mapping.arrow.typed_batches import parquet_reader, table_reader
from kgreason_mapping.arrow.view_records import view_reader
from kgreason_mapping.arrow.xml_batches import xml_reader
from kgreason_mapping.documents.mapping_model import AnySource, Dialect, Formulation, LogicalSource, LogicalView
from kgreason_mapping.locations import Location
from kgreason_mapping.sources.databases import database_of
from kgreason_mapping.sources.named_inputs import input_location, without_input
from kgreason_mapping.sources.source_places import JSON_LINES, SourcePlaces, format_suffix, formulation_of

Input: TypeAlias = Any
"""A location, or a table: of pyarrow, pandas, Polars, DuckDB, or any other that gives a stream of Arrow."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where logical sources are found.

    Attributes:
        inputs: a table or a location instead of what the mapping names, by that name.
        directory: what relative paths are relative to; None for what the mapping says.
        mapping_directory: the directory of the mapping document.
        unfinished: read a directory although something in it says that a job has not finished.
        access: the folders beside these directories and that of the process whose files a mapping may name.
        database: where tables and queries are asked for that have no input of their own: a URL, or a file of SQLite or
            DuckDB (`kgreason_mapping.sources.databases`). An input may be such, too, by the name of a table or of the
            database in the mapping.
    """

    inputs: Mapping[str, Input] = field(default_factory=dict)
    directory: Location | None = None
    mapping_directory: Location | None = None
    unfinished: bool = False
    access: Access = NOTHING
    database: str | None = None

    def of_mapping(self, directory: str | None) -> Sources:
        """These sources for a mapping in a directory."""
        return self if self.mapping_directory is not None else replace(self, mapping_directory=directory)

    def reader(self, source: AnySource, references: Collection[str] = ()) -> Callable[[], Reader]:
        """What makes a reader of a logical source, each of which begins anew, for rows that some references
        are asked of.

        Raises:
            MappingError: there is no such table, the format is not told by anything, or the mapping names a file
                elsewhere.
            LoadError: there is no such file, or it cannot be read.
        """
        if isinstance(source, LogicalView):
            return view_reader(source, references, self.reader)
        given = self.inputs.get(source.location)
        if given is not None and not isinstance(given, str) and hasattr(given, "__arrow_c_stream__"):
            find = None if source.query is None else sql_column
            return lambda: table_reader(given, source.location, source.nulls, find)
        if source.query is not None and (asked := database_of(source, given, self.inputs, self.database)) is not None:
            query = source.query
            return lambda: query_reader(asked, query, source.location, source.nulls)
        if given is None and source.formulation is Formulation.COLUMNS:
            raise MappingError(f"no input is named {source.location!r}, and no database is given")
        places = SourcePlaces(self.directory, self.mapping_directory, self.access)
        path = input_location(given, source.location) if given is not None else places.path(source)
        if given is None:
            check_reach(path, places.folders, self.access)
        formulation = formulation_of(source, path)
        if formulation is Formulation.JSON and source.encoding not in (None, "UTF-8"):
            raise MappingError(f"JSON is in UTF-8 (RFC 8259, section 8.1), not in {source.encoding}", path=path)
        try:
            files = files_at(path, unfinished=self.unfinished)
        except LoadError as error:
            raise LoadError(error.reason + without_input(source.location, self.inputs), path=error.path) from None
        return lambda: _file_reader(source, formulation, path, files, references)


def _file_reader(
    source: LogicalSource, formulation: Formulation | None, path: str, files: list[str], references: Collection[str]
) -> Reader:
    name, nulls = source.location, source.nulls
    match formulation:
        case Formulation.CSV:
            dialect = source.dialect or Dialect(delimiter="\t" if format_suffix(path) == ".tsv" else ",")
            return CsvReader(files, name, nulls, dialect, source.encoding)
        case Formulation.JSON:
            lines = format_suffix(path) in JSON_LINES or source.iterator is None
            return JsonReader(files, name, nulls, source.iterator, lines=lines)
        case Formulation.XML:
            return xml_reader(files, name, nulls, source.iterator, dict(source.namespaces), references)
        case Formulation.PARQUET:
            return parquet_reader(files, name, nulls)
        case _:
            reason = "neither the mapping nor the name tells the format: CSV, JSON, XML or Parquet"
            raise MappingError(reason, path=path)


