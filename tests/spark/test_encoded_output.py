"""Encoded Parquet from Spark: the same ids as written on one machine, for any partitions, and nothing by halves."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import SparkError, TermError
from kgreason.io.encoded.encoded_writer import write_encoded as write_locally
from kgreason.io.encoded.manifest import MANIFEST, TermCounts
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark import local_id_frames, spark_tuning
from kgreason_spark.frames import QUAD
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.outputs.encoded import Layout, write_encoded
from kgreason_spark.sources.statement_rows import NTriplesFiles
from tests.facade import triples as facade_triples
from tests.shared_data import unpacked
from tests.spark.conftest import small_session
from tests.spark.written_output import Quad, parsed, quads_of, read_encoded

ON_DRIVER, ON_CLUSTER = Layout(), Layout(local=0)
WAYS = [ON_DRIVER, ON_CLUSTER]
SCHEMA = ", ".join(f"{column} string" for column in QUAD)
FEW: list[Quad] = [
    ("a:s", "a:p", "a:o", None),
    ("a:s", "a:p", "a:o", None),
    ("a:s", "a:p", "a:o", "a:g"),
    ("a:s", "a:p", '"o"', "_:g"),
    ("_:b", "a:q", '"\U0001f600"@en', None),
    ("_:b", "a:q", '"\ufffd"^^a:d', "a:g"),
    ("a:z", "a:q", "a:é", None),
    ("a:p", "a:q", "_:c", None),
]


def frame(spark: SparkSession, quads: list[Quad], partitions: int = 3) -> DataFrame:
    """Quads as a frame."""
    return spark.createDataFrame(quads, SCHEMA).repartition(partitions)


def locally_encoded(quads: list[Quad], directory: Path) -> None:
    """The same quads, written without Spark."""
    dictionary = Dictionary()
    columns = [
        dictionary.encode_keys(key if key is not None else "a:default graph" for key in column)
        for column in zip(*dict.fromkeys(quads), strict=True)
    ]
    default = dictionary.encode_key("a:default graph")
    write_locally(directory, dictionary, *columns, default)


@pytest.mark.parametrize("layout", WAYS, ids=["driver", "cluster"])
def test_few(spark: SparkSession, tmp_path: Path, layout: Layout) -> None:
    manifest = write_encoded(frame(spark, FEW), str(tmp_path / "spark"), layout=layout)
    locally_encoded(FEW, tmp_path / "local")
    assert read_encoded(tmp_path / "spark")[1:] == read_encoded(tmp_path / "local")[1:]
    assert manifest == read_encoded(tmp_path / "spark")[0]
    assert manifest.terms == TermCounts(iris=7, blank_nodes=3, literals=3)
    assert manifest.triples == len({*FEW})
    assert sorted(path.name for path in (tmp_path / "spark").glob("[!.]*")) == ["dictionary", MANIFEST, "triples"]


def test_nothing(spark: SparkSession, tmp_path: Path) -> None:
    assert write_encoded(spark.createDataFrame([], SCHEMA), str(tmp_path / "none")).triples == 0
    assert read_encoded(tmp_path / "none")[1:] == ([], [])


@pytest.fixture(scope="module")
def lubm(compiling_spark: SparkSession) -> DataFrame:
    """What LUBM(1,0) says of six of its fifteen departments."""
    rows = NTriplesFiles([str(unpacked("lubm/lubm1.nt.bz2"))]).extract(compiling_spark).rows
    return rows.select(*QUAD).where(F.col("subject").contains("Department1")).persist()


def test_lubm(lubm: DataFrame, tmp_path: Path) -> None:
    lines = unpacked("lubm/lubm1.nt.bz2").read_bytes().splitlines()
    lines = [line for line in lines if b"Department1" in line.partition(b" ")[0]]
    assert len(lines) > 30_000
    quads = [quad for line in lines if (quad := parsed(line)) is not None]
    locally_encoded(quads, tmp_path / "local")
    for number, layout in enumerate(WAYS):
        write_encoded(lubm, str(tmp_path / f"spark{number}"), layout=layout)
        _, terms, triples = read_encoded(tmp_path / f"spark{number}")
        assert (terms, triples) == read_encoded(tmp_path / "local")[1:]
        assert len(triples) == len({*lines})


def test_partitions_do_not_matter(lubm: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does how files are cut."""
    part = lubm.where(F.col("subject").contains("Department1."))
    write_encoded(part.repartition(1), str(tmp_path / "one"))
    monkeypatch.setattr(spark_tuning, "PIECE_QUADS", 1000)
    write_encoded(part.repartition(7), str(tmp_path / "seven"), layout=Layout(250, 20_000, local=0))
    one, seven = read_encoded(tmp_path / "one"), read_encoded(tmp_path / "seven")
    assert one[1:] == seven[1:]
    assert (one[0].terms, one[0].triples) == (seven[0].terms, seven[0].triples)
    assert len(list(seven[0].section("dictionary"))) > 10
    rows: dict[str, list[int]] = {}
    for file in seven[0].section("triples"):
        rows.setdefault(file.path.split("/")[1], []).append(file.rows)
    # Popular predicates have several files, the others one.
    assert all(len(files) == 1 or sum(files) > 250 for files in rows.values())
    assert max(map(len, rows.values())) > 3


@pytest.mark.parametrize(
    "layout",
    [pytest.param(ON_DRIVER, id="driver"), pytest.param(ON_CLUSTER, marks=pytest.mark.thorough, id="cluster")],
)
def test_rico(compiling_spark: SparkSession, tmp_path: Path, layout: Layout) -> None:
    """Many predicates, languages, escapes, blank nodes."""
    import pyoxigraph

    folder = unpacked("rico/rico.tar.xz")
    files = sorted(path for path in folder.rglob("*.rdf") if path.stat().st_size < 300_000)[:40]
    assert files
    with (tmp_path / "rico.nt").open("wb") as target:
        for file in files:
            quads = pyoxigraph.parse(path=file, base_iri="http://example.org/", rename_blank_nodes=True)
            pyoxigraph.serialize((quad.triple for quad in quads), target, pyoxigraph.RdfFormat.N_TRIPLES)
    rows = NTriplesFiles([str(tmp_path / "rico.nt")]).extract(compiling_spark).rows
    write_encoded(rows.select(*QUAD), str(tmp_path / "spark"), layout=layout)
    manifest, terms, triples = read_encoded(tmp_path / "spark")
    first_blank = manifest.terms.iris
    scope = terms[first_blank][2:18] if manifest.terms.blank_nodes else ""
    expected = [
        quad for line in (tmp_path / "rico.nt").read_bytes().splitlines() if (quad := parsed(line, scope)) is not None
    ]
    locally_encoded(expected, tmp_path / "local")
    assert (terms, triples) == read_encoded(tmp_path / "local")[1:]
    assert quads_of(terms, triples) == {*expected}
    assert len({predicate for _, predicate, _, _ in triples}) > 30


def test_pieces_of_long_terms_end_by_bytes(quick_spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_tuning, "PIECE_BYTES", 20_000)
    session = small_session(quick_spark, {"spark.sql.execution.arrow.maxRecordsPerBatch": "5"})
    quads: list[Quad] = [("a:s", "a:p", f'"{number}{"x" * 1_000}"', None) for number in range(100)]

    pieces = local_id_frames.with_local_ids(frame(session, quads, partitions=1))

    counts = [row.lines for row in pieces.where("content is not null").collect()]
    assert sum(counts) == len(quads)
    assert max(counts) <= 25


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("subject", "not an iri"),
        ("subject", "<http://e/s>"),
        ("subject", '"x"'),
        ("subject", None),
        ("predicate", "_:b"),
        ("predicate", "relative"),
        ("predicate", None),
        ("object", '"x"@-'),
        ("object", '"x'),
        ("object", '"'),
        ("object", '"x"^^<a:d>'),
        ("object", '"x"^^http://www.w3.org/1999/02/22-rdf-syntax-ns#langString'),
        ("object", '"x" <a:g>'),
        ("object", "_:a b"),
        ("object", ""),
        ("object", "<<( <a:a> <a:p> )>>"),
        ("object", "<<( <a:a> <a:p> <a:o> <a:o> )>>"),
        ("object", '<<( "a" <a:p> <a:o> )>>'),
        ("object", "<<( <a:a> _:p <a:o> )>>"),
        ("object", "<<( <a:a> <a:p> <<( <a:a> <a:p> <a:o> )>>"),
        ("object", "<<( <a:a> <a:p> <a:o> )>> )>>"),
        ("object", "<<( <<( <a:a> <a:p> <a:o> )>> <a:p> <a:o> )>>"),
        ("graph", '"g"'),
        ("graph", "a:g\n"),
    ],
)
def test_a_value_that_is_no_term_is_refused(
    quick_spark: SparkSession, tmp_path: Path, column: str, value: str | None
) -> None:
    quad = dict(zip(QUAD, ("a:s", "a:p", '"x\n\\ "y""@en-GB', None), strict=True)) | {column: value}
    quads = quick_spark.createDataFrame([FEW[0], tuple(quad.values())], SCHEMA)

    with pytest.raises(TermError, match=f"^column {column}: (.*) is not a term") as caught:
        write_encoded(quads, str(tmp_path / "out"))
    assert (repr(value) if value is not None else "null") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_triple_terms_are_terms(quick_spark: SparkSession, tmp_path: Path) -> None:
    inner = '<<( _:b <a:p> "x )>> <<( \\"" )>>'
    keys = ["<<( <a:a> <a:p> <a:o> )>>", inner, f"<<( <a:a> <a:p> <<( _:b <a:p> {inner} )>> )>>"]
    quads = quick_spark.createDataFrame([("a:s", "a:p", key, None) for key in keys], SCHEMA)

    assert write_encoded(quads, str(tmp_path / "out")).triples == 3
    assert set(keys) <= set(read_encoded(tmp_path / "out")[1])


def test_a_string_with_and_without_its_datatype_is_one_term(quick_spark: SparkSession, tmp_path: Path) -> None:
    keys = ['"x"', '"x"^^http://www.w3.org/2001/XMLSchema#string', '"^^http://www.w3.org/2001/XMLSchema#string"']
    quads = quick_spark.createDataFrame([("a:s", "a:p", key, None) for key in keys], SCHEMA)
    assert write_encoded(quads, str(tmp_path / "out")).triples == 2
    assert read_encoded(tmp_path / "out")[1] == ["a:p", "a:s", '"^^http://www.w3.org/2001/XMLSchema#string"', '"x"']


@pytest.mark.parametrize("layout", WAYS, ids=["driver", "cluster"])
def test_spellings_of_a_language_tag_are_one_term_that_keeps_a_spelling(
    quick_spark: SparkSession, tmp_path: Path, layout: Layout
) -> None:
    """As it is written where there is one spelling; the rules of a job find it by any other."""
    keys = ['"x"@en-GB', '"x"@EN-gb', '"x"@en-gb', '"y"@zh-Hant', '"z"@de', '"@EN"']
    quads = quick_spark.createDataFrame([(f"a:{n}", "a:p", key, None) for n, key in enumerate(keys)], SCHEMA)
    assert write_encoded(quads, str(tmp_path / "out"), layout=layout).triples == len(keys)
    terms = read_encoded(tmp_path / "out")[1]
    assert [term for term in terms if term.startswith('"')] == ['"@EN"', '"x"@EN-gb', '"y"@zh-Hant', '"z"@de']
    base = KnowledgeBase("none")
    base.bulk_load(tmp_path / "out")
    assert {term.language for *_, term in facade_triples(base, base.all())} == {"EN-gb", "zh-Hant", "de", None}
    found = Dataset(quick_spark, str(tmp_path / "out")).ids(['"x"@en-GB', '"y"@ZH-HANT', '"z"@en', "a:p", '"@EN"'])
    assert {key: terms[number] for key, number in found.items()} == {
        '"x"@en-GB': '"x"@EN-gb', '"y"@ZH-HANT': '"y"@zh-Hant', "a:p": "a:p", '"@EN"': '"@EN"',
    }  # fmt: skip


class TestFailures:
    def test_directory_in_use(self, spark: SparkSession, tmp_path: Path) -> None:
        (tmp_path / "precious").write_text("precious")
        with pytest.raises(SparkError, match="exists and is not empty"):
            write_encoded(frame(spark, FEW), str(tmp_path))
        with pytest.raises(SparkError, match="is not a directory"):
            write_encoded(frame(spark, FEW), str(tmp_path / "precious"))
        assert [path.name for path in tmp_path.iterdir()] == ["precious"]

    def test_failing_job(self, spark: SparkSession, tmp_path: Path) -> None:
        broken = frame(spark, FEW).withColumn("graph", F.raise_error(F.lit("disk on fire")).cast("string"))
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / "precious").write_text("precious")
        with pytest.raises(SparkError, match=r"writing to .*disk on fire"):
            write_encoded(broken, str(tmp_path / "old"), overwrite=True)
        with pytest.raises(SparkError, match="disk on fire"):
            write_encoded(broken, str(tmp_path / "new"))
        assert [path.name for path in tmp_path.rglob("*")] == ["old", "precious"]

    def test_overwriting(self, spark: SparkSession, tmp_path: Path) -> None:
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / "precious").write_text("precious")
        write_encoded(frame(spark, FEW), str(tmp_path / "old"), overwrite=True)
        assert not (tmp_path / "old" / "precious").exists()
        assert read_encoded(tmp_path / "old")[0].triples == len({*FEW})

    def test_terms_that_come_and_go(self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A dictionary that lacks a term is found out."""
        from kgreason_spark.outputs import encoded

        def lacking(pieces: DataFrame, places: DataFrame, tasks: int) -> DataFrame:
            return with_ids(pieces, places.where("place != 2"), tasks)

        with_ids = encoded.with_ids
        monkeypatch.setattr(encoded, "with_ids", lacking)
        with pytest.raises(SparkError, match=r"^writing to .*: 1 terms of a piece are not in the dictionary"):
            write_encoded(frame(spark, FEW), str(tmp_path / "new"), layout=ON_CLUSTER)
        assert not (tmp_path / "new").exists()


def test_what_a_killed_run_left_counts_as_nothing(spark: SparkSession, tmp_path: Path) -> None:
    left = tmp_path / "out" / "_work-0123456789ab"
    (left / "content").mkdir(parents=True)
    schema = ", ".join(f"{name} string" for name in QUAD)
    quads = spark.createDataFrame([("a:s", "a:p", "a:o", None)], schema)
    assert write_encoded(quads, str(tmp_path / "out")).triples == 1
    assert not left.exists()
