"""Spark for data that does not fit one machine: raw data in, N-Triples and encoded Parquet out, and what follows.

    from kgreason_spark import as_triples, ingest, materialise, read_ntriples, write_encoded, write_ntriples

    quads = ingest("s3a://raw/mapping.ttl", {"people": spark.table("raw.people")}).quads
    inferred = materialise(quads, "owl-rl")
    write_encoded(quads.unionByName(inferred), "s3a://kg/encoded")

A map of the house; imports point from right to left only:

    session, frames, directories  <-  sources  <-  ingestion  <-  pipeline         <-  kgreason.cli
                                 outputs                 <-  materialisation  <-  kgreason.cli

* `dataframes`, `triple_frames`: frames in, frames out, on the session of a caller (`caller_session`).
* `changes`: what came and what went between two sets of triples.
* `store_sinks`: streams into a store on disk, each batch once.
* `arrow_frames`, `versions`: tables of Arrow as frames and back, and what else versions of Spark do differently.
* `session`: the Spark session of a command; `java_launch`: its Java; `executor_packages`: the packages on their way to
  executors.
* `budgets`: limits of time, facts and bytes; `spark_tuning`: tuned constants.
* `frames`: the frames that pass between sources and outputs: quads as dictionary keys, and quarantined rows;
  `token_columns`: keys as tokens; `local_id_frames`: quads in pieces with dictionaries of their own.
* `directories`: directories on any file system, written whole or not at all.
* `jobs`: what jobs left in a directory; what counts there, and whether they have finished.
* `failures`: what Spark throws, as one line; `observations`: what was counted on the way.
* `sources`: N-Triples and N-Quads.
* `ingestion`: a mapping (`kgreason_mapping`) and its sources as DataFrames of quads and of quarantined rows.
* `outputs`: encoded Parquet (`kgreason.io.encoded`), N-Triples, quarantine.
* `pipeline`: from a source through a `stage` to outputs, with a report.
* `materialisation`: what follows from encoded triples under a program.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgreason_spark.dataframes import (
        ingest,
        materialise,
        read_encoded,
        read_ntriples,
        write_encoded,
        write_ntriples,
    )
    from kgreason_spark.store_sinks import StoreSink
    from kgreason_spark.triple_frames import as_triples

__all__ = [
    "StoreSink",
    "as_triples",
    "ingest",
    "materialise",
    "read_encoded",
    "read_ntriples",
    "write_encoded",
    "write_ntriples",
]

_ELSEWHERE = {"StoreSink": "store_sinks", "as_triples": "triple_frames"}


def __getattr__(name: str) -> Any:
    """The names above need pyspark, which is imported, or missed, when one of them is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"kgreason_spark.{_ELSEWHERE.get(name, 'dataframes')}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyspark", "py4j", "pandas"):
            raise
        from kgreason.errors import SparkError

        raise SparkError(f"{error.name} is not installed: pip install kgreason[spark]") from None
    return getattr(module, name)
