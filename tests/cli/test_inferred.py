"""Every command takes encoded triples and what Spark derived from them as it takes files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.io.readers import read_stream
from kgreason.store import state_changes
from kgreason.store.knowledge_base import KnowledgeBase
from tests.cli.command_runs import refuse, run, succeed
from tests.inferred_directories import write_pair

RULES = ["--rules", "owl-rl"]
TEXT = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:within a owl:TransitiveProperty ; owl:inverseOf :contains . :City rdfs:subClassOf :Place . :Oslo a :City .
:Oslo :within :Norway . :Norway :within :Europe . :Earth :contains :Europe . :City owl:disjointWith :Country .
"""
OSLO_IS_WITHIN_EARTH = "<http://example.org/Oslo> <http://example.org/within> <http://example.org/Earth>"
ASK = ("query", "-q", "ASK { <http://example.org/Earth> <http://example.org/contains> <http://example.org/Oslo> }")


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    """Encoded triples, and what follows under owl-rl."""
    base = KnowledgeBase("owl-rl")
    base.add_quads(read_stream(TEXT.encode(), base.dictionary, format="turtle"))
    return [str(path) for path in write_pair(tmp_path, base)]


@pytest.fixture
def underived(pair: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In this test nothing with facts is maintained: what is there was taken over."""
    apply = state_changes.apply_to_engine

    def refuse_facts(engine, program, change, *rest):
        assert not change.changes, "something is derived"
        return apply(engine, program, change, *rest)

    monkeypatch.setattr(state_changes, "apply_to_engine", refuse_facts)


@pytest.mark.usefixtures("underived")
def test_what_reads_files_reads_both(pair: list[str], tmp_path: Path) -> None:
    assert succeed(*ASK, *pair, *RULES) == "true\n"
    assert "\ttransitive\t" in succeed("stats", *pair[::-1], *RULES)
    proof = succeed("explain", *pair, "--triple", f"{OSLO_IS_WITHIN_EARTH} .", *RULES)
    assert "asserted" in proof
    assert "consistent" in succeed("check", *pair, *RULES)
    target = tmp_path / "all.nt"
    succeed("materialise", *pair, "-o", str(target), *RULES)
    assert f"{OSLO_IS_WITHIN_EARTH} ." in target.read_text().splitlines()


def test_all_triples_are_written_out(pair: list[str]) -> None:
    """With both, and with the first alone, where the command derives the rest."""
    lines = [sorted(succeed("materialise", *given, *RULES).splitlines()) for given in (pair, pair[:1])]
    assert lines[0] == lines[1]
    only = succeed("materialise", *pair, "--inferred-only", *RULES).splitlines()
    assert 0 < len(only) < len(lines[0])


@pytest.mark.usefixtures("underived")
def test_a_store_on_disk_is_made_of_both(pair: list[str], tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    printed = succeed("add", store, *pair, *RULES)
    assert "not used" not in printed
    assert succeed(*ASK, store) == "true\n"


@pytest.mark.slow
def test_a_store_on_disk_goes_on_from_both(pair: list[str], tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    succeed("add", store, *pair, *RULES)
    prefix = "PREFIX : <http://example.org/> "
    succeed("update", store, "-u", prefix + "DELETE DATA { :Norway :within :Europe }")
    assert succeed(*ASK, store) == "false\n"
    succeed("update", store, "-u", prefix + "INSERT DATA { :Norway :within :Europe . :Bergen :within :Norway }")
    assert succeed(*ASK, store) == "true\n"
    again = "not used, because the store has other triples; what follows is derived again"
    assert again in succeed("add", store, *pair)


def test_other_rules_derive_again_and_say_so(pair: list[str]) -> None:
    answer = run(*ASK, *pair, "--rules", "rdfs")
    assert (answer.exit_code, answer.stdout) == (0, "false\n")
    assert "not used, because the store has other rules; what follows is derived again" in answer.stderr


def test_loading_without_rules_says_what_it_does_not_use(pair: list[str], tmp_path: Path) -> None:
    printed = succeed("load", *pair, "-o", str(tmp_path / "out"))
    assert f"{pair[1]}: not used, since no rules are given" in printed
    with_rules = succeed("load", *pair, "-o", str(tmp_path / "closed"), *RULES)
    assert "not used" not in with_rules
    lines = succeed("materialise", str(tmp_path / "closed"), "--rules", "none").splitlines()
    assert f"{OSLO_IS_WITHIN_EARTH} ." in lines


@pytest.mark.parametrize("command", ["stats", "check", "materialise"])
def test_the_second_alone_is_refused(pair: list[str], command: str) -> None:
    refuse(1, f"what follows from the triples of {pair[0]}", command, pair[1], *RULES)


def test_a_store_is_not_made_of_the_second_alone(pair: list[str], tmp_path: Path) -> None:
    refuse(1, "load that directory with it", "add", str(tmp_path / "store"), pair[1], *RULES)
    assert not (tmp_path / "store").exists()
