"""Bulk loads: large files in blocks and threads, all or nothing, with a report."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pyarrow
import pytest

from kgreason.checkpoints import heeding, passes
from kgreason.errors import LoadError
from kgreason.io import file_tuning, ntriples_blocks
from kgreason.io import line_blocks as blocks
from kgreason.io.load_report import FileReport
from kgreason.rdf.model import BlankNode, Term
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import triples
from tests.thresholds import Tuned, replaced_constants

Triples = set[tuple[Term, Term, Term]]


@pytest.fixture(autouse=True)
def small_pieces(tuned: Tuned) -> None:
    """Blocks of a few lines, and segments of a few terms."""
    tuned(BLOCK_BYTES=200, SMALL_FILE=100, SEGMENT_LEAST=2)


def line(number: int) -> str:
    return f'<http://e/s{number % 7}> <http://e/p{number % 3}> "{number}" .\n'


def text(count: int = 100) -> str:
    return "".join(map(line, range(count)))


def loaded(*paths: Path, lenient: bool = False) -> tuple[Triples, KnowledgeBase]:
    base = KnowledgeBase("none")
    base.bulk_load(*paths, lenient=lenient)
    base._check()
    return triples(base, base.all()), base


def plainly(path: Path) -> Triples:
    """What is in a file when pyoxigraph reads it all."""
    with replaced_constants(SMALL_FILE=1 << 30):
        return loaded(path)[0]


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda data: pyarrow.compress(data, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_files_in_blocks(compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"data.nt{compression}"
    path.write_bytes(COMPRESSIONS[compression](text().encode()))
    found, _ = loaded(path)
    assert found == plainly(path)
    assert len(found) == 100


def test_members_of_gzip_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "data.nt.gz"
    path.write_bytes(gzip.compress(text(50).encode()) + gzip.compress("".join(map(line, range(50, 100))).encode()))
    assert len(loaded(path)[0]) == 100


def test_a_line_longer_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.nt"
    path.write_text(text(5) + f'<http://e/s> <http://e/p> "{"long " * 500}" .\n' + text(5).rstrip("\n"))
    assert loaded(path)[0] == plainly(path)


def test_graphs_in_blocks(tmp_path: Path) -> None:
    lines = [f"<http://e/s{i}> <http://e/p> <http://e/o> <http://e/g{i % 3}> .\n" for i in range(60)]
    (tmp_path / "data.nq").write_text("".join(lines) + text(20))
    _, base = loaded(tmp_path / "data.nq")
    assert len(base.graphs()) == 4
    assert [len(base.graph(base.dictionary.lookup_key(f"http://e/g{i}") or 0)) for i in range(3)] == [20, 20, 20]


def test_a_blank_node_is_one_in_all_blocks_and_in_no_other_file(tmp_path: Path) -> None:
    lines = [f"_:x <http://e/p> <http://e/o{i}> .\n" for i in range(40)]
    for name in ("a.nt", "b.nt"):
        (tmp_path / name).write_text("".join(lines) + "_:x<a:p>_:x.\n")
    found, _ = loaded(tmp_path)
    assert len(found) == 82
    assert len({s for s, _, _ in found if isinstance(s, BlankNode)}) == 2


@pytest.mark.parametrize("number", [1, 2, 57, 100])
def test_the_first_malformed_line_is_named(number: int, tmp_path: Path) -> None:
    lines = text().splitlines(keepends=True)
    lines[number - 1] = '<http://e/s> <http://e/p> "x\n'
    lines[-1] = "oops" if number == 100 else "oops oops"
    path = tmp_path / "data.nt"
    path.write_text("".join(lines))
    base = KnowledgeBase("none")
    before = len(base.dictionary)
    with pytest.raises(LoadError, match=rf"data\.nt:{number}:") as caught:
        base.bulk_load(tmp_path / "data.nt")
    assert "\n" not in str(caught.value)
    assert len(base.dictionary) == before
    assert not len(base.all())


def test_lenient_skips_and_counts(tmp_path: Path) -> None:
    lines = text().splitlines(keepends=True)
    for number in (3, 40, 41, 90):
        lines[number] = "<http://e/lost> oops .\n"
    (tmp_path / "bad.nt").write_text("".join(lines))
    (tmp_path / "few.nq").write_text("oops\n" + line(1))
    (tmp_path / "good.ttl").write_text("<http://e/a> a <http://e/b> .")
    base = KnowledgeBase("none")
    report = base.bulk_load(tmp_path, lenient=True)
    bad, few, good = (str(tmp_path / name) for name in ("bad.nt", "few.nq", "good.ttl"))
    assert report.files == (FileReport(bad, 96, 4), FileReport(few, 1, 1), FileReport(good, 1, 0))
    assert (report.triples, report.skipped) == (98, 5)
    assert str(report).splitlines()[0] == "98 triples from 3 files, 5 malformed lines skipped"
    assert len(base.all()) == 97
    assert base.dictionary.lookup_key("http://e/lost") is None


FAULTS = {
    "cut.nt.gz": (lambda data: gzip.compress(data)[:-9], r".*cut\.nt\.gz: cannot be read: Truncated"),
    "cut.nt.zst": (lambda data: COMPRESSIONS[".zst"](data)[:-9], r".*cut\.nt\.zst: cannot be read: Truncated"),
    "empty.nt.gz": (lambda _: b"", r".*empty\.nt\.gz: cannot be read: there is nothing in it"),
    "bytes.nt": (lambda data: data + b'<a:s> <a:p> "\xff" .\n', r"bytes\.nt:101:.*UTF-8"),
    "marks.nt": (lambda data: data + b"\xef\xbb\xbf" + data, r"marks\.nt:101:"),
    "star.nt": (lambda data: data + b'<a:s> <a:p> <<( "s" <a:p> <a:o> )>> .\n', r"star\.nt:101:"),
    "deep.nt": (
        lambda data: data + b"<a:s> <a:p>" + b" <<( <a:s> <a:p>" * 101 + b" <a:o>" + b" )>>" * 101 + b" .\n",
        r"deep\.nt:101: more than 100 triple terms",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_leave_everything_as_it_was(name: str, tmp_path: Path) -> None:
    damaged, message = FAULTS[name]
    (tmp_path / "good.nt").write_text(text(30))
    (tmp_path / name).write_bytes(damaged(text().encode()))
    base = KnowledgeBase("none")
    before = len(base.dictionary)
    with pytest.raises(LoadError, match=message) as caught:
        base.bulk_load(tmp_path / "good.nt", tmp_path / name)
    assert "\n" not in str(caught.value)
    assert len(base.dictionary) == before
    assert not len(base.all())


def test_an_interrupted_load_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "data.nt").write_text(text(1000))
    base = KnowledgeBase("none")
    before = len(base.dictionary)
    running = threading.active_count()

    def interrupt(_: str, count: int) -> None:
        if count > 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        base.bulk_load(tmp_path / "data.nt", progress=interrupt)
    assert threading.active_count() == running
    assert len(base.dictionary) == before
    assert not len(base.all())
    assert base.bulk_load(tmp_path / "data.nt").triples == 1000


def test_progress_counts_up(tmp_path: Path) -> None:
    (tmp_path / "data.nt").write_text(text(100))
    seen: list[tuple[str, int]] = []
    KnowledgeBase("none").bulk_load(tmp_path / "data.nt", progress=lambda *report: seen.append(report))
    counts = [count for _, count in seen]
    assert counts == sorted(set(counts))
    assert counts[-1] == 100
    assert len(counts) > 10


def test_into_another_graph(tmp_path: Path) -> None:
    (tmp_path / "data.nt").write_text(text(10))
    base = KnowledgeBase("none")
    graph = base.dictionary.encode_key("http://e/g")
    base.bulk_load(tmp_path / "data.nt", graph=graph)
    assert base.graphs() == [graph]


def test_work_comes_back_in_order_and_stops_at_an_error() -> None:
    taken: list[int] = []

    def given() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    def work(number: int) -> int:
        if number == 20:
            raise ValueError("twenty")
        return number * 2

    found: list[int] = []
    results = blocks.each_in_threads(work, given(), 3)
    with pytest.raises(ValueError, match="twenty"):
        found.extend(results)
    assert found == [number * 2 for number in range(20)]
    assert len(taken) < 30


def test_limit_of_the_caller_stops_work_in_threads() -> None:
    rounds: list[int] = []

    def work(number: int) -> None:
        for each in passes(range(100_000), 1):
            rounds.append(each)
            time.sleep(0.001)

    def check(_: int) -> None:
        if rounds:
            raise TimeoutError("over")

    begin = time.monotonic()
    with heeding(check), pytest.raises(TimeoutError, match="over"):
        list(blocks.each_in_threads(work, range(8), 2))

    assert time.monotonic() - begin < 20
    ended = len(rounds)
    time.sleep(0.05)
    assert len(rounds) == ended


def test_thread_that_ends_without_a_result_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Future, "set_result", lost)
    monkeypatch.setattr(Future, "set_exception", lost)

    with pytest.raises(MemoryError, match="thread"):
        list(blocks.each_in_threads(str, range(8), 2))


@pytest.mark.parametrize("line", ["# comment", "", 'VERSION "1.2"'])
def test_lines_without_triples_are_read_with_checkpoints(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_tuning, "SINGLE_LINES", 100)
    looks: list[int] = []

    with heeding(looks.append):
        found = ntriples_blocks.read_block(f"{line}\n".encode() * 2000, ntriples_blocks.Reading(False, "", False))

    assert len(found.part) == 0
    assert len(looks) >= 20 or not line


def test_blocks_are_whole_lines() -> None:
    class Drops:
        """A stream that gives less than it is asked for."""

        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int = -1, /) -> bytes:
            given, self.data = self.data[:3], self.data[3:]
            return given

    data = b"a\nbcdefgh\n\nij"
    found = list(blocks.blocks_of(Drops(data)))
    assert b"".join(found) == data
    assert all(block.endswith(b"\n") for block in found[:-1])
