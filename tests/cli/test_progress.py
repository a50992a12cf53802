"""Long work reports its phases and shares; a bar that stands still or goes backwards would be caught here."""

from __future__ import annotations

import bz2
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from kgreason.checkpoints import Check, checkpoint, heeding
from kgreason.cli.progress_bar import _Line
from kgreason.engine.budget import Budget
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import read_files
from kgreason.progress import Advance, advance, begin, is_reporting, reporting
from kgreason.quality.report import CHECKS, report_on
from kgreason.sparql.limits import Limits
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_writer import write_triples

LINES = [f"<http://example.org/{n}> <http://example.org/next> <http://example.org/{n + 1}> .\n" for n in range(40_000)]


def test_a_part_begins_where_the_others_end() -> None:
    heard: list[Advance] = []
    begin("unheard")
    with reporting(heard.append):
        assert is_reporting()
        begin("reading", "one", offset=100, total=400)
        advance(50)
    assert not is_reporting()
    assert [(found.phase, found.detail, found.done, found.share) for found in heard] == [
        ("reading", "one", 100, 0.25),
        ("reading", "one", 150, 0.375),
    ]
    assert Advance("", done=5).share is None


@pytest.mark.parametrize("check", [Budget().reading(), Limits().check], ids=["load", "query"])
def test_work_that_reports_no_share_still_says_that_it_goes_on(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgreason.progress._TICK", 0.0)
    heard: list[Advance] = []
    with reporting(heard.append), heeding(check):
        checkpoint()
        begin("reading", "one")
        checkpoint()
        checkpoint()
    assert heard == 3 * [Advance("reading", "one")]


def test_files_are_read_with_their_number_and_the_share_of_all_bytes(tmp_path: Path) -> None:
    files = [tmp_path / "plain.nt", tmp_path / "small.nt.bz2", tmp_path / "turtle.ttl"]
    files[0].write_text("".join(LINES))
    files[1].write_bytes(bz2.compress("".join(LINES).encode()))
    files[2].write_text("".join(LINES))
    knowledge = KnowledgeBase("none")
    heard: list[Advance] = []

    with reporting(heard.append):
        read_files(files, knowledge.dictionary)

    details = list(dict.fromkeys(found.detail for found in heard))
    assert details == [f"file {number} of 3: {path}" for number, path in enumerate(files, 1)]
    assert {found.phase for found in heard} == {"reading"}
    assert {found.total for found in heard} == {sum(path.stat().st_size for path in files)}
    shares = [found.share for found in heard]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert len(set(shares)) > 5


def test_deriving_checking_and_writing_are_phases() -> None:
    knowledge = KnowledgeBase("owl-rl")
    add = knowledge.dictionary.encode_keys
    part_of, kind, transitive = add(
        ["http://example.org/p", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
         "http://www.w3.org/2002/07/owl#TransitiveProperty"]
    ).tolist()
    nodes = add(f"http://example.org/{n}" for n in range(20)).tolist()
    knowledge.add(DEFAULT_GRAPH, part_of, kind, transitive)
    for one, other in pairwise(nodes):
        knowledge.add(DEFAULT_GRAPH, one, part_of, other)
    heard: list[Advance] = []

    with reporting(heard.append):
        knowledge.flush()
        report_on(knowledge)
        for format in ("nt", "ttl"):
            write_triples(knowledge.all(), knowledge.dictionary, BytesIO(), format)

    assert {"deriving", "checking", "writing"} <= {found.phase for found in heard}
    # Long work says the same again.
    details = [found.detail for found in heard if found.phase == "checking"]
    assert list(dict.fromkeys(details)) == [check.name for check in CHECKS]
    assert all(found.share is not None for found in heard if found.phase != "reading")


def test_a_line_keeps_its_count_while_the_phase_goes_on() -> None:
    with Progress(console=Console(file=StringIO())) as bar:
        line = _Line(bar, bar.add_task("reading", total=None), str)
        line.show(Advance("reading", "one.nt"))
        line.count("one.nt", 1000)
        line.show(Advance("reading", "one.nt", 10, 20))
        assert bar.tasks[0].description == "reading one.nt, 1,000 triples"
        line.show(Advance("deriving"))
        assert bar.tasks[0].description == "deriving"
