"""The closure that Spark gives beside the one that the engine of a store gives, both as sets of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.encoded.manifest import DICTIONARY, PREDICATE, TRIPLES, describe_file, read_manifest
from kgreason.program.rules import Program
from kgreason.rdf.keys import key_of
from kgreason.relations.catalogue import AUTO, Catalogue
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.triple_view import TripleView
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_derivation import DriverDerivation, derived_here
from kgreason_spark.materialisation.driver_limits import Limits
from kgreason_spark.materialisation.fixpoint import Fixpoint
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.job import run_rounds
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
from kgreason_spark.spark_tuning import DRIVER_DERIVED
from tests.facade import Triple

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Keys = set[tuple[str, str, str]]


def encode(folder: Path, triples: Iterable[Triple]) -> Path:
    """Write triples of terms as encoded Parquet."""
    dictionary = Dictionary()
    rows = [[dictionary.encode_key(key_of(term)) for term in triple] for triple in triples]
    columns = np.array(rows, dtype=np.uint32).reshape(-1, 3).T
    graphs = np.full(len(rows), DEFAULT_GRAPH, dtype=np.uint32)
    write_encoded(folder, dictionary, *columns, graphs, DEFAULT_GRAPH)
    return folder


def encode_base(folder: Path, base: KnowledgeBase) -> Path:
    """Write the explicit triples of a knowledge base as encoded Parquet."""
    columns = [np.concatenate(parts) for parts in zip(*base.explicit().match(None, None, None), strict=True)]
    graphs = np.full(len(columns[0]), DEFAULT_GRAPH, dtype=np.uint32)
    write_encoded(folder, base.dictionary, *columns, graphs, DEFAULT_GRAPH)
    return folder


def keys(base: KnowledgeBase, view: TripleView) -> Keys:
    """The triples of a view by their keys."""
    key = base.dictionary.key
    return {
        (key(s), key(p), key(o))
        for chunk in view.match(None, None, None)
        for s, p, o in zip(*(column.tolist() for column in chunk), strict=True)
    }


def fixpoint(
    spark: SparkSession,
    data: Path,
    work: Path,
    program: Program,
    report: Callable[[int, Round], None] = lambda number, done: None,
    *,
    schemes: str | Catalogue = AUTO,
    **limits: int,
) -> Fixpoint:
    """Run to the fixpoint, again where levels of negation turn out to be others."""
    checkpoints = Checkpoints(spark, str(work), "test", Reasoner(program).width())
    checkpoints.resume()
    return run_rounds(Dataset(spark, str(data)), program, checkpoints, report, limits=Limits(**limits), schemes=schemes)


def on_driver(spark: SparkSession, folder: Path, base: KnowledgeBase, most: int = DRIVER_DERIVED) -> DriverDerivation:
    """What the driver derives of the explicit triples of a knowledge base, in files of a folder."""
    found = on_driver_within(spark, folder, base, most)
    assert found is not None
    return found


def on_driver_within(
    spark: SparkSession, folder: Path, base: KnowledgeBase, most: int
) -> DriverDerivation | None:
    """The same; None where that is more than `most`."""
    checkpoints = Checkpoints(spark, str(folder / "here"), "test", Reasoner(base.program).width())
    dataset = Dataset(spark, str(encode_base(folder / "data", base)))
    return derived_here(dataset, base.program, checkpoints, "auto", most)


def inferred(results: Results) -> Keys:
    """The inferred triples by their keys; none may come twice."""
    rows = to_arrow(results.triples)
    columns = [rows[name].to_pylist() for name in ("subject", "predicate", "object")]
    found = list(zip(*columns, strict=True))
    assert len(found) == len(set(found)), "a triple comes twice"
    names = names_of(results)
    return {(names[s], names[p], names[o]) for s, p, o in found}


def names_of(results: Results) -> dict[int, str]:
    """The keys of all terms by their ids."""
    names: dict[int, str] = {}
    for table in (to_arrow(results.derivation.dataset.dictionary()), results.terms[1]):
        names |= dict(zip(table["id"].to_pylist(), table["term"].to_pylist(), strict=True))
    return names


def inferred_rows(results: Results, base: KnowledgeBase) -> np.ndarray:
    """The inferred triples as sorted rows of the ids of a knowledge base; none may come twice."""
    names = names_of(results)
    numbers = np.array(list(names), dtype=np.int64)
    ids = base.dictionary.encode_keys(list(names.values()))
    order = np.argsort(numbers)
    numbers, ids = numbers[order], ids[order]
    table = to_arrow(results.triples)
    columns = [table[name].to_numpy() for name in ("subject", "predicate", "object")]
    rows = np.stack([ids[numbers.searchsorted(column)] for column in columns], axis=1)
    return _sorted(rows)


def view_rows(view: TripleView) -> np.ndarray:
    """The triples of a view as sorted rows of ids."""
    return _sorted(np.concatenate([np.stack(chunk, axis=1) for chunk in view.match(None, None, None)]))


def _sorted(rows: np.ndarray) -> np.ndarray:
    distinct = np.unique(rows, axis=0)
    assert len(distinct) == len(rows), "a triple comes twice"
    return distinct


def written_rows(data: Path, output: Path, base: KnowledgeBase) -> np.ndarray:
    """The triples that a job wrote, as sorted rows of the ids of a knowledge base; the checksums are right."""
    manifest = read_manifest(output)
    for file in manifest.files:
        assert describe_file(output, output / file.path, file.rows) == file
    terms = pa.concat_tables(
        pq.read_table(folder / file.path, partitioning=None)
        for folder in (data, output)
        for file in read_manifest(folder).section(DICTIONARY)
    )
    numbers = terms["id"].to_numpy()
    assert np.array_equal(np.sort(numbers), np.arange(len(numbers))), "ids are not dense"
    ids = np.empty(len(numbers), dtype=np.uint32)
    ids[numbers] = base.dictionary.encode_keys(terms["term"].to_pylist())
    parts = []
    for file in manifest.section(TRIPLES):
        table = pq.read_table(output / file.path, partitioning=None)
        predicate = int(file.path.split(PREDICATE)[1].split("/")[0])
        columns = table["subject"].to_numpy(), np.full(len(table), predicate), table["object"].to_numpy()
        parts.append(np.stack([ids[column] for column in columns], axis=1))
    return _sorted(np.concatenate(parts))
