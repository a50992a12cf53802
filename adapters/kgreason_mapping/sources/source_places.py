"""Where the logical sources of a mapping are: a location for each, in the folders that the mapping may read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kgreason.access import NOTHING, Access
from kgreason_mapping.documents.mapping_model import Formulation, LogicalSource
from kgreason_mapping.locations import Location, is_relative, joined, location, pattern_of, suffix_of
from kgreason_mapping.sources.source_reach import check_location

JSON_LINES: Final = (".jsonl", ".ndjson")

_COMPRESSED: Final = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
_FORMATS: Final = {
    ".csv": Formulation.CSV,
    ".tsv": Formulation.CSV,
    ".json": Formulation.JSON,
    **dict.fromkeys(JSON_LINES, Formulation.JSON),
    ".parquet": Formulation.PARQUET,
    ".xml": Formulation.XML,
}


@dataclass(frozen=True, slots=True)
class SourcePlaces:
    """Where relative paths of sources begin.

    Attributes:
        directory: the folder of all sources; None for what the mapping says.
        mapping_directory: the folder of the mapping document.
        access: the folders beside these and that of the process whose files a mapping may name.
    """

    directory: Location | None = None
    mapping_directory: Location | None = None
    access: Access = NOTHING

    @property
    def folders(self) -> list[str]:
        """Where the files are that a mapping may name."""
        folders = ["", self.mapping_directory] if self.directory is None else [self.directory]
        return [location(folder) for folder in folders if folder is not None]

    def path(self, source: LogicalSource) -> str:
        """The location of a source, which may be a pattern of Hadoop.

        Raises:
            MappingError: the mapping names a file elsewhere.
        """
        named = joined(source.root or "", source.location) if self.directory is None else source.location
        check_location(named, self.folders, self.access)
        if not is_relative(source.location):
            return source.location
        root = self.directory if self.directory is not None else source.root
        if root is None:
            root = self.mapping_directory
        # The directory is one, with any characters in its name; the location in the mapping may be a pattern.
        return joined(pattern_of(location(root)) if root is not None else "", source.location)


def formulation_of(source: LogicalSource, path: str) -> Formulation | None:
    """The format of a source, by the mapping or else by the name of the file; None where neither tells it."""
    if source.formulation in (None, Formulation.COLUMNS):
        # An input in the place of what the mapping names may be a pattern or a folder of another name.
        return _FORMATS.get(format_suffix(path)) or _FORMATS.get(format_suffix(source.location))
    return source.formulation


def format_suffix(path: str) -> str:
    """The ending that tells the format: without that of the compression, in lower case."""
    suffix = suffix_of(path)
    return suffix_of(path[: -len(suffix)]) if suffix in _COMPRESSED else suffix
