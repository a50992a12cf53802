"""kgreason on Spark: raw data at scale into RDF terms.

* `mapping`: RML mapping documents as frozen data; knows nothing of Spark.
* `ingestion`: a mapping and its sources as DataFrames of quads and of quarantined rows.
"""
