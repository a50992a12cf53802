"""Every kind of term through Spark: N-Triples in, encoded triples and N-Triples out, and what a store makes of both."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from kgreason.rdf.keys import folded_key, key_of
from kgreason.rdf.model import Term
from kgreason_spark.token_columns import folded_key as folded_column
from tests.matrix.doors import DOORS, store_of
from tests.matrix.format_documents import FORMATS, P, lines
from tests.matrix.terms import KINDS, SAME, E, from_rdflib, shown
from tests.spark.test_ingest import ingest


@pytest.fixture(scope="module")
def ingested(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What became of a file with all kinds, and of one with other spellings of some: N-Triples and encoded triples."""
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "in").mkdir()
    (folder / "in" / "terms.nt").write_text(FORMATS["nt"](KINDS), encoding="utf-8")
    numbers = {name: number for number, name in enumerate(KINDS)}
    others = "".join(lines({name: text}).replace(f"{E}s0>", f"{E}s{numbers[name]}>") for name, text in SAME.items())
    (folder / "in" / "others.nt").write_text(others)
    result = ingest("--input", str(folder / "in"), "--output", str(folder / "out"), "--format", "both")
    assert (result.exit_code, result.stderr) == (0, "")
    return folder / "out"


def objects(graph: Graph) -> dict[str, Term]:
    return {str(s): from_rdflib(o) for s, o in graph.subject_objects(URIRef(P))}


@pytest.mark.parametrize("form", ["encoded", "ntriples"])
def test_terms_come_through_spark_as_they_are(ingested: Path, form: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    store_of(graph).bulk_load(ingested / "ntriples" if form == "ntriples" else ingested)
    found = objects(graph)
    for number, (name, term) in enumerate(KINDS.items()):
        # No row comes first on a cluster: of several spellings any is kept.
        tags = name not in SAME
        assert shown(found[f"{E}s{number}"], tags=tags) == shown(term, tags=tags), name
    assert len(graph) == len(found) == len(KINDS)


def test_terms_from_spark_are_those_of_other_doors(ingested: Path, tmp_path: Path) -> None:
    blank = [name for name in KINDS if "blank node" in name]
    for first in (True, False):
        graph = Graph(store=ReasoningStore(rules="none"))
        if first:
            DOORS["add"](graph, KINDS, tmp_path)
        store_of(graph).bulk_load(ingested, ingested / "ntriples")
        if not first:
            DOORS["add"](graph, KINDS, tmp_path)
        # A blank node is another one in each of the three documents.
        assert len(graph) == len(KINDS) + 2 * len(blank)


def test_columns_of_keys_have_the_forms_of_single_keys(quick_spark: SparkSession) -> None:
    keys = [key_of(term) for term in KINDS.values()]
    keys += ['"a"@EN-gb-x-AB-abcd', '"@b"@zh-HANT-tw', '"a"@X-Abcd', "a:@B", "_:a@B"]
    frame = quick_spark.createDataFrame([(key,) for key in keys], "term string")
    found = frame.select("term", folded_column(frame.term)).collect()
    assert {row[0]: row[1] for row in found} == {key: folded_key(key) for key in keys}
