"""Changes in place of reruns: would catch a batch that a store takes twice or never, and a change that makes another
store than the data themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from kgreason import ReasoningStore
from kgreason.errors import SparkError, TermError
from kgreason_mapping.documents import parse_mapping
from kgreason_spark import as_triples, ingest, read_encoded, write_encoded
from kgreason_spark.store_sinks import StoreSink

E = "http://e/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
MAPPING = """@prefix rml: <http://w3id.org/rml/> . <#m> rml:logicalSource [ rml:tableName 'people' ];
  rml:subjectMap [ rml:template 'http://e/{id}' ]; rml:predicateObjectMap [ rml:predicate <http://e/name>;
    rml:objectMap [ rml:reference 'name' ]; rml:graphMap [ rml:template 'http://e/{graph}' ] ] ."""


def triples(session: SparkSession, *rows: tuple[str, str, str]) -> DataFrame:
    return as_triples(session.createDataFrame(list(rows), "s string, p string, o string"))


def explicit(path: Path) -> set[tuple[str, ...]]:
    with ReasoningStore(path) as store:
        return {tuple(map(str, triple)) for triple in store.explicit}


@pytest.mark.parametrize("given", ["frame", "directory"])
def test_changes_since_an_ingestion_make_the_store_of_the_later_one(
    quick_spark: SparkSession, tmp_path: Path, given: str
) -> None:
    def people(*rows: tuple[int, str, str]) -> dict[str, DataFrame]:
        return {"people": quick_spark.createDataFrame(list(rows), "id int, name string, graph string")}

    mapping = parse_mapping(MAPPING)
    first = ingest(mapping, people((1, "a", "g"), (2, "b", "g"), (3, "c", "g")), session=quick_spark).quads
    write_encoded(first, tmp_path / "first")
    since = first if given == "frame" else tmp_path / "first"
    later = people((1, "a", "g"), (2, "B", "g"), (3, "c", "h"), (4, "d", "g"), (4, "d", "g"))
    changes = ingest(mapping, later, since=since, session=quick_spark).changes
    assert changes is not None
    assert (write_encoded(changes.added, tmp_path / "come").triples, changes.removed.count()) == (3, 2)
    write_encoded(changes.removed, tmp_path / "go")
    store = ReasoningStore(rules="none")
    store.bulk_load(tmp_path / "first")
    store.apply(added=tmp_path / "come", removed=tmp_path / "go")

    assert {(str(s), str(o)) for s, _, o in store.explicit} == {
        (f"{E}1", "a"), (f"{E}2", "B"), (f"{E}3", "c"), (f"{E}4", "d"),
    }  # fmt: skip
    assert read_encoded(tmp_path / "come", session=quick_spark).where(f"graph = '{E}h'").count() == 1


def test_batch_that_comes_again_is_passed_over(quick_spark: SparkSession, tmp_path: Path) -> None:
    first = triples(quick_spark, (f"{E}x", TYPE, f"{E}A"), (f"{E}A", SUBCLASS, f"{E}B"))
    with StoreSink(tmp_path / "store", rules="rdfs") as sink:
        sink(first, 0)
        sink(triples(quick_spark, (f"{E}y", TYPE, f"{E}A")), 0)  # would be another batch: Spark gives the same
        assert sink.last_batch == 0
    # Another program changes the store in between, and the number stays.
    with ReasoningStore(tmp_path / "store") as store:
        store.bulk_load(b"<http://e/z> <http://e/p> <http://e/o> .")
        store.commit()
    with StoreSink(tmp_path / "store") as sink:
        sink(triples(quick_spark, (f"{E}y", TYPE, f"{E}A")), 0)
        assert sink.last_batch == 0
        sink(triples(quick_spark, (f"{E}w", TYPE, f"{E}A")), 1)
    with StoreSink(tmp_path / "store", stream="another") as sink:
        assert sink.last_batch is None

    with ReasoningStore(tmp_path / "store") as store:
        assert {str(s) for s, _, _ in store.inferred} == {f"{E}x", f"{E}w"}
        assert len(store.explicit) == 4


def test_batch_takes_triples_away(quick_spark: SparkSession, tmp_path: Path) -> None:
    rows = [(f"{E}a", f"{E}p", f"{E}o", False), (f"{E}b", f"{E}p", f"{E}o", False)]
    later = [(f"{E}a", f"{E}p", f"{E}o", True), (f"{E}c", f"{E}p", '"1"', None), (f"{E}b", f"{E}p", f"{E}o", True),
             (f"{E}b", f"{E}p", f"{E}o", False)]  # fmt: skip
    columns = "subject string, predicate string, object string, removed boolean"
    with StoreSink(tmp_path / "store", rules="none") as sink:
        sink(quick_spark.createDataFrame(rows, columns), 0)
        sink(quick_spark.createDataFrame(later, columns), 1)

    assert explicit(tmp_path / "store") == {(f"{E}b", f"{E}p", f"{E}o"), (f"{E}c", f"{E}p", "1")}


def test_batch_that_cannot_be_leaves_the_store_as_it_was(quick_spark: SparkSession, tmp_path: Path) -> None:
    good = triples(quick_spark, (f"{E}a", f"{E}p", f"{E}o"), (f"{E}b", f"{E}p", f"{E}o"))
    with StoreSink(tmp_path / "store", rules="none", most_rows=2) as sink:
        sink(good, 0)
        with pytest.raises(TermError, match="'no iri' is not a term"):
            sink(triples(quick_spark, ("no iri", f"{E}p", f"{E}o")), 1)
        with pytest.raises(SparkError, match="more than 2 rows"):
            sink(good.union(good), 1)
        assert sink.last_batch == 0
    assert len(explicit(tmp_path / "store")) == 2


@pytest.mark.slow
def test_stream_that_is_killed_ends_with_every_batch_once(quick_spark: SparkSession, tmp_path: Path) -> None:
    """It fails behind the commit, when Spark does not know of it, and in front of it."""
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.csv").write_text(f"{E}{number},{E}p,{E}o\n{E}all,{E}p,{E}{number}\n")
    lines = quick_spark.readStream.schema("s string, p string, o string").option("maxFilesPerTrigger", 1)
    taken: list[tuple[int, str]] = []

    def run(fails: str) -> None:
        with StoreSink(tmp_path / "store", rules="none") as sink:

            def batch(frame: DataFrame, number: int) -> None:
                if fails == "before":
                    raise RuntimeError("killed")
                before = sink.last_batch
                sink(frame, number)
                taken.append((number, "again" if sink.last_batch == before else "new"))
                if fails == "after":
                    raise RuntimeError("killed")

            stream = as_triples(lines.csv(str(tmp_path / "in"))).writeStream.foreachBatch(batch)
            options = stream.option("checkpointLocation", str(tmp_path / "checkpoint"))
            options.trigger(availableNow=True).start().awaitTermination()

    for fails in ("after", "before", "after"):
        with pytest.raises(PySparkException):
            run(fails)
    run("")
    assert taken == [(0, "new"), (0, "again"), (0, "again"), (1, "new"), (2, "new"), (3, "new")]
    assert len(explicit(tmp_path / "store")) == 8
