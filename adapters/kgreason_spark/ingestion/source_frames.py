"""Logical sources to rows: which DataFrame or which files a source means, and of what format they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from kgreason.access import NOTHING, Access
from kgreason.errors import LoadError, MappingError
from kgreason_mapping.documents.mapping_model import AnySource, Dialect, Formulation, LogicalSource, LogicalView
from kgreason_mapping.locations import Location, shown
from kgreason_mapping.sources.databases import database_of
from kgreason_mapping.sources.named_inputs import input_location, without_input
from kgreason_mapping.sources.source_places import JSON_LINES, SourcePlaces, format_suffix, formulation_of
from kgreason_mapping.sources.source_reach import check_links
from kgreason_spark.directories import VERIFIED, Directory, exact_pattern, matching
from kgreason_spark.failures import clear_errors
from kgreason_spark.ingestion.csv_rows import csv_rows
from kgreason_spark.ingestion.json_rows import json_rows
from kgreason_spark.ingestion.reader_rows import query_rows, xml_rows
from kgreason_spark.ingestion.source_rows import SourceRows
from kgreason_spark.ingestion.typed_rows import typed_rows
from kgreason_spark.ingestion.view_rows import view_rows
from kgreason_spark.jobs import check_finished, contents_at, visible

Input: TypeAlias = DataFrame | Location

@dataclass(frozen=True, slots=True)
class Sources:
    """Where logical sources are found.

    Attributes:
        inputs: a DataFrame or a location instead of what the mapping names, by that name (a path, table or DataFrame).
        directory: what relative paths are relative to; None for what the mapping says.
        mapping_directory: the directory of the mapping document.
        multiline: whether quoted CSV fields may have line breaks in them (`csv_rows`): None to look, False for owners
            who know that theirs have none, True to read each file by one task.
        unfinished: read a directory although something in it says that a job has not finished.
        access: the folders beside these directories and that of the process whose files a mapping may name.
        engine: ``auto``: the Arrow engine in executors where it can read a source; ``columns``: column expressions.
        database: of the tables and queries that have no input of their own: a URL, or a file of SQLite or DuckDB that
            all executors reach (`kgreason_mapping.sources.databases`). An input may be a database, too, by the name of
            a table or of the database in the mapping.
    """

    inputs: Mapping[str, Input] = field(default_factory=dict)
    directory: Location | None = None
    mapping_directory: Location | None = None
    multiline: bool | None = None
    unfinished: bool = False
    access: Access = NOTHING
    engine: Literal["auto", "columns"] = "auto"
    database: str | None = None

    def rows(self, session: SparkSession, source: AnySource, references: Sequence[str] = ()) -> SourceRows:
        """The rows of a logical source, of which the mapping asks some references.

        Raises:
            MappingError: there is no such DataFrame, the format is not told by anything, or the mapping names a file
                elsewhere.
            LoadError: there is no such file, or it cannot be read.
        """
        if isinstance(source, LogicalView):
            return view_rows(source, references, partial(self.rows, session))
        given = self.inputs.get(source.location)
        if isinstance(given, DataFrame):
            return typed_rows(given, source.location, source.nulls, is_answer=source.query is not None)
        if source.query is not None:
            database = database_of(source, given, self.inputs, self.database)
            if database is not None:
                return query_rows(session, database, source, references)
        if given is None and source.formulation is Formulation.COLUMNS:
            raise MappingError(f"no input is named {source.location!r}, and no database is given")
        path = input_location(given, source.location) if given is not None else self._places.path(source)
        with clear_errors(f"reading {shown(path)}"):
            path = exact_pattern(session, path)
            for place in visible(matching(session, path)):
                if given is None:
                    check_links(place.qualified(), self._places.folders, self.access)
                if not self.unfinished and place.is_directory():
                    check_finished(place, contents_at(place))
            try:
                return self._file_rows(session, source, path, references)
            except AnalysisException as error:
                missing = "PATH_NOT_FOUND" in str(error)
                reason = Directory(session, path).why_missing() if missing else str(error).partition("\n")[0]
                reason += without_input(source.location, self.inputs)
                raise LoadError(f"cannot be read: {reason}", path=shown(path)) from None

    def _file_rows(
        self, session: SparkSession, source: LogicalSource, path: str, references: Sequence[str]
    ) -> SourceRows:
        match formulation_of(source, path):
            case Formulation.CSV:
                dialect = source.dialect or Dialect(delimiter="\t" if format_suffix(path) == ".tsv" else ",")
                return csv_rows(session, path, source.location, source.nulls, dialect,
                                encoding=source.encoding, multiline=self.multiline)  # fmt: skip
            case Formulation.JSON:
                if source.encoding not in (None, "UTF-8"):
                    raise MappingError(f"JSON is in UTF-8 (RFC 8259, section 8.1), not in {source.encoding}", path=path)
                lines = format_suffix(path) in JSON_LINES or source.iterator is None
                return json_rows(session, path, source, references, lines=lines)
            case Formulation.XML:
                return xml_rows(session, path, source, references)
            case Formulation.PARQUET:
                return typed_rows(session.read.options(**VERIFIED).parquet(path), source.location, source.nulls)
            case _:
                reason = "neither the mapping nor the name tells the format: CSV, JSON, XML or Parquet"
                raise MappingError(reason, path=path)

    @property
    def _places(self) -> SourcePlaces:
        return SourcePlaces(self.directory, self.mapping_directory, self.access)
