"""``kgreason map``: would catch output that a store cannot load, or that differs between formats or numbers of threads;
a directory that is left half written; and a piece of a file that ends in the middle of a record."""

from __future__ import annotations

import datetime
import gzip
import json
from decimal import Decimal
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib import Dataset

from kgreason import ReasoningStore
from kgreason.errors import LoadError, MappingError
from kgreason.rdf.vocabulary import XSD
from kgreason_mapping.arrow import Outputs, Sources, csv_pieces, map_to_directory, map_to_table
from kgreason_mapping.documents import parse_mapping
from kgreason_mapping.quarantine_reasons import ILL_TYPED
from tests.cli.command_runs import run, succeed
from tests.damaged_parquet import damage, flip_in_page
from tests.mapping.rml import PREFIXES

MAPPING = PREFIXES + """
<#person> rml:logicalSource [ rml:source 'people.csv'; rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template 'http://ex.org/{id}'; rml:class foaf:Person ];
  rml:predicateObjectMap
    [ rml:predicate foaf:name; rml:objectMap [ rml:reference 'name' ] ],
    [ rml:predicate ex:born; rml:objectMap [ rml:reference 'born'; rml:datatype xsd:date ] ],
    [ rml:predicate ex:team; rml:objectMap [ rml:parentTriplesMap <#team>;
        rml:joinCondition [ rml:child 'team'; rml:parent 'key' ] ] ] .
<#team> rml:logicalSource [ rml:source 'teams.json'; rml:referenceFormulation rml:JSONPath; rml:iterator '$[*]' ];
  rml:subjectMap [ rml:template 'http://ex.org/team/{key}'; rml:graph ex:teams ];
  rml:predicateObjectMap [ rml:predicate rdfs:label; rml:objectMap [ rml:reference 'names[*]'; rml:language 'en' ] ] .
"""
PEOPLE = 'id,name,born,team\n1,"Ada ""A""\nL",1815-12-10,x\n2,Alan,1912-06-31,y\n3,\\Grace,1906-12-09,x\n'
EXPECTED = r"""
<http://ex.org/1> a foaf:Person; foaf:name "Ada \"A\"\nL"; ex:team <http://ex.org/team/x>;
  ex:born "1815-12-10"^^xsd:date .
<http://ex.org/2> a foaf:Person; foaf:name "Alan" .
<http://ex.org/3> a foaf:Person; foaf:name "\\Grace"; ex:born "1906-12-09"^^xsd:date; ex:team <http://ex.org/team/x> .
ex:teams { <http://ex.org/team/x> rdfs:label "Ex"@en, "Iks"@en }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A mapping, and a folder with its sources."""
    (tmp_path / "mapping.ttl").write_text(MAPPING)
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "people.csv").write_text(PEOPLE)
    (tmp_path / "raw" / "teams.json").write_text('[{"key": "x", "names": ["Ex", "Iks"]}, {"key": "z", "names": []}]')
    return tmp_path


def loaded(*places: Path) -> set[str]:
    """The quads that a store has after loading files."""
    store = ReasoningStore(rules="none")
    store.bulk_load(*places)
    return lines(Dataset(store=store))


def lines(dataset: Dataset) -> set[str]:
    return {" ".join(line.split()) for line in dataset.serialize(format="nquads").splitlines() if line}


def expected() -> set[str]:
    dataset = Dataset()
    dataset.parse(data=PREFIXES + EXPECTED, format="trig")
    return lines(dataset)


@pytest.mark.parametrize("compression", ["gzip", "zstd", "none"])
def test_both_formats_hold_the_same_triples(folder: Path, compression: str) -> None:
    done = run(
        "map", str(folder / "mapping.ttl"), str(folder / "raw"), "--output", str(folder / "out"), "--format", "both",
        "--compression", compression, "--report", str(folder / "report.json"),
    )  # fmt: skip
    assert (done.exit_code, done.stderr) == (0, "")

    assert loaded(folder / "out") == loaded(*sorted((folder / "out" / "ntriples").iterdir())) == expected()
    suffix = {"gzip": ".nq.gz", "zstd": ".nq.zst", "none": ".nq"}[compression]
    assert [path.name for path in (folder / "out" / "ntriples").iterdir()] == [f"part-00000{suffix}"]
    report = json.loads((folder / "report.json").read_text())
    assert report["quarantined"] == {"value outside its datatype": 1}
    assert report["sources"]["people.csv"] == {"rows": 3, "triples": 10, "quarantined": 1}
    (line,) = (folder / "out" / "quarantine" / "part-00000.json").read_text().splitlines()
    assert json.loads(json.loads(line)["row"]) == {"id": "2", "name": "Alan", "born": "1912-06-31", "team": "y"}


def test_files_cut_anywhere_make_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = map_to_table(folder / "mapping.ttl", Sources(directory=folder / "raw"), threads=1)
    for size in (1, 7, 40):
        monkeypatch.setattr(csv_pieces, "BLOCK", size)
        cut = map_to_table(folder / "mapping.ttl", Sources(directory=folder / "raw"), threads=2)

        assert sorted(map(str, cut.quads.to_pylist())) == sorted(map(str, whole.quads.to_pylist()))
        assert cut.problems == whole.problems


def test_failure_leaves_no_directory(folder: Path) -> None:
    (folder / "raw" / "people.csv").write_text(PEOPLE + '4,"open\n')
    done = run("map", str(folder / "mapping.ttl"), str(folder / "raw"), "-o", str(folder / "out"))

    assert done.exit_code == 1
    assert "people.csv:6: a quotation mark that is never closed" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["mapping.ttl", "raw"]


def test_mapping_without_its_sources_is_refused(folder: Path) -> None:
    done = run("map", str(folder / "mapping.ttl"), "-o", str(folder / "out"))
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "people.csv: cannot be read: no such file or directory" in done.stderr

    done = run("map", str(folder / "none.ttl"), "-o", str(folder / "out"))
    assert (done.exit_code, done.stderr.strip().endswith("none.ttl: no such file")) == (2, True)


def test_source_of_a_name_may_be_elsewhere(folder: Path) -> None:
    (folder / "raw" / "people.csv").rename(folder / "others.csv.gz")
    (folder / "others.csv.gz").write_bytes(gzip.compress((folder / "others.csv.gz").read_bytes()))
    named = f"people.csv={folder / 'others.csv.gz'}"
    done = run("map", str(folder / "mapping.ttl"), str(folder / "raw"), named, "-o", str(folder / "out"))

    assert (done.exit_code, len(loaded(folder / "out"))) == (0, 12)


def test_source_of_which_all_is_in_quarantine_is_a_problem(folder: Path) -> None:
    (folder / "raw" / "teams.json").write_text('[{"key": "x"')
    (folder / "raw" / "people.csv").write_text("id,name,born,team\n")
    wrong = run("map", str(folder / "mapping.ttl"), str(folder / "raw"), "-o", str(folder / "out"))

    assert wrong.exit_code == 1
    assert wrong.stderr == "kgreason: teams.json: no triple came of it, and 1 problem of it went to quarantine\n"
    assert "malformed JSON" in wrong.stdout
    assert loaded(folder / "out") == set()
    assert len([*(folder / "out" / "quarantine").iterdir()]) == 1


def test_source_outside_of_its_folder_is_refused(folder: Path) -> None:
    (folder / "mapping.ttl").write_text(MAPPING.replace("'people.csv'", "'../mapping.ttl'"))
    done = run("map", str(folder / "mapping.ttl"), str(folder / "raw"), "-o", str(folder / "out"))

    assert done.exit_code == 1
    assert "'../mapping.ttl' is outside of" in done.stderr


TYPED = {
    "b": (pa.array([5], pa.int8()), {'"5"^^' + XSD + "integer"}),
    "f": (pa.array([-0.25], pa.float32()), {'"-2.5E-1"^^' + XSD + "double"}),
    "inf": (pa.array([float("inf")]), {'"INF"^^' + XSD + "double"}),
    "d": (pa.array([1200.0]), {'"1.2E3"^^' + XSD + "double"}),
    "zero": (pa.array([0.0]), {'"0.0E0"^^' + XSD + "double"}),
    "tiny": (pa.array([1e-10]), {'"1.0E-10"^^' + XSD + "double"}),
    "large": (pa.array([1.5e300]), {'"1.5E300"^^' + XSD + "double"}),
    "dec": (pa.array([Decimal("4.5000")], pa.decimal128(9, 4)), {'"4.5"^^' + XSD + "decimal"}),
    "whole": (pa.array([Decimal("100")], pa.decimal128(9, 0)), {'"100"^^' + XSD + "integer"}),
    "t": (pa.array([True]), {'"true"^^' + XSD + "boolean"}),
    "day": (pa.array([datetime.date(2020, 2, 29)]), {'"2020-02-29"^^' + XSD + "date"}),
    "at": (
        pa.array([datetime.datetime(2020, 1, 1, 10, 0, 0, 500_000)], pa.timestamp("us", "America/New_York")),
        {'"2020-01-01T10:00:00.5Z"^^' + XSD + "dateTime"},
    ),
    "clock": (
        pa.array([datetime.datetime(2020, 1, 1, 12)], pa.timestamp("ns")),
        {'"2020-01-01T12:00:00"^^' + XSD + "dateTime"},
    ),
    "exact": (
        pa.array([1_577_880_000_123_456_789], pa.timestamp("ns", "UTC")),
        {'"2020-01-01T12:00:00.123456789Z"^^' + XSD + "dateTime"},
    ),
    "seconds": (pa.array([1_577_880_000], pa.timestamp("s")), {'"2020-01-01T12:00:00"^^' + XSD + "dateTime"}),
    "bin": (pa.array([b"\x0a\xff"]), {'"0AFF"^^' + XSD + "hexBinary"}),
    "many": (pa.array([[1, None, 2]]), {'"1"^^' + XSD + "integer", '"2"^^' + XSD + "integer"}),
    "codes": (pa.array(["a"]).dictionary_encode(), {'"a"'}),
    "none": (pa.array([None], pa.int32()), set()),
}  # fmt: skip


@pytest.mark.parametrize("given", ["table", "parquet"])
def test_typed_columns_have_natural_datatypes_in_canonical_form(given: str, tmp_path: Path) -> None:
    table = pa.table({"id": [1], "s": [{"x": {"y": "deep"}}], **{name: column for name, (column, _) in TYPED.items()}})
    pairs = "; ".join(
        f"rml:predicateObjectMap [ rml:predicate <http://p/{name}>; rml:objectMap [ rml:reference '{name}' ] ]"
        for name in [*TYPED, "s.x.y"]
    )
    mapping = f"""{PREFIXES} <#m> rml:logicalSource [ rml:source 't.parquet' ];
      rml:subjectMap [ rml:template 'http://s/{{id}}' ]; {pairs} ."""
    pq.write_table(table, tmp_path / "t.parquet")
    sources = Sources({"t.parquet": table}) if given == "table" else Sources(directory=tmp_path)
    made = map_to_table(parse_mapping(mapping), sources).quads.to_pylist()

    found = {name: {row["object"] for row in made if row["predicate"] == f"http://p/{name}"} for name in TYPED}
    assert found == {name: objects for name, (_, objects) in TYPED.items()}
    assert {row["object"] for row in made if row["predicate"] == "http://p/s.x.y"} == {'"deep"'}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**31 - 1, 0, None], pa.int32()).cast(pa.date32()),
        pa.array([2**63 - 1, 0, None], pa.int64()).cast(pa.timestamp("us")),
        pa.array([-(2**63), 0, None], pa.int64()).cast(pa.timestamp("s", "UTC")),
        pa.array([2**63 - 1, 0, None], pa.int64()).cast(pa.timestamp("ms", "America/New_York")),
        pa.array([-1, 0, None], pa.int64()).cast(pa.time64("us")),
    ],
    ids=str,
)
def test_a_date_or_time_beyond_its_range_is_in_quarantine(column: pa.Array) -> None:
    table = pa.table({"id": [1, 2, 3], "v": column})
    mapping = f"""{PREFIXES} <#m> rml:logicalSource [ rml:source 't' ];
      rml:subjectMap [ rml:template 'http://s/{{id}}' ];
      rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference 'v' ] ];
      rml:predicateObjectMap [ rml:predicate ex:q; rml:objectMap [ rml:template '{{v}}'; rml:termType rml:Literal ] ] .
    """
    made = map_to_table(parse_mapping(mapping), Sources({"t": table}))

    assert {row["subject"] for row in made.quads.to_pylist()} == {"http://s/2"}
    assert [problem.reason for _, problem in made.problems] == [ILL_TYPED, ILL_TYPED]


def test_a_row_in_quarantine_shows_values_that_python_does_not_have() -> None:
    days = pa.array([-800_000], pa.int32()).cast(pa.date32())
    columns = {"day": days, "days": pa.array([[day] for day in days], pa.list_(pa.date32()))}
    table = pa.table({"id": ["no IRI"], **columns, "at": pa.array([1], pa.timestamp("ns"))})
    mapping = f"{PREFIXES} <#m> rml:logicalSource [ rml:source 't' ]; rml:subjectMap [ rml:reference 'id' ] ."
    ((_, problem),) = map_to_table(parse_mapping(mapping), Sources({"t": table})).problems

    assert json.loads(problem.row) == {
        "id": "no IRI", "day": "-0221-09-04", "days": "a value of type list<item: date32[day]>",
        "at": "1970-01-01 00:00:00.000000001",
    }  # fmt: skip


@pytest.mark.parametrize(("reference", "reason"), [("s", "which is not a value"), ("nix", "has no column 'nix'")])
def test_column_that_is_no_value_is_refused(reference: str, reason: str) -> None:
    table = pa.table({"id": [1], "s": [{"x": 1}]})
    mapping = f"{PREFIXES} <#m> rml:logicalSource [ rml:source 't' ]; rml:subjectMap [ rml:reference '{reference}' ] ."
    with pytest.raises(MappingError, match=reason) as raised:
        map_to_table(parse_mapping(mapping), Sources({"t": table}))

    assert raised.value.triples_map == "#m"


def test_page_of_parquet_with_another_checksum_is_refused(tmp_path: Path) -> None:
    table = pa.table({"s": [f"http://e/{n}" for n in range(100)]})
    pq.write_table(table, tmp_path / "t.parquet", compression="none", write_page_checksum=True)
    damage(tmp_path, flip_in_page)
    mapping = f"""{PREFIXES} <#m> rml:logicalSource [ rml:source 't.parquet' ];
      rml:subjectMap [ rml:reference 's'; rml:class foaf:Person ] ."""

    with pytest.raises(LoadError, match=r"t\.parquet: .*checksum"):
        map_to_table(parse_mapping(mapping), Sources(directory=tmp_path))


def test_large_runs_are_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_pieces, "BLOCK", 1000)
    (tmp_path / "people.csv").write_text("id,name\n" + "".join(f"{n},name {n % 7}\n" for n in range(2000)))
    mapping = f"""{PREFIXES} <#m> rml:logicalSource [ rml:source 'people.csv' ];
      rml:subjectMap [ rml:template 'http://ex.org/{{id}}' ];
      rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference 'name' ] ],
        [ rml:predicate ex:same; rml:objectMap [ rml:parentTriplesMap <#m>;
            rml:joinCondition [ rml:child 'id'; rml:parent 'id' ] ] ] ."""
    (tmp_path / "out").mkdir()
    report = map_to_directory(
        parse_mapping(mapping), tmp_path / "out", Sources(directory=tmp_path), outputs=Outputs(True, "zstd"), threads=2
    )
    assert (report.triples_read, report.triples_encoded, report.lines_written) == (4000, 4000, 4000)
    assert len(loaded(tmp_path / "out")) == len(loaded(tmp_path / "out" / "ntriples")) == 4000


def test_changes_since_an_earlier_run_make_the_store_of_a_later_one(folder: Path) -> None:
    """Random changes of raw rows, each applied to the store of the one before: as if all were loaded anew."""
    chosen = Random(5)
    table = {n: (f"name {n}", f"19{n % 90 + 10}-01-01", "xy"[n % 2]) for n in range(30)}
    mapping, raw = str(folder / "mapping.ttl"), str(folder / "raw")
    store = ReasoningStore(rules="rdfs")
    for number in range(8):
        for _ in range(chosen.randrange(6)):
            row = chosen.randrange(40)
            if table.pop(row, None) is None or chosen.random() < 0.5:
                table[row] = (f"name {chosen.randrange(9)}", "1990-02-03", chosen.choice("xyz"))
        lines = [f"{key},{','.join(row)}" for key, row in table.items()]
        chosen.shuffle(lines)
        (folder / "raw" / "people.csv").write_text("id,name,born,team\n" + "\n".join(lines) + "\n")
        new, old = folder / f"run{number}", folder / f"run{number - 1}"
        done = run("map", mapping, raw, "-o", str(new), *(("--since", str(old)) if number else ()))
        assert (done.exit_code, done.stderr) == (0, "")
        if number:
            store.apply(added=new / "changes" / "added", removed=new / "changes" / "removed")
        else:
            store.bulk_load(new)
        assert lines_of(store) == loaded(new), number


def lines_of(store: ReasoningStore) -> set[str]:
    return lines(Dataset(store=store))


def test_changes_that_a_store_cannot_take_are_refused(folder: Path) -> None:
    (folder / "mapping.ttl").write_text(MAPPING.replace("'http://ex.org/{id}'", "'{id}'; rml:termType rml:BlankNode"))
    arguments = ("map", str(folder / "mapping.ttl"), str(folder / "raw"))
    assert run(*arguments, "-o", str(folder / "a")).exit_code == 0
    assert run(*arguments, "-o", str(folder / "b"), "--since", str(folder / "a")).exit_code == 0
    (folder / "raw" / "people.csv").write_text(PEOPLE.replace("Alan", "Al"))
    done = run(*arguments, "-o", str(folder / "c"), "--since", str(folder / "b"))

    assert done.exit_code == 1
    assert "a triple with a blank node has changed since (_:2)" in done.stderr
    assert not (folder / "c").exists()
    done = run(*arguments, "-o", str(folder / "c"), "--since", str(folder / "b"), "--format", "ntriples")
    assert (done.exit_code, "--since compares encoded triples" in done.stderr) == (2, True)


def test_the_report_counts_problems_by_rule_and_column(tmp_path: Path) -> None:
    pages = ("http://e/a", "not an iri")
    rows = "".join(f"{n},{'x' if n % 4 else '2020-01-01'},{pages[n % 2]}\n" for n in range(1_000))
    (tmp_path / "a.csv").write_text(f"id,day,page\n{rows}broken\n")
    mapping = """<#m> rml:logicalSource [ rml:source "a.csv"; rml:referenceFormulation rml:CSV ];
      rml:subjectMap [ rml:template "http://example.com/{id}" ]; rml:predicateObjectMap
        [ rml:predicate ex:day; rml:objectMap [ rml:reference "day"; rml:datatype xsd:date ] ],
        [ rml:predicate ex:page; rml:objectMap [ rml:template "{page}"; rml:termType rml:UnsafeIRI ] ] ."""
    (tmp_path / "m.ttl").write_text(PREFIXES + mapping)
    out, report = tmp_path / "out", tmp_path / "report.json"
    printed = succeed("map", str(tmp_path / "m.ttl"), "-o", str(out), "--samples", "3", "--report", str(report))

    found = json.loads(report.read_text())
    assert [tuple(one.values()) for one in found["problems"]] == [
        ("a.csv", "#m", "object of <http://example.com/day>", ["day"], "value outside its datatype", 750),
        ("a.csv", "#m", "object of <http://example.com/page>", ["page"], "invalid IRI", 500),
        ("a.csv", None, None, [], "CSV row with too many or too few fields", 1),
    ]
    assert found["quarantined"] == {
        "CSV row with too many or too few fields": 1, "invalid IRI": 500, "value outside its datatype": 750
    }
    assert found["sources"]["a.csv"] == {"rows": 1_001, "triples": 750, "quarantined": 1_251}
    assert len((out / "quarantine" / "part-00000.json").read_text().splitlines()) == 7
    assert "day" in printed
