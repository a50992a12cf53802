"""Encoded triples as the facts of relations: DataFrames of ids."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_reader import EncodedTriples, read_encoded, read_triples
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, TRIPLES, Manifest, TermCounts
from kgreason.rdf.keys import folded_key
from kgreason.relations.codes import CLASS, PROPERTY
from kgreason_mapping.locations import pattern_of
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import frame_of_arrow, to_arrow
from kgreason_spark.directories import VERIFIED, Directory
from kgreason_spark.failures import clear_errors
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.driver_limits import few_rows
from kgreason_spark.materialisation.fact_columns import (
    RELATION,
    Numbers,
    argument,
    fact_columns,
    frame_of,
    is_among,
)
from kgreason_spark.materialisation.id_checks import check_dictionary, check_triples
from kgreason_spark.materialisation.local_files import of_codes, small_table
from kgreason_spark.outputs.written_files import checksums
from kgreason_spark.token_columns import folded_key as folded_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

_TRIPLES_SCHEMA: Final = "subject long, object long, graph long, predicate long"
_TERMS_SCHEMA: Final = "id long, term string"
_PARQUET: Final = ".parquet"
_TRIPLE: Final = pa.schema([(name, pa.int64()) for name in ("subject", "predicate", "object")])
_TERM: Final = pa.schema([("id", pa.int64()), ("term", pa.string())])


@dataclass(frozen=True)
class Dataset:
    """A directory of encoded triples, read by Spark."""

    spark: SparkSession
    path: str

    @cached_property
    def manifest(self) -> Manifest:
        """The triples of the directory.

        Raises:
            LoadError: there is no manifest, or it cannot be used.
        """
        return Manifest.from_json(self.manifest_text, f"{self.path}/{MANIFEST}")

    @cached_property
    def manifest_text(self) -> str:
        """The text of the manifest; LoadError where there is none."""
        return self._directory.read_text(MANIFEST)

    def check_files(self) -> None:
        """LoadError where a file of the manifest is missing or has another size, or there is another file of Parquet:
        Spark reads the files that there are. Cost: the file system lists them."""
        given = {file.path: file.bytes for file in self.manifest.files}
        for section in (DICTIONARY, TRIPLES):
            with clear_errors(f"reading {self.path}"):
                there = self._directory.sizes(section)
            for path, size in given.items():
                if path.startswith(f"{section}/") and there.get(path) != size:
                    told = f"{there[path]} bytes" if path in there else "there is no such file"
                    reason = f"cannot be read: {told}, and {MANIFEST} says {size}"
                    raise LoadError(reason, path=f"{self.path}/{path}")
            for path in sorted(there.keys() - given.keys()):
                if path.endswith(_PARQUET) and not any(part.startswith(("_", ".")) for part in path.split("/")):
                    raise LoadError(f"is not among the files in {MANIFEST}", path=f"{self.path}/{path}")

    def check_contents(self, before: Sequence[TermCounts] = ()) -> None:
        """LoadError where a file has another checksum than in the manifest, or is none that a store would load.

        Args:
            before: of the directories whose ids go before those of this one, and are in its triples.

        Cost: all is read once for the checksums and once for the content, by jobs of Spark where it is many bytes.
        """
        spaces = (*before, self.manifest.terms)
        if sum(file.bytes for file in self.manifest.files) <= spark_tuning.SMALL_TABLE_BYTES:
            self._read(lambda folder: read_triples(folder, self.manifest, spaces))
            return
        for section in (DICTIONARY, TRIPLES):
            files = list(self.manifest.section(section))
            with clear_errors(f"reading {self.path}"):
                found = checksums(self._directory, section)
            for file in files:
                if found.get(file.path) != file.sha256:
                    reason = f"cannot be read: its SHA-256 is not the one in {MANIFEST}"
                    raise LoadError(reason, path=f"{self.path}/{file.path}")
            if not files:
                continue
            with self._located(Path()), clear_errors(f"reading {self.path}"):
                if section == DICTIONARY:
                    check_dictionary(self.dictionary(), self.manifest)
                else:
                    check_triples(self._table(TRIPLES, _TRIPLES_SCHEMA), self.manifest, spaces)

    @property
    def _directory(self) -> Directory:
        return Directory(self.spark, self.path)

    def read(self) -> EncodedTriples:
        """All terms and triples, checked against the manifest and in memory here: no job of Spark.

        Raises:
            LoadError: a file is missing or damaged.
        """
        return self._read(read_encoded)

    def _read(self, read: Callable[[Path], EncodedTriples]) -> EncodedTriples:
        with self._directory.on_this_machine(MANIFEST, DICTIONARY, TRIPLES) as folder, self._located(folder):
            return read(folder)

    @contextmanager
    def _located(self, folder: Path) -> Iterator[None]:
        """Errors about files in a folder as errors about this directory."""
        try:
            yield
        except LoadError as error:
            path = Path(error.path or folder)
            place = f"{self.path.rstrip('/')}/{path.relative_to(folder)}" if path.is_relative_to(folder) else path
            raise LoadError(f"cannot be read: {error.reason}", path=place, expected=error.expected) from error

    def dictionary(self) -> DataFrame:
        """The columns `id` and `term`."""
        return self._table(DICTIONARY, _TERMS_SCHEMA)

    @cached_property
    def local_dictionary(self) -> pa.Table | None:
        """The columns `id` and `term` here, where they are few bytes."""
        return small_table(Directory(self.spark, f"{self.path}/{DICTIONARY}"), _TERM)

    @cached_property
    def local_triples(self) -> pa.Table | None:
        """The columns of `triples` here, where they are few bytes."""
        return small_table(Directory(self.spark, f"{self.path}/{TRIPLES}"), _TRIPLE, "predicate")

    def triples(self) -> DataFrame:
        """The columns `subject`, `predicate`, `object`: a triple of several graphs as often."""
        return self.quads().select("subject", "predicate", "object")

    def quads(self) -> DataFrame:
        """The same with `graph`, null in the default graph."""
        return self._table(TRIPLES, _TRIPLES_SCHEMA).select("subject", "predicate", "object", "graph")

    def _table(self, section: str, schema: str) -> DataFrame:
        place = Directory(self.spark, f"{self.path}/{section}")
        if not place.exists():  # no rows, no files
            return self.spark.createDataFrame([], schema)
        return self.spark.read.options(**VERIFIED).schema(schema).parquet(pattern_of(str(place)))

    def facts(self, type_id: int | None, width: int) -> Facts:
        """The triples as facts: type triples of a resource as class are facts of the class."""
        return Facts(self, type_id, self.manifest.terms.first_literal, width)

    def ids(self, keys: Sequence[str]) -> dict[str, int]:
        """The ids of those of the terms that the dictionary has, however tags are spelled: a look through it."""
        by_folded = {folded_key(key): key for key in keys}
        known = self.local_dictionary
        if known is not None:
            return _ids_among(known, by_folded)
        wanted = frame_of_arrow(self.spark, pa.table({"term": pa.array(list(by_folded), pa.string())}))
        # Only where a tag is looked for, the dictionary needs folding.
        tagged = any(map(_is_tagged, by_folded))
        term = folded_column(F.col("term")) if tagged else F.col("term")
        found = to_arrow(self.dictionary().select("id", term.alias("term")).join(F.broadcast(wanted), "term"))
        names = [by_folded[key] for key in found["term"].to_pylist()]
        return dict(zip(names, found["id"].to_pylist(), strict=True))

    def keys(self, ids: Numbers) -> tuple[Numbers, list[str]]:
        """The terms of ids, in any order, with the ids: a look through the dictionary."""
        known = self.local_dictionary
        if known is not None:
            found = known.filter(pc.is_in(known["id"], value_set=pa.array(ids, pa.int64())))
        else:
            wanted = frame_of_arrow(self.spark, pa.table({"id": pa.array(ids)}))
            found = to_arrow(self.dictionary().join(F.broadcast(wanted), "id"))
        return found["id"].to_numpy().astype(np.int64), found["term"].to_pylist()


def _ids_among(known: pa.Table, by_folded: Mapping[str, str]) -> dict[str, int]:
    """The ids of terms, given by their folded keys, in a dictionary."""
    terms = known["term"]
    if any(_is_tagged(key) for key in by_folded):
        tagged = pc.match_substring_regex(terms, r'"@[^"]*[A-Z][^"]*$')
        spelled = zip(terms.to_pylist(), tagged.to_pylist(), strict=True)
        terms = pa.array([folded_key(key) if fold else key for key, fold in spelled], pa.string())
    is_wanted = pc.is_in(terms, value_set=pa.array(list(by_folded), pa.string()))
    found = known.set_column(1, "term", terms).filter(is_wanted)
    return dict(zip(map(by_folded.__getitem__, found["term"].to_pylist()), found["id"].to_pylist(), strict=True))


def _is_tagged(key: str) -> bool:
    return key.startswith('"') and key.rpartition('"')[2].startswith("@")


@dataclass(frozen=True)
class Facts:
    """Triples as facts in the columns `fact_columns(width)`; no type triples are told apart without `type_id`."""

    dataset: Dataset
    type_id: int | None
    first_literal: int
    width: int

    @cached_property
    def local(self) -> pa.Table | None:
        """Every fact, where they are few bytes."""
        triples = self.dataset.local_triples
        if triples is None:
            return None
        subject, predicate, target = (triples[name].to_numpy() for name in _TRIPLE.names)
        is_class = (target < self.first_literal) & (predicate == (-1 if self.type_id is None else self.type_id))
        relation = np.where(is_class, target << 2 | CLASS, predicate << 2 | PROPERTY)
        columns = [relation, subject, np.where(is_class, 0, target)]
        columns += [np.zeros(len(triples), dtype=np.int64)] * (self.width - 2)
        return pa.table([pa.array(column, pa.int64()) for column in columns], fact_columns(self.width))

    @cached_property
    def _everything(self) -> DataFrame:
        if self.local is not None:
            return frame_of(self.dataset.spark, self.local)
        return self.of_triples(self.dataset.triples())

    def all(self) -> DataFrame:
        """Every fact."""
        return self._everything

    def counts(self) -> dict[int, int]:
        """How many facts each relation has."""
        if self.local is not None:
            relation, counts = np.unique(self.local[RELATION].to_numpy(), return_counts=True)
            return dict(zip(relation.tolist(), counts.tolist(), strict=True))
        found = few_rows(self.all().groupBy(RELATION).count(), driver_limits.RELATIONS, "relations with facts")
        return dict(zip(found[RELATION].to_pylist(), found["count"].to_pylist(), strict=True))

    def gathered(self, relations: Numbers) -> pa.Table | None:
        """The facts of some relations, where all facts are few bytes."""
        return None if self.local is None else of_codes(self.local, relations)

    def of(self, relations: Numbers) -> DataFrame:
        """The facts of a few relations: only the folders of their predicates are read."""
        if self.local is not None:
            return frame_of(self.dataset.spark, of_codes(self.local, relations))
        names, kinds = relations >> 2, relations & 3
        wanted = [is_among("predicate", names[kinds == PROPERTY])]
        classes = names[kinds == CLASS]
        if len(classes) and self.type_id is not None:
            wanted.append(f"predicate = {self.type_id} AND {is_among('object', classes)}")
        found = self.of_triples(self.dataset.triples().filter(" OR ".join(wanted)))
        return found.filter(is_among(RELATION, relations))

    def of_triples(self, triples: DataFrame) -> DataFrame:
        """Other triples with the ids of this dataset, as facts."""
        is_class = "false"
        if self.type_id is not None:
            is_class = f"predicate = {self.type_id} AND object < {self.first_literal}"
        relation = f"IF({is_class}, {_code('object', CLASS)}, {_code('predicate', PROPERTY)}) AS {RELATION}"
        second = f"IF({is_class}, 0L, object) AS {argument(1)}"
        others = [f"0L AS {argument(position)}" for position in range(2, self.width)]
        return triples.selectExpr(relation, f"subject AS {argument(0)}", second, *others)


def _code(column: str, kind: int) -> str:
    return f"(shiftleft({column}, 2) + {kind}L)"
