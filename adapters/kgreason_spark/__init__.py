"""Spark for data that does not fit one machine: raw data in, N-Triples and encoded Parquet out, and what follows.

    from kgreason_spark.outputs.encoded import write_encoded
    from kgreason_spark.session import spark_session
    from kgreason_spark.sources.statement_rows import NTriplesFiles

    rows = NTriplesFiles(["dump/"]).extract(spark_session()).rows

A map of the house; imports point from right to left only:

    session, frames, directories  <-  sources  <-  ingestion  <-  pipeline         <-  kgreason.cli
                                 outputs                 <-  materialisation  <-  kgreason.cli

* `session`: the Spark session; `java_launch`: its Java; `executor_packages`: the packages on their way to executors.
* `frames`: the frames that pass between sources and outputs: quads as dictionary keys, and quarantined rows;
  `token_columns`: keys as tokens.
* `directories`: directories on any file system, written whole or not at all.
* `jobs`: what jobs left in a directory; what counts there, and whether they have finished.
* `failures`: what Spark throws, as one line; `observations`: what was counted on the way.
* `sources`: N-Triples and N-Quads.
* `ingestion`: a mapping (`kgreason_mapping`) and its sources as DataFrames of quads and of quarantined rows.
* `outputs`: encoded Parquet (`kgreason.io.encoded`), N-Triples, quarantine.
* `pipeline`: from a source through a `stage` to outputs, with a report.
* `materialisation`: what follows from encoded triples under a program.
"""
