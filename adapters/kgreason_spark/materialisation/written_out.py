"""All triples of a job, explicit and inferred ones, as frames of terms: what N-Triples are written from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, QUAD, SUBJECT
from kgreason_spark.materialisation.inferred_frames import Results

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_spark.materialisation.derivation import Derivation


def all_quads(derivation: Derivation) -> DataFrame:
    """The explicit quads, and what follows from them in the default graph, closures written out: each once.

    Cost: a join with the dictionary for each of subject, object and graph.
    """
    inferred = Results(derivation, pairs=True).cluster_triples.withColumn(GRAPH, F.lit(None).cast("bigint"))
    quads = derivation.dataset.quads().unionAll(inferred.select(SUBJECT, PREDICATE, OBJECT, GRAPH))
    dictionary = derivation.dictionary()
    predicates = dictionary.join(F.broadcast(quads.select(F.col(PREDICATE).alias("id")).distinct()), "id", "left_semi")
    quads = _spelled(quads, PREDICATE, F.broadcast(predicates))
    for column in (SUBJECT, OBJECT):
        quads = _spelled(quads, column, dictionary)
    graphs = dictionary.join(F.broadcast(quads.select(F.col(GRAPH).alias("id")).distinct()), "id", "left_semi")
    return _spelled(quads, GRAPH, F.broadcast(graphs)).select(*QUAD)


def _spelled(quads: DataFrame, column: str, dictionary: DataFrame) -> DataFrame:
    """The terms of a column in the place of their ids; null stays null."""
    terms = dictionary.select(F.col("id").alias(column), F.col("term").alias("_term"))
    return quads.join(terms, column, "left").drop(column).withColumnRenamed("_term", column)
