"""The command ``kgreason query``, as a user sees it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command_runs import ASK, COMPRESSIONS, TOM_IS_AN_ANIMAL, refuse, run, succeed


class TestQuery:
    def test_rows_are_a_table_with_names(self, files: list[str]) -> None:
        assert succeed("query", *files, "-q", ASK) == "x\tname\nhttp://example.org/tom\tTom\\t1\n"

    def test_from_a_file(self, files: list[str], tmp_path: Path) -> None:
        (tmp_path / "ask.rq").write_text(ASK)
        assert "tom" in succeed("query", *files, "--query", str(tmp_path / "ask.rq"))

    def test_literals_are_those_of_the_file(self, files: list[str], tmp_path: Path) -> None:
        (tmp_path / "ask.rq").write_bytes(b"\xef\xbb\xbfSELECT * { VALUES (?x ?y) { (-1.50 '''a\r\n\tb''') } }")
        found = json.loads(succeed("query", *files, "-q", str(tmp_path / "ask.rq"), "--format", "json"))
        (row,) = found["results"]["bindings"]
        assert (row["x"]["value"], row["y"]["value"]) == ("-1.50", "a\r\n\tb")

    def test_rows_in_each_format_keep_their_terms(self, files: list[str]) -> None:
        name = {"type": "literal", "value": "Tom\t1", "xml:lang": "en"}
        (row,) = json.loads(succeed("query", *files, "-q", ASK, "--format", "json"))["results"]["bindings"]
        assert row == {"x": {"type": "uri", "value": "http://example.org/tom"}, "name": name}
        tsv = succeed("query", *files, "-q", ASK, "--format", "tsv")
        assert tsv == '?x\t?name\n<http://example.org/tom>\t"Tom\\t1"@en\n'
        csv = succeed("query", *files, "-q", ASK, "--format", "csv")
        assert csv.split() == ["x,name", "http://example.org/tom,Tom", "1"]
        assert "<uri>http://example.org/tom</uri>" in succeed("query", *files, "-q", ASK, "--format", "xml")

    def test_tsv_has_a_line_for_each_row(self, files: list[str], tmp_path: Path) -> None:
        query = 'SELECT * { VALUES ?x { "two\\nlines\\r\\n\\t\\"quoted\\"" <http://example.org/a> } }'

        printed = succeed("query", files[0], "-q", query, "--format", "tsv")
        succeed("query", files[0], "-q", query, "-o", str(tmp_path / "rows"))

        assert printed == '?x\n"two\\nlines\\r\\n\\t\\"quoted\\""\n<http://example.org/a>\n'
        assert (tmp_path / "rows").read_text() == printed

    def test_unbound_variables_are_empty(self, files: list[str]) -> None:
        query = "SELECT ?x ?none ?y { BIND(1 AS ?x) BIND(2 AS ?y) }"
        assert succeed("query", files[0], "-q", query) == "x\tnone\ty\n1\t\t2\n"
        assert succeed("query", files[0], "-q", query, "--format", "tsv").splitlines()[1].split("\t")[1] == ""

    def test_ask_prints_whether_it_holds(self, files: list[str]) -> None:
        question = "ASK { <http://example.org/tom> a <http://example.org/Animal> }"
        assert succeed("query", *files, "-q", question) == "true\n"
        assert succeed("query", *files, "-q", question, "--rules", "none") == "false\n"

    def test_construct_prints_triples(self, files: list[str]) -> None:
        query = "CONSTRUCT { ?x a ?y } WHERE { ?x a ?y . ?y a <http://www.w3.org/2002/07/owl#Nothing> }"
        assert succeed("query", *files, "-q", query, "--format", "nt").strip() == ""
        query = "CONSTRUCT { ?x a ?y } WHERE { ?x a ?y }"
        assert TOM_IS_AN_ANIMAL in succeed("query", *files, "-q", query, "--format", "nt").splitlines()
        assert ":tom a :Animal , :Cat ." in succeed("query", *files, "-q", query)

    @pytest.mark.parametrize("form", ["CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "DESCRIBE :r"])
    def test_triple_terms_keep_their_blank_nodes_and_the_prefixes_of_files(self, tmp_path: Path, form: str) -> None:
        (tmp_path / "claims.ttl").write_text(
            "PREFIX : <http://example.org/> PREFIX r: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
            ':r r:reifies <<( _:b :says "01"^^<http://www.w3.org/2001/XMLSchema#integer> )>> ; :of _:b .\n'
        )
        asked = ("query", str(tmp_path / "claims.ttl"), "--rules", "none", "-q", form)

        turtle, lines = succeed(*asked), succeed(*asked, "--format", "nt")

        for text in (turtle, lines):
            (said,) = re.findall(r"<<\( (_:\w+)", text)
            assert text.count(said) == 2
        assert "@prefix : <http://example.org/> ." in turtle
        assert "r:reifies" in turtle

    @pytest.mark.parametrize("query", ["SELECT ?o { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"])
    def test_values_that_python_does_not_have_are_printed_in_silence(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, query: str
    ) -> None:
        (tmp_path / "data.ttl").write_text(
            "PREFIX : <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
            ':caesar :died "-0044-03-15"^^xsd:date ; :age "unknown"^^xsd:integer .\n'
        )

        printed = succeed("query", str(tmp_path / "data.ttl"), "--rules", "none", "-q", query)

        assert caplog.records == []
        assert "-0044-03-15" in printed
        assert "unknown" in printed

    def test_named_graphs(self, tmp_path: Path) -> None:
        graph = "http://example.org/graph"
        quad = f"<http://example.org/a> <http://example.org/b> <http://example.org/c> <{graph}> .\n"
        query = "SELECT ?g { GRAPH ?g { ?s ?p ?o } }"
        assert succeed("query", "-", "-f", "nq", "-q", query, stdin=quad) == f"g\n{graph}\n"
        query = "SELECT ?s { ?s <http://example.org/b> ?o }"
        assert succeed("query", "-", "-f", "nq", "-q", query, stdin=quad) == "s\nhttp://example.org/a\n"

    def test_prefixes_of_the_files_are_known(self, files: list[str], tmp_path: Path) -> None:
        asked = (
            "-q",
            "SELECT ?name { ?x a :Animal ; :name ?name FILTER NOT EXISTS { ?x owl:sameAs ?y } }",
            "--format",
            "csv",
        )
        assert succeed("query", *files, *asked) == "name\nTom\t1\n"
        store = str(tmp_path / "store")
        succeed("add", store, *files)
        assert succeed("query", store, *asked) == "name\nTom\t1\n"
        succeed("update", store, "-u", "DELETE { ?x :name ?name } WHERE { ?x :name ?name }")
        assert succeed("query", store, *asked) == "name\n"
        refuse(2, "update:1:15: unknown prefix no:", "update", store, "-u", "INSERT DATA { no:x a no:X }")

    def test_prefix_that_two_files_bind_is_warned_of_where_it_is_used(self, tmp_path: Path) -> None:
        files = [str(tmp_path / "one.ttl"), str(tmp_path / "two.ttl")]
        for file, namespace in zip(files, ("http://one/", "http://two/"), strict=True):
            Path(file).write_text(f"@prefix : <{namespace}> . :x :p :y .\n")
        warned = (
            "kgreason: warning: the prefix : is <{0}> of {1}, not <{2}> of {3}, since the last file that declares it "
            "counts\n"
        )
        forth = warned.format("http://two/", files[1], "http://one/", files[0])
        back = warned.format("http://one/", files[0], "http://two/", files[1])

        asked = run("query", *files, "-q", "SELECT ?x { ?x :p :y }")
        reversed_ = run("query", *files[::-1], "-q", "SELECT ?x { ?x :p :y }")
        explained = run("explain", *files, "-t", ":x :p :y")

        assert (asked.stdout, asked.stderr) == ("x\nhttp://two/x\n", forth)
        assert (reversed_.stdout, reversed_.stderr) == ("x\nhttp://one/x\n", back)
        assert explained.stderr == forth
        assert succeed("query", *files, "-q", "PREFIX : <http://one/> SELECT ?x { ?x :p :y }") == "x\nhttp://one/x\n"
        assert succeed("query", *files, "-q", "SELECT (COUNT(*) AS ?n) { ?x ?p ?y }") == "n\n2\n"

    def test_parquet_is_for_rows_of_a_select_alone(self, files: list[str], tmp_path: Path) -> None:
        target = tmp_path / "rows.parquet"
        assert succeed("query", *files, "-q", ASK, "--format", "parquet", "-o", str(target)) == ""
        assert pq.read_table(target).to_pydict() == {"x": ["http://example.org/tom"], "name": ["Tom\t1"]}
        asking = ("query", *files, "-q", "ASK { ?s ?p ?o }", "--format", "parquet", "-o", str(target))
        refuse(1, "only the rows of a SELECT", *asking)
        assert pq.read_table(target).num_rows == 1

    def test_to_a_file(self, files: list[str], tmp_path: Path) -> None:
        target = tmp_path / "rows"
        assert succeed("query", *files, "-q", ASK, "-o", str(target)) == ""
        assert target.read_text().startswith("?x\t?name\n")
        refuse(2, "a table is for a terminal", "query", *files, "-q", ASK, "--format", "table", "-o", str(target))
        refuse(2, "does not exist", "query", *files, "-q", ASK, "-o", str(tmp_path / "no" / "rows"))

    @pytest.mark.parametrize(
        ("name", "format"),
        [
            ("rows.csv", "csv"),
            ("rows.CSV.gz", "csv"),
            ("rows.tsv.zst", "tsv"),
            ("rows.json", "json"),
            ("rows.srj", "json"),
            ("rows.xml", "xml"),
            ("rows.srx.bz2", "xml"),
            ("rows.gz", "tsv"),
        ],
    )
    def test_ending_tells_the_format_of_rows(self, files: list[str], tmp_path: Path, name: str, format: str) -> None:
        target = tmp_path / name

        assert succeed("query", *files, "-q", ASK, "-o", str(target)) == ""

        expected = succeed("query", *files, "-q", ASK, "--format", format)
        with pa.input_stream(str(target), compression=COMPRESSIONS.get(target.suffix)) as stream:
            assert stream.read().decode().splitlines() == expected.splitlines()

    @pytest.mark.parametrize(("name", "format"), [("graph.nt", "nt"), ("graph.ttl.gz", "turtle")])
    def test_ending_tells_the_format_of_triples(
        self, files: list[str], tmp_path: Path, name: str, format: str
    ) -> None:
        target = tmp_path / name
        asked = ("query", *files, "-q", "CONSTRUCT { ?x a ?y } WHERE { ?x a ?y }")

        assert succeed(*asked, "-o", str(target)) == ""

        with pa.input_stream(str(target), compression=COMPRESSIONS.get(target.suffix)) as stream:
            assert stream.read().decode() == succeed(*asked, "--format", format)

    def test_ending_tells_parquet(self, files: list[str], tmp_path: Path) -> None:
        target = tmp_path / "rows.parquet"

        succeed("query", *files, "-q", ASK, "-o", str(target))

        assert pq.read_table(target).num_rows == 1

    def test_unknown_ending_is_refused_unless_the_format_is_given(self, files: list[str], tmp_path: Path) -> None:
        asked = ("query", *files, "-q", ASK, "-o", str(tmp_path / "rows.xlsx"))

        refuse(2, "rows.xlsx: unknown extension; use one of .tsv, .csv, .json, .srj", *asked)
        assert succeed(*asked, "--format", "csv") == ""
        assert (tmp_path / "rows.xlsx").read_text().startswith("x,name")

    def test_ending_of_another_form_of_query_is_refused(self, files: list[str], tmp_path: Path) -> None:
        refuse(2, "no turtle for the answer of SELECT", "query", *files, "-q", ASK, "-o", str(tmp_path / "rows.ttl"))

    def test_explain_shows_the_plan_of_a_query(self, files: list[str]) -> None:
        plan = succeed("query", *files, "-q", ASK, "--explain")
        assert plan.startswith("select: 1 solutions\n")
        assert "http://example.org/name" in plan
        assert "expected" in plan

    def test_without_what_follows(self, files: list[str]) -> None:
        assert succeed("query", *files, "-q", ASK, "--explicit-only") == "x\tname\n"

    def test_query_beyond_its_limits_is_refused(self, files: list[str]) -> None:
        query = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
        refuse(1, "more than 10", "query", *files, "-q", query, "--max-rows", "10")
        refuse(1, "longer than 0 s", "query", *files, "-q", query, "--timeout", "0")

    def test_bad_queries(self, files: list[str], tmp_path: Path) -> None:
        refuse(2, "query:1:", "query", *files, "-q", "SELECT ?x { ?x")
        refuse(2, "query:1:18: unknown prefix unknown:", "query", *files, "-q", "SELECT ?x { ?x a unknown:Thing }")
        refuse(2, "query", "query", *files, "-q", "INSERT DATA { <a:a> <a:b> <a:c> }")
        refuse(2, "query:1:29: VALUES: a row of 1 terms", "query", *files, "-q", "SELECT * { VALUES (?x ?y) { (1) } }")
        refuse(2, "neither SPARQL nor a file", "query", *files, "-q", str(tmp_path / "none.rq"))
        refuse(2, "unknown format", "query", *files, "-q", ASK, "--format", "doc")
        refuse(2, "no turtle for the answer of SELECT", "query", *files, "-q", ASK, "--format", "turtle")
        refuse(2, "--query", "query", *files)
