"""What works on every version of Spark: `python -m tests.spark.smoke` in an environment that has one.

Would catch a function that an older Spark does not have. It needs no other package of the tests.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from kgreason_spark import (
    as_triples,
    ingest,
    materialise,
    read_encoded,
    read_ntriples,
    write_encoded,
    write_ntriples,
)
from kgreason_spark.outputs.encoded import Layout
from kgreason_spark.outputs.encoded import write_encoded as encode

SCHEMA = "http://www.w3.org/2000/01/rdf-schema#"
TRIPLES = f"""<http://e/A> <{SCHEMA}subClassOf> <http://e/B> .
<http://e/B> <{SCHEMA}subClassOf> <http://e/C> .
<http://e/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/A> .
<http://e/x> <http://e/name> "X"@en .
<http://e/x> <http://e/name> "Y \\u00e9 \\n" .
"""
MAPPING = """@prefix rml: <http://w3id.org/rml/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<#m> rml:logicalSource [ rml:source 'a.csv' ]; rml:subjectMap [ rml:template 'http://e/{id}/{name}' ];
  rml:predicateObjectMap [ rml:predicate <http://e/name>; rml:objectMap [ rml:reference 'name' ] ],
    [ rml:predicate <http://e/born>; rml:objectMap [ rml:reference 'born'; rml:datatype xsd:date ] ],
    [ rml:predicate <http://e/small>; rml:objectMap [ rml:reference 'id'; rml:datatype xsd:byte ] ] .
"""
ROWS = 'id,name,born\n1,"A, ""b""",2020-02-29\n2,C d,2021-02-29\n300,"x\ny",1999-01-01\n'


def check(spark: SparkSession, folder: Path) -> None:
    """Run everything once."""
    (folder / "a.nt").write_text(TRIPLES)
    (folder / "m.ttl").write_text(MAPPING)
    (folder / "a.csv").write_text(ROWS)
    triples = read_ntriples(folder / "a.nt")
    assert triples.count() == 5
    made = ingest(folder / "m.ttl")
    assert (made.quads.count(), sorted(row.reason for row in made.quarantined.collect())) == (
        7, ["value outside its datatype"] * 2
    )  # fmt: skip
    table = spark.createDataFrame([(1, "q", "2020-01-01")], "id int, name string, born string")
    assert ingest(folder / "m.ttl", {"a.csv": table}).quads.count() == 3
    tokens = spark.createDataFrame([("<http://e/s>", "<http://e/p>", '"x\\n"@en')], "s string, p string, o string")
    assert as_triples(tokens, terms="ntriples").first().object == '"x\n"@en'
    assert write_ntriples(triples, folder / "gzip") == write_ntriples(triples, folder / "zstd", "zstd") == 5
    assert write_encoded(triples, folder / "encoded").triples == 5
    assert encode(triples, str(folder / "by-cluster"), layout=Layout(local=0)).triples == 5
    assert read_encoded(folder / "encoded").count() == read_encoded(folder / "by-cluster").count() == 5
    assert materialise(triples, "rdfs").count() == 3
    assert materialise(triples, "rdfs", directory=folder / "work").count() == 3
    assert materialise(triples, "rdfs", directory=folder / "rounds", local_facts=0).count() == 3


def main() -> None:
    """On two cores of this machine."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    with TemporaryDirectory() as folder:
        check(spark, Path(folder))
    print(f"Spark {spark.version}: all is well")
    spark.stop()


if __name__ == "__main__":
    main()
