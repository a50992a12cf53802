"""The commands: what they print, where, with which exit code; every error is one line and no traceback."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

from tests.cli.command_runs import COMPRESSIONS, DATA, MORE, TOM_IS_AN_ANIMAL, refuse, run, succeed


class TestMaterialise:
    def test_to_stdout(self, files: list[str]) -> None:
        lines = succeed("materialise", *files).splitlines()
        assert TOM_IS_AN_ANIMAL in lines
        assert '<http://example.org/tom> <http://example.org/name> "Tom\\t1"@en .' in lines
        assert len(lines) == len(set(lines))

    def test_inferred_only(self, files: list[str]) -> None:
        lines = succeed("materialise", *files, "--rules", "rdfs", "--inferred-only").splitlines()
        assert TOM_IS_AN_ANIMAL in lines
        assert not any("Cat> ." in line and "tom>" in line for line in lines)

    def test_none_gives_back_what_came_in(self, files: list[str]) -> None:
        assert len(succeed("materialise", *files, "--rules", "none").splitlines()) == 4

    @pytest.mark.parametrize("name", ["out.nt", "out.ttl", "out.rdf"])
    def test_by_extension(self, files: list[str], tmp_path: Path, name: str) -> None:
        import rdflib

        target = tmp_path / name
        assert succeed("materialise", *files, "-o", str(target)) == ""
        found = rdflib.Graph().parse(target)
        expected = rdflib.Graph().parse(data=succeed("materialise", *files), format="nt")
        assert set(found) == set(expected)
        assert len(expected) > 4
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["data.ttl", name, "schema.ttl"])

    @pytest.mark.parametrize(
        "name", ["a.nt", "a.nq", "a.ttl", "a.trig", "a.n3", "a.rdf", "a.jsonld", "a.ttl.gz", "a.nq.zst", "a.trig.bz2"]
    )
    def test_every_format_is_read_again(self, name: str, files: list[str], tmp_path: Path) -> None:
        named = "<http://example.org/s> <http://example.org/p> _:b <http://example.org/g> ."
        first, again, stdin = tmp_path / name, tmp_path / f"again-{name}", ("-", "-f", "nq")
        succeed("materialise", *files, *stdin, "-o", str(first), stdin=named)
        succeed("materialise", str(first), "--rules", "none", "-o", str(again))
        if not name.startswith(
            ("a.nt", "a.nq", "a.rdf")
        ):  # lines are in no order, and readers of RDF/XML tell no prefixes
            assert first.read_bytes() == again.read_bytes()
        asked = "SELECT ?x { ?x a <http://example.org/Animal> }"
        assert "tom" in succeed("query", str(again), "--rules", "none", "-q", asked)
        graphs = succeed("query", str(again), "--rules", "none", "-q", "SELECT ?g { GRAPH ?g { ?s ?p ?o } }")
        assert ("http://example.org/g" in graphs) == name.startswith(("a.nq", "a.trig", "a.jsonld"))

    def test_output_format_overrides_extension(self, files: list[str], tmp_path: Path) -> None:
        target = tmp_path / "closure"
        succeed("materialise", *files, "-o", str(target), "--output-format", "nt")
        assert TOM_IS_AN_ANIMAL in target.read_text()

    def test_several_rules(self, files: list[str], tmp_path: Path) -> None:
        rules = tmp_path / "mine.dl"
        rules.write_text("@prefix : <http://example.org/> . :Pet(?x) :- :Animal(?x), ~:Stone(?x) .")
        text = "[?x, <http://example.org/is>, <http://example.org/good>] :- [?x, a, <http://example.org/Pet>] ."
        out = succeed("materialise", *files, "--rules", "rdfs", "--rules", str(rules), "-r", text)
        assert "<http://example.org/tom> <http://example.org/is> <http://example.org/good> ." in out

    def test_stdin_beside_files(self, files: list[str]) -> None:
        out = succeed("materialise", files[0], "-", "--input-format", "ttl", stdin=DATA)
        assert TOM_IS_AN_ANIMAL in out.splitlines()

    def test_compressed_files_and_directories(self, files: list[str], tmp_path: Path) -> None:
        part = tmp_path / "parts"
        part.mkdir()
        with gzip.open(part / "data.ttl.gz", "wt") as stream:
            stream.write(DATA)
        (part / "notes.txt").write_text("not RDF")
        assert TOM_IS_AN_ANIMAL in succeed("materialise", files[0], str(part)).splitlines()

    def test_file_without_a_telling_name(self, files: list[str], tmp_path: Path) -> None:
        (tmp_path / "data").write_text(DATA)
        out = succeed("materialise", files[0], str(tmp_path / "data"), "-f", "turtle")
        assert TOM_IS_AN_ANIMAL in out.splitlines()
        assert TOM_IS_AN_ANIMAL in succeed("materialise", files[0], str(tmp_path / "data")).splitlines()
        (tmp_path / "data").write_text("no RDF\n")
        refuse(1, "data: the name does not tell an RDF format", "materialise", str(tmp_path / "data"))

    def test_failure_keeps_what_was_there(self, files: list[str], tmp_path: Path) -> None:
        target, bad = tmp_path / "out.nt", tmp_path / "bad.nt"
        target.write_text("precious")
        bad.write_text("<http://example.org/a> <http://example.org/b> <http://example.org/c> .\nnonsense\n")
        refuse(1, f"{bad}:2", "materialise", files[0], str(bad), "-o", str(target))
        assert target.read_text() == "precious"

    def test_target_that_cannot_be_written(self, files: list[str], tmp_path: Path) -> None:
        refuse(2, "directory", "materialise", *files, "-o", str(tmp_path))
        refuse(2, "does not exist", "materialise", *files, "-o", str(tmp_path / "no" / "out.nt"))
        refuse(2, "unknown extension", "materialise", *files, "-o", str(tmp_path / "out.doc"))
        refuse(2, "unknown output format", "materialise", *files, "--output-format", "doc")


class TestCheck:
    def test_check_of_consistent_data_says_so(self, files: list[str]) -> None:
        assert succeed("check", *files).startswith("consistent: ")

    def test_check_of_a_contradiction_tells_the_rule_and_its_triples(self, files: list[str]) -> None:
        stone = "<http://example.org/tom> a <http://example.org/Stone> ."
        result = run("check", *files, "-", "-f", "ttl", stdin=stone)
        assert result.exit_code == 1
        assert result.stderr == ""
        assert "cax-dw:" in result.stdout
        assert "    :Cat owl:disjointWith :Stone .\n" in result.stdout
        assert "inconsistent: 1 violation" in result.stdout

    def test_blank_nodes_are_shown_by_what_is_said_of_them(self) -> None:
        data = """
            @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
            [] a owl:AllDisjointClasses ;
                owl:members ( :Lent [ owl:unionOf ( :Lost [ owl:complementOf [] ] ) ] :Sold ) .
            :book a :Lent, :Sold .
        """
        result = run("check", "-", "-f", "ttl", stdin=data)
        assert "    [ a owl:AllDisjointClasses ; owl:members ( :Lent [" in result.stdout
        assert "owl:members ( :Lent [ owl:unionOf ( :Lost [...] ) ] :Sold ) ." in result.stdout
        assert "_:" not in result.stdout

    def test_check_with_a_limit_counts_the_other_violations(self, files: list[str]) -> None:
        stones = "".join(f"<a:{n}> a <http://example.org/Stone>, <http://example.org/Cat> ." for n in range(5))
        result = run("check", *files, "-", "-f", "ttl", "--limit", "2", stdin=stones)
        assert result.exit_code == 1
        assert result.stdout.count("cax-dw:") == 2
        assert "... and 3 more" in result.stdout
        refuse(2, "--limit", "check", *files, "--limit", "-1")

    def test_only_the_rules_that_were_asked_for(self, files: list[str]) -> None:
        stone = "<http://example.org/tom> a <http://example.org/Stone> ."
        out = succeed("check", *files, "-", "-f", "ttl", "--rules", "rdfs", stdin=stone)
        assert out.startswith("consistent")


class TestExplain:
    def test_explanation_is_a_tree_down_to_asserted_triples(self, files: list[str]) -> None:
        lines = succeed("explain", *files, "-t", ":tom a :Animal").splitlines()
        assert lines[0] == ":tom a :Animal  [cax-sco]"
        assert "  :Cat rdfs:subClassOf :Animal  [asserted]" in lines
        assert "  :tom a :Cat  [asserted]" in lines

    def test_explanation_of_an_asserted_triple_is_one_line(self, files: list[str]) -> None:
        asserted = succeed("explain", *files, "--triple", '<http://example.org/tom> :name "Tom\\t1"@en .')
        assert asserted == ':tom :name "Tom\\t1"@en  [asserted]\n'

    def test_explanation_in_json_numbers_its_steps(self, files: list[str]) -> None:
        found = json.loads(succeed("explain", *files, "-t", ":tom a :Animal", "--format", "json"))
        assert found["conclusion"]["triple"] == TOM_IS_AN_ANIMAL.removesuffix(" .").split(" ")
        steps = {step["number"]: step for step in found["steps"]}
        last = steps[len(steps)]
        assert last["rule"] == "cax-sco"
        assert {steps[number].get("asserted") for number in last["premises"]} == {True}

    def test_explanation_in_markdown_is_a_list(self, files: list[str]) -> None:
        lines = succeed("explain", *files, "-t", ":tom a :Animal", "--format", "markdown", "-r", "rdfs").splitlines()
        assert lines[0] == "- `:tom a :Animal` (**rdfs9**)"
        assert "  - `:tom a :Cat` (*asserted*)" in lines

    def test_schemes_and_stdin(self, files: list[str]) -> None:
        for schemes in ("auto", "plain"):
            out = succeed("explain", *files, "-", "-f", "ttl", "-t", ":tom a :Being", "--schemes", schemes, stdin=MORE)
            assert "[scm-sco]" in out or "[cax-sco]" in out

    @pytest.mark.parametrize("name", ["proof.nt", "proof.ttl", "proof.jsonld"])
    def test_in_rdf_for_verify(self, files: list[str], tmp_path: Path, name: str) -> None:
        proof = str(tmp_path / name)
        succeed("explain", *files, "-t", ":tom a :Animal", "-o", proof)
        assert succeed("verify", proof, *files) == "accepted: 2 asserted and 1 derived steps\n"
        refuse(1, "is not in the data", "verify", proof, files[0])
        refuse(1, "no rule cax-sco", "verify", proof, *files, "-r", "rdfs")
        refuse(2, "no such file", "verify", str(tmp_path / "none.nt"), *files)

    def test_proof_is_verified_with_what_a_store_has(self, files: list[str], tmp_path: Path) -> None:
        store, other, proof = (str(tmp_path / name) for name in ("store", "other", "proof.ttl"))
        rule = "<a:likes>(?x, ?y) :- <http://example.org/name>(?x, ?y) ."
        succeed("add", store, *files, "--rules", rule)
        succeed("add", other, files[0])
        succeed("explain", store, "--all", "-o", proof)

        assert succeed("verify", proof, store) == "accepted: 1 asserted and 1 derived steps\n"
        assert succeed("verify", proof, *files, "--rules", rule) == "accepted: 1 asserted and 1 derived steps\n"
        refuse(1, "that is written so", "verify", proof, *files)
        refuse(1, "that is written so", "verify", proof, store, "--rules", "rdfs")
        refuse(1, "is not in the data", "verify", proof, other, "--rules", rule)
        refuse(2, "stands alone", "verify", proof, store, files[1])

    def test_what_verify_cannot_take_is_named(self, files: list[str], tmp_path: Path) -> None:
        proof, folder = str(tmp_path / "proof.ttl"), str(tmp_path)
        succeed("explain", *files, "-t", ":tom a :Animal", "-o", proof)

        refuse(2, f"{folder}: a directory (expected files, or one store on disk)", "verify", proof, folder)
        refuse(2, f"{folder}: a directory", "verify", folder, *files)
        refuse(1, f"{files[0]}: there are no steps of a proof in it", "verify", files[0], *files)

    @pytest.mark.parametrize(
        ("name", "format"),
        [("p.json", "json"), ("p.md", "markdown"), ("p.txt", "text"), ("p", "text"), ("p.nt.gz", "nt")],
    )
    def test_ending_tells_the_format(self, files: list[str], tmp_path: Path, name: str, format: str) -> None:
        target = tmp_path / name
        asked = ("explain", *files, "-t", ":tom a :Animal")

        succeed(*asked, "-o", str(target))

        with pa.input_stream(str(target), compression=COMPRESSIONS.get(target.suffix)) as stream:
            assert stream.read().decode() == succeed(*asked, "--format", format)

    def test_unknown_ending_is_refused(self, files: list[str], tmp_path: Path) -> None:
        refuse(2, "unknown extension", "explain", *files, "-t", ":tom a :Animal", "-o", str(tmp_path / "proof.docx"))

    def test_all_and_answers_of_queries(self, files: list[str]) -> None:
        everything = succeed("explain", *files, "--all", "--format", "nt").splitlines()
        some = succeed("explain", *files, "-q", "CONSTRUCT { ?x a :Animal } { ?x a :Animal }", "--format", "nt")
        assert {*some.splitlines()} <= {*everything}
        old = succeed("explain", *files, "--all", "--format", "nt", "--reification", "statements")
        assert "<<(" not in old
        refuse(2, "expected CONSTRUCT", "explain", *files, "-q", "SELECT * { ?x a :Animal }", "--format", "nt")
        refuse(2, "one of --triple", "explain", *files, "--all", "-t", ":tom a :Animal")
        refuse(2, "a text is of one triple", "explain", *files, "--all")
        refuse(2, "no triple terms", "explain", *files, "--all", "--format", "jsonld", "--reification", "triple-terms")

    def test_what_does_not_hold(self, files: list[str]) -> None:
        refuse(1, "neither is asserted nor follows", "explain", *files, "-t", ":tom a :Stone")
        refuse(1, "neither is asserted nor follows", "explain", *files, "-t", ":nobody :knows :this")
        refuse(1, "neither is asserted nor follows", "explain", *files, "-t", ":tom a :Animal", "-r", "none")

    def test_what_is_no_triple(self, files: list[str]) -> None:
        for text in (":tom a", ":tom a :Animal :Cat", "tom a Animal", '"tom" a :Animal', ":tom _:p :Animal", "", "."):
            refuse(2, "the triple", "explain", *files, "-t", text)
        refuse(2, "2 triples", "explain", *files, "-t", ":tom a :Animal, :Cat")
        refuse(2, "blank node", "explain", *files, "-t", ":tom :likes _:b")
        refuse(2, "unknown", "explain", *files, "-t", "unknown:tom a :Animal")
        refuse(2, "unknown format", "explain", *files, "-t", ":tom a :Animal", "--format", "doc")
        refuse(2, "--triple", "explain", *files)
