"""Spark for data that does not fit one machine: raw data in, N-Triples and encoded Parquet out.

    from kgreason_spark.outputs.encoded import write_encoded
    from kgreason_spark.session import spark_session
    from kgreason_spark.sources.ntriples import NTriplesFiles

    rows = NTriplesFiles(["dump/"]).extract(spark_session()).rows

A map of the house; imports point from right to left only:

    session, rows, directories  <-  sources, outputs  <-  pipeline  <-  kgreason.cli

* `session`: the Spark session; `shipping`: the packages on their way to executors.
* `rows`: the frames that pass between sources and outputs: quads as dictionary keys, and quarantined rows.
* `directories`: directories on any file system, written whole or not at all.
* `failures`: what Spark throws, as one line.
* `sources`: N-Triples and N-Quads.
* `outputs`: encoded Parquet (`kgreason.encoded`), N-Triples, quarantine.
* `pipeline`: from a source through a stage to outputs, with a report.
"""
