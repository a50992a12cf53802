"""Encoded triples as the facts of relations: DataFrames of ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F

from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_reader import EncodedTriples, read_encoded
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, TRIPLES, Manifest
from kgreason.rdf.keys import folded_key
from kgreason.relations.codes import CLASS, PROPERTY
from kgreason_spark.directories import Directory
from kgreason_spark.token_columns import folded_key as folded_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

RELATION: Final = "relation"
Numbers = NDArray[np.int64]

_TRIPLES_SCHEMA: Final = "subject long, object long, graph long, predicate long"


def argument(position: int) -> str:
    """The name of the column of an argument."""
    return f"a{position}"


def fact_columns(width: int) -> list[str]:
    """The columns of facts of at most `width` arguments; a relation with fewer has 0 in the others."""
    return [RELATION, *map(argument, range(width))]


def facts_schema(width: int) -> str:
    """The same, as Spark writes a schema."""
    return ", ".join(f"{name} long" for name in fact_columns(width))


def schema_text(rows: DataFrame) -> str:
    """The columns of rows, as Spark writes a schema."""
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in rows.schema)


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
        return Directory(self.spark, self.path).read_text(MANIFEST)

    def read(self) -> EncodedTriples:
        """All terms and triples, checked against the manifest and in memory here: no job of Spark.

        Raises:
            LoadError: a file is missing or damaged.
        """
        with Directory(self.spark, self.path).on_this_machine(MANIFEST, DICTIONARY, TRIPLES) as folder:
            try:
                return read_encoded(folder)
            except LoadError as error:
                path = Path(error.path or folder)
                place = f"{self.path.rstrip('/')}/{path.relative_to(folder)}" if path.is_relative_to(folder) else path
                raise LoadError(f"cannot be read: {error.reason}", path=place, expected=error.expected) from error

    def dictionary(self) -> DataFrame:
        """The columns `id` and `term`."""
        return self.spark.read.schema("id long, term string").parquet(f"{self.path}/{DICTIONARY}")

    def triples(self) -> DataFrame:
        """The columns `subject`, `predicate`, `object`: a triple of several graphs as often."""
        return self.quads().select("subject", "predicate", "object")

    def quads(self) -> DataFrame:
        """The same with `graph`, null in the default graph."""
        frame = self.spark.read.schema(_TRIPLES_SCHEMA).parquet(f"{self.path}/{TRIPLES}")
        return frame.select("subject", "predicate", "object", "graph")

    def facts(self, type_id: int | None, width: int) -> Facts:
        """The triples as facts: type triples of a resource as class are facts of the class."""
        return Facts(self.triples(), type_id, self.manifest.terms.first_literal, width)

    def ids(self, keys: Sequence[str]) -> dict[str, int]:
        """The ids of those of the terms that the dictionary has, however tags are spelled: a look through it."""
        by_folded = {folded_key(key): key for key in keys}
        wanted = self.spark.createDataFrame(pa.table({"term": pa.array(list(by_folded), pa.string())}))
        # Only where a tag is looked for, the dictionary needs folding.
        tagged = any(key.startswith('"') and key.rpartition('"')[2].startswith("@") for key in by_folded)
        term = folded_column(F.col("term")) if tagged else F.col("term")
        found = self.dictionary().select("id", term.alias("term")).join(F.broadcast(wanted), "term").toArrow()
        names = [by_folded[key] for key in found["term"].to_pylist()]
        return dict(zip(names, found["id"].to_pylist(), strict=True))

    def keys(self, ids: Numbers) -> tuple[Numbers, list[str]]:
        """The terms of ids, in any order, with the ids: a look through the dictionary."""
        wanted = self.spark.createDataFrame(pa.table({"id": pa.array(ids)}))
        found = self.dictionary().join(F.broadcast(wanted), "id").toArrow()
        return found["id"].to_numpy().astype(np.int64), found["term"].to_pylist()


@dataclass(frozen=True)
class Facts:
    """Triples as facts in the columns `fact_columns(width)`; no type triples are told apart without `type_id`."""

    triples: DataFrame
    type_id: int | None
    first_literal: int
    width: int

    def all(self) -> DataFrame:
        """Every fact."""
        return self._of(self.triples)

    def of(self, relations: Numbers) -> DataFrame:
        """The facts of a few relations: only the folders of their predicates are read."""
        names, kinds = relations >> 2, relations & 3
        wanted = F.col("predicate").isin(names[kinds == PROPERTY].tolist())
        classes = names[kinds == CLASS].tolist()
        if classes and self.type_id is not None:
            wanted |= (F.col("predicate") == self.type_id) & F.col("object").isin(classes)
        return self._of(self.triples.filter(wanted)).filter(F.col(RELATION).isin(relations.tolist()))

    def _of(self, triples: DataFrame) -> DataFrame:
        is_class = F.lit(False)
        if self.type_id is not None:
            is_class = (F.col("predicate") == self.type_id) & (F.col("object") < self.first_literal)
        relation = F.when(is_class, _code("object", CLASS)).otherwise(_code("predicate", PROPERTY))
        second = F.when(is_class, F.lit(0)).otherwise(F.col("object")).cast("long")
        others = [F.lit(0).cast("long").alias(argument(position)) for position in range(2, self.width)]
        arguments = F.col("subject").alias(argument(0)), second.alias(argument(1))
        return triples.select(relation.alias(RELATION), *arguments, *others)


def _code(column: str, kind: int) -> Column:
    return F.shiftleft(F.col(column), 2) + F.lit(kind)
