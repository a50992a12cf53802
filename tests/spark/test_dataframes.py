"""Frames in, frames out: would catch a term that changes on the way, a derivation that differs from a store's, and a
session that cannot work and is told so late, or in many lines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rdflib import URIRef

import kgreason_spark
from kgreason import ReasoningStore
from kgreason.errors import LoadError, OptionError, SparkError, TermError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import XSD
from kgreason.store.rule_sets import resolve_rules
from kgreason_spark import (
    as_triples,
    ingest,
    materialise,
    read_encoded,
    read_ntriples,
    write_encoded,
    write_ntriples,
)
from kgreason_spark.caller_session import caller_session
from kgreason_spark.executor_packages import pack
from kgreason_spark.materialisation import job
from tests.spark.distributed import encode

E = "http://e/"
KEYS = [
    (f"{E}s", f"{E}p", f"{E}o", None),
    (f"{E}s", f"{E}p", '"a \\ "quoted"\nline"', None),
    (f"{E}s", f"{E}p", '"b"@en-GB', f"{E}g"),
    ("_:b", f"{E}p", f'"1"^^{XSD}integer', None),
    (f"{E}é", f"{E}p", "_:b", None),
    (f"{E}s", f"{E}p", f'<<( _:b <{E}p> "a"@en )>>', None),
    (f"{E}s", f"{E}p", '"c"@en-GB--rtl', None),
    (f"{E}s", f"{E}p", f'<<( _:b <{E}p> "c"@en--ltr )>>', None),
]
LINES = [
    (f"<{E}s>", f"<{E}p>", f"<{E}o>", None),
    (f"<{E}s>", f"<{E}p>", r'"a \\ \"quoted\"\nline"', None),
    (f"<{E}s>", f"<{E}p>", '"b"@en-GB', f"<{E}g>"),
    ("_:b", f"<{E}p>", f'"1"^^<{XSD}integer>', None),
    (f"<{E}\\u00E9>", f"<{E}p>", "_:b", None),
    (f"<{E}s>", f"<{E}p>", f'<<( _:b <{E}p> "a"@en )>>', None),
    (f"<{E}s>", f"<{E}p>", '"c"@en-GB--rtl', None),
    (f"<{E}s>", f"<{E}p>", f'<<( _:b <{E}p> "c"@en--ltr )>>', None),
]
TYPED = [
    (f"{E}s", f"{E}p", f"{E}o", None, None),
    (f"{E}s", f"{E}p", 'a \\ "quoted"\nline', XSD + "string", None),
    ("_:b", f"{E}p", "1", XSD + "integer", None),
    (f"{E}s", f"{E}p", "b", None, "en-GB"),
]
HIERARCHY = """<http://e/A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/B> .
<http://e/B> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/C> .
<http://e/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/A> .
<http://e/x> <http://e/name> "X"@en .
"""


def rows(frame: DataFrame) -> set[tuple[str | None, ...]]:
    found = [tuple(row) for row in frame.collect()]
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize("style", ["plain", "ntriples"])
def test_terms_in_columns_become_keys(quick_spark: SparkSession, style: Any) -> None:
    frame = quick_spark.createDataFrame(KEYS if style == "plain" else LINES, "s string, p string, o string, g string")

    assert rows(as_triples(frame, terms=style)) == set(KEYS)


def test_plain_objects_with_datatypes_in_columns_become_keys(quick_spark: SparkSession) -> None:
    frame = quick_spark.createDataFrame(TYPED, "a string, b string, `c d` string, dt string, lang string")
    made = as_triples(frame, ["a", "b", "c d"], datatype="dt", language=F.col("lang"))

    assert rows(made) == {(s, p, o, None) for s, p, o, _ in KEYS[:4]}


def test_frames_come_back_from_files(quick_spark: SparkSession, tmp_path: Path) -> None:
    triples = quick_spark.createDataFrame(KEYS, "s string, p string, o string, g string").transform(as_triples)
    write_encoded(triples, tmp_path / "encoded")
    encoded = quick_spark.read.parquet(str(tmp_path / "encoded" / "triples")).select("subject", "predicate", "object",
                                                                                     "graph")  # fmt: skip
    dictionary = quick_spark.read.parquet(str(tmp_path / "encoded" / "dictionary"))

    assert write_ntriples(triples, tmp_path / "lines") == len(KEYS)
    assert rows(read_encoded(tmp_path / "encoded", session=quick_spark)) == set(KEYS)
    assert rows(as_triples(encoded, terms="ids", dictionary=dictionary)) == set(KEYS)
    # Labels of blank nodes belong to a document.
    read = rows(read_ntriples(tmp_path / "lines", session=quick_spark))
    assert {row for row in read if "_:" not in str(row)} == {row for row in KEYS if "_:" not in str(row)}
    assert len(read) == len(KEYS)


@pytest.mark.parametrize("where", ["driver", "directory", "cluster"])
def test_what_follows_is_what_a_store_derives(quick_spark: SparkSession, tmp_path: Path, where: str) -> None:
    (tmp_path / "a.nt").write_text(HIERARCHY)
    triples = read_ntriples(tmp_path / "a.nt", session=quick_spark)
    directory = None if where == "driver" else tmp_path / "work"
    made = materialise(triples, ["rdfs"], directory=directory, **({"local_facts": 0} if where == "cluster" else {}))

    store = ReasoningStore(rules="rdfs")
    store.bulk_load(tmp_path / "a.nt")
    assert rows(made) == {(*map(str, triple), None) for triple in store.inferred}
    assert len(store.inferred) == 3


def test_mapping_over_tables_of_the_session(quick_spark: SparkSession) -> None:
    from kgreason_mapping.documents import parse_mapping

    frame = quick_spark.createDataFrame([(1, "Ada")], "id int, name string")
    mapping = parse_mapping("""@prefix rml: <http://w3id.org/rml/> . <#m> rml:logicalSource [ rml:tableName 'people' ];
      rml:subjectMap [ rml:template 'http://e/{id}' ]; rml:predicateObjectMap [ rml:predicate <http://e/name>;
        rml:objectMap [ rml:reference 'name' ] ] .""")

    assert rows(ingest(mapping, {"people": frame}, session=quick_spark).quads) == {(f"{E}1", f"{E}name", '"Ada"', None)}


def test_lines_that_are_malformed_fail_the_job_or_are_dropped(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(HIERARCHY + "<http://e/x> nonsense .\n")

    assert read_ntriples(tmp_path / "a.nt", malformed="drop", session=quick_spark).count() == 4
    with pytest.raises((PySparkException, Py4JError), match=r"a\.nt: .*nonsense"):  # the latter with Spark 3.5
        read_ntriples(tmp_path / "a.nt", session=quick_spark).collect()


def test_malformed_lines_are_an_error_of_ours_where_we_read_them(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(HIERARCHY + "<http://e/x> nonsense .\n")
    triples = read_ntriples(tmp_path / "a.nt", session=quick_spark)

    message = r"^a\.nt: a predicate that is not an IRI: <http://e/x> nonsense \.$"
    with pytest.raises(LoadError, match=message):
        materialise(triples, "rdfs")
    with pytest.raises(LoadError, match=message):
        materialise(triples, "rdfs", directory=tmp_path / "work", local_facts=0)
    with pytest.raises(LoadError, match=message):
        write_ntriples(triples, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_values_of_types_become_what_xsd_writes(quick_spark: SparkSession) -> None:
    """Spark writes an instant in the time zone of the session, and infinity in a word that is no double."""
    values = {
        "timestamp '2020-07-01 12:00:00.5 UTC'": ("dateTime", "2020-07-01T12:00:00.5Z"),
        "timestamp_ntz '2020-07-01 12:00:00'": ("dateTime", "2020-07-01T12:00:00"),
        "double('inf')": ("double", "INF"),
        "1.50BD": ("decimal", "1.5"),
        "x'FF00'": ("hexBinary", "FF00"),
        "true": ("boolean", "true"),
    }
    for value, (datatype, text) in values.items():
        frame = quick_spark.sql(f"SELECT '{E}s' s, '{E}p' p, {value} `an``o.`, '{XSD}{datatype}' d")
        made = as_triples(frame, ["s", "p", "an`o."], datatype="d")
        assert made.first() == (f"{E}s", f"{E}p", f'"{text}"^^{XSD}{datatype}', None)


def test_ids_that_the_dictionary_lacks_are_refused(quick_spark: SparkSession, tmp_path: Path) -> None:
    """A join would lose their triples, or move them into the default graph."""
    dictionary = quick_spark.createDataFrame([(1, f"{E}s")], "id long, term string")
    for ids, column in (((1, 1, 9, None), "object"), ((1, 1, 1, 9), "graph")):
        frame = quick_spark.createDataFrame([ids], "s long, p long, o long, g long")
        with pytest.raises(TermError, match=f"^column {column}: '. id 9' is not a term"):
            write_ntriples(as_triples(frame, terms="ids", dictionary=dictionary), tmp_path / column)


def test_nothing_follows_from_nothing_on_a_cluster(quick_spark: SparkSession, tmp_path: Path) -> None:
    nothing = as_triples(quick_spark.createDataFrame([], "s string, p string, o string"))
    assert materialise(nothing, "rdfs", directory=tmp_path / "made", local_facts=0).count() == 0


def test_what_cannot_be_is_refused(quick_spark: SparkSession) -> None:
    frame = quick_spark.createDataFrame([("a b", "c", "d")], "s string, p string, o string")
    for arguments, reason in (
        ({"columns": ["s", "p", "x"]}, "there is no column x"),
        ({"terms": "n3"}, "unknown terms 'n3'"),
        ({"terms": "ids"}, "go together"),
        ({"terms": "ntriples", "datatype": "s"}, "only plain objects"),
        ({"datatype": "x"}, "`x` cannot be resolved"),
    ):
        with pytest.raises(OptionError, match=reason):
            as_triples(frame, **arguments)
    for columns, reason in (("binary(o)", "type binary"), ("array(o)", "type array<string>"), ("1", "type int")):
        with pytest.raises(OptionError, match=f"^the column o is of {reason} "):
            as_triples(frame.withColumn("o", F.expr(columns)))
    with pytest.raises(OptionError, match=r"^str is not a DataFrame$"):
        as_triples("a b")
    with pytest.raises(OptionError, match=r"^there is no column subject, predicate, object, graph "):
        write_ntriples(frame, "/nowhere")
    with pytest.raises(TermError, match="'a b' is not a term"):
        materialise(as_triples(frame))
    with pytest.raises(SparkError, match="more than 0 triples"):
        materialise(as_triples(frame), local_facts=0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "bytes, and manifest.json says"),
        (Path.unlink, "there is no such file, and manifest.json says"),
        (lambda path: path.with_name("more.parquet").write_bytes(path.read_bytes()), "is not among the files in manif"),
    ],
    ids=["cut off", "missing", "more"],
)
@pytest.mark.parametrize("section", ["dictionary", "triples"])
def test_files_that_were_not_written_so_are_refused(
    quick_spark: SparkSession, tmp_path: Path, section: str, change: Any, reason: str
) -> None:
    """Spark takes the files that there are, and says nothing of a lost one."""
    folder, program = encode(tmp_path / "encoded", [(IRI(f"{E}s"), IRI(f"{E}p"), IRI(f"{E}o"))]), resolve_rules("rdfs")
    change(next((folder / section).rglob("*.parquet")))

    with pytest.raises(LoadError, match=reason):
        read_encoded(folder, session=quick_spark)
    with pytest.raises(LoadError, match=reason):
        job.materialise(quick_spark, str(folder), program, str(tmp_path / "out"), local_facts=0)

    assert not (tmp_path / "out").exists()


def test_sessions_that_cannot_work_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    old = SimpleNamespace(version="3.4.1", sparkContext=None)
    for session, reason in ((remote, "Spark Connect"), (old, r"Spark 3\.4\.1 is too old \(expected 3\.5")):
        with pytest.raises(SparkError, match=reason) as raised:
            caller_session(session)
        assert "\n" not in str(raised.value)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    with pytest.raises(SparkError, match="no active session"):
        caller_session()


def test_executors_that_lack_packages_are_named() -> None:
    def context(found: list[tuple[str, list[str]]]) -> Any:
        job = SimpleNamespace(mapPartitions=lambda function: SimpleNamespace(collect=lambda: found))
        sent: list[str] = []
        return SimpleNamespace(
            master="yarn", listFiles=[], defaultParallelism=2, parallelize=lambda *of: job, sent=sent,
            addPyFile=sent.append,
        )  # fmt: skip

    session: Any = SimpleNamespace(version="4.1.0", sparkContext=context([("h1", []), ("h2", ["re2"])]))
    with pytest.raises(SparkError, match=r"executor h2 has no re2 \(expected pip install google-re2\)"):
        caller_session(session)
    good: Any = SimpleNamespace(version="3.5.1", sparkContext=context([("h1", [])]))
    caller_session(good)
    assert [Path(file).name for file in good.sparkContext.sent] == ["kgreason.zip"]


def test_code_of_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "spark.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```py\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "arrivals").mkdir()
    (tmp_path / "arrivals" / "1.csv").write_text("http://e/a,http://e/p,http://e/b\n")
    (tmp_path / "people.rml.ttl").write_text("""@prefix rml: <http://w3id.org/rml/> .
      @prefix ex: <http://example.org/> .
      <#m> rml:logicalSource [ rml:source 'people' ];
        rml:subjectMap [ rml:template 'http://example.org/{id}'; rml:class ex:Person ];
        rml:predicateObjectMap [ rml:predicate ex:name; rml:objectMap [ rml:reference 'name' ] ] .""")
    # Java stays in the folder where it started.
    for name in ("people.rml.ttl", "encoded", "lines", "come", "go", "arrivals", "store", "checkpoint"):
        code = code.replace(f'"{name}"', repr(str(tmp_path / name)))
    exec(compile(code, "spark.md", "exec"), {"spark": spark})

    store = ReasoningStore(rules="none")
    store.bulk_load(tmp_path / "encoded")
    assert len(store.explicit) == 7
    assert store.apply(added=tmp_path / "come", removed=tmp_path / "go").added.triples == 1
    with ReasoningStore(tmp_path / "store") as streamed:
        assert len(streamed.explicit) == 1
    assert {str(s) for s in store.explicit.subjects(None, URIRef("http://example.org/Agent"))} >= {"http://example.org/1"}


@pytest.mark.thorough
def test_another_version_of_spark() -> None:
    """KGREASON_OTHER_SPARK is the Python of an environment with it, and all that kgreason needs."""
    python = os.environ.get("KGREASON_OTHER_SPARK")
    if python is None:
        pytest.skip("KGREASON_OTHER_SPARK does not name the Python of an environment with another Spark")
    done = subprocess.run([python, "-m", "tests.spark.smoke"], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]


def test_names_of_the_package_are_there() -> None:
    assert {name: callable(getattr(kgreason_spark, name)) for name in kgreason_spark.__all__} == dict.fromkeys(
        kgreason_spark.__all__, True
    )
    with pytest.raises(AttributeError):
        _ = kgreason_spark.nothing


def test_the_archive_for_executors_has_the_packages(tmp_path: Path) -> None:
    pack(tmp_path / "a.zip")
    names = zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert {"kgreason/__init__.py", "kgreason_mapping/__init__.py", "kgreason_spark/dataframes.py"} <= set(names)


_FIRST_IMPORTS = """
import sys, kgreason_spark
for name in kgreason_spark.__all__:
    for module in [one for one in sys.modules if one.startswith("kgreason_spark.")]:
        del sys.modules[module]
    getattr(kgreason_spark, name)
"""


def test_each_name_can_be_the_first_one_imported() -> None:
    command = [sys.executable, "-c", _FIRST_IMPORTS]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)

    assert done.returncode == 0, done.stderr
