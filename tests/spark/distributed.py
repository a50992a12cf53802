"""The closure that Spark gives beside the one that the engine of a store gives, both as sets of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kgreason.datalog.model import Program
from kgreason.encoded.writing import write_encoded
from kgreason.knowledge.base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.knowledge.view import TripleView
from kgreason.terms.dictionary import Dictionary, key_of
from kgreason_spark.materialisation.checkpoints import Checkpoints, Round
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.fixpoint import Fixpoint
from kgreason_spark.materialisation.levels import LevelError
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.results import Results
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
    **limits: int,
) -> Fixpoint:
    """Run to the fixpoint, again where levels of negation turn out to be others."""
    checkpoints = Checkpoints(spark, str(work), "test", Reasoner(program).width())
    checkpoints.resume()
    while True:
        run = Fixpoint(Dataset(spark, str(data)), program, checkpoints, **limits)
        try:
            run.run(report)
        except LevelError as error:
            checkpoints.restart(error.levels)
        else:
            return run


def inferred(results: Results) -> Keys:
    """The inferred triples by their keys; none may come twice."""
    rows = results.triples.toArrow()
    columns = [rows[name].to_pylist() for name in ("subject", "predicate", "object")]
    found = list(zip(*columns, strict=True))
    assert len(found) == len(set(found)), "a triple comes twice"
    names = names_of(results)
    return {(names[s], names[p], names[o]) for s, p, o in found}


def names_of(results: Results) -> dict[int, str]:
    """The keys of all terms by their ids."""
    names: dict[int, str] = {}
    for table in (results.fixpoint.dataset.dictionary().toArrow(), results.terms[1]):
        names |= dict(zip(table["id"].to_pylist(), table["term"].to_pylist(), strict=True))
    return names
