"""``kgreason watch`` as a process: files that editors write, replace, break and delete, and Ctrl-C."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from kgreason.cli.file_watcher import FileWatcher
from tests.cli.command_runs import refuse

COMMAND = [sys.executable, "-c", "from kgreason.cli import main; main()"]
PREFIX = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
SCHEMA = PREFIX + ":Cat rdfs:subClassOf :Animal . :Animal owl:disjointWith :Stone .\n"
DATA = PREFIX + ":tom a :Cat ; :owner [ :name 'Ann' ] .\n"


class Output:
    """Lines of a stream, read by a thread."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line.rstrip("\n"))

    def until(self, wanted: str) -> list[str]:
        """The lines up to one that has a text."""
        found = []
        while True:
            found.append(self._lines.get(timeout=60))
            if wanted in found[-1]:
                return found


@contextmanager
def watching(*arguments: str) -> Iterator[tuple[Output, Output]]:
    """What a watch prints on stdout and stderr; it ends by Ctrl-C, with 0."""
    with subprocess.Popen(
        [*COMMAND, "watch", *arguments, "--interval", "0.03"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield Output(process.stdout), Output(process.stderr)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()


def replace(path: Path, text: str) -> None:
    """Write a file as editors do: another one takes its name."""
    other = path.with_name(f".{path.name}.swp~")
    other.write_text(text)
    os.replace(other, path)


@pytest.mark.slow
def test_changes_are_printed_as_they_come(tmp_path: Path) -> None:
    schema, data, rules = tmp_path / "schema.ttl", tmp_path / "data.ttl", tmp_path / "own.dl"
    schema.write_text(SCHEMA)
    data.write_text(DATA)
    rules.write_text("<http://example.org/pet>(?x, ?x) :- <http://example.org/owner>(?x, ?y) .")
    with watching(str(schema), str(data), "--rules", "owl-rl", "--rules", str(rules)) as (out, err):
        assert out.until("watching:") == ["watching: 5 explicit and 2 inferred triples"]

        replace(data, DATA + ":tim a :Cat .")
        empty, head, *lines = out.until("+ :tim a :Animal .")
        assert empty == ""
        assert head[8:] == f" {data}: explicit: 0 removed, 1 added; inferred: 0 removed, 1 added"
        assert lines == [
            "+ :tim a :Cat .",
            "@@ inferred @@",
            "+ :tim a :Animal .",
        ]

        data.write_text(DATA + ":tim a :Stone , :Ca")
        assert f"{data}:" in err.until("kgreason:")[-1]
        data.write_text(DATA + ":tim a :Cat , :Stone .")
        assert out.until("inconsistent")[-2:] == ["+ :tim a :Stone .", "+ inconsistent: cax-dw:"]

        replace(schema, SCHEMA.replace(":Animal owl:disjointWith :Stone .", ""))
        assert "- inconsistent: cax-dw:" in out.until("- inconsistent")

        rules.write_text("<http://example.org/own>(?x, ?x) :- <http://example.org/owner>(?x, ?y) .")
        assert "+ :tom :own :tom ." in out.until("@@ rules @@")

        data.unlink()
        assert err.until("gone")[-1] == f"kgreason: {data}: it is gone; its triples count until it is back"
        os.mkfifo(data)  # which nobody writes to
        rules.unlink()
        assert err.until("gone")[-1] == f"kgreason: {rules}: it is gone; its rules count until it is back"
        data.unlink()
        data.write_text(PREFIX)
        assert "- :tom a :Cat ." in out.until("- :tom a :Cat .")


@pytest.mark.slow
def test_json_and_directories(tmp_path: Path) -> None:
    (tmp_path / "schema.ttl").write_text(SCHEMA)
    with watching(str(tmp_path), "--json") as (out, _):
        assert json.loads(out.until("{")[-1]) == {"explicit": 2, "inferred": 0, "inconsistencies": 0}
        (tmp_path / "data.ttl").write_text(DATA)
        found = json.loads(out.until("{")[-1])
        assert found["files"] == [str(tmp_path / "data.ttl")]
        assert len(found["explicit"]["added"]) == 3
        assert [row["object"] for row in found["inferred"]["added"]] == ["<http://example.org/Animal>"]
        (tmp_path / "data.ttl").unlink()
        found = json.loads(out.until("{")[-1])
        assert (len(found["explicit"]["removed"]), len(found["inferred"]["removed"])) == (3, 1)


@pytest.mark.slow
def test_watched_files_may_import_each_other(tmp_path: Path) -> None:
    """None of them is missing then, nor read twice; what is imported from elsewhere counts, too."""
    one, other, folder = tmp_path / "one.ttl", tmp_path / "other.ttl", tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "third.ttl").write_text(PREFIX + "<http://example.org/third> a owl:Ontology . :Pet a owl:Class .")
    one.write_text(PREFIX + "<http://example.org/one> a owl:Ontology ; owl:imports <http://example.org/other> .")
    other.write_text(PREFIX + "<http://example.org/other> a owl:Ontology . :Cat rdfs:comment [ ] .")
    with watching(str(one), str(other), "--imports", str(folder), "--rules", "none") as (out, err):
        assert out.until("watching") == ["watching: 4 explicit and 0 inferred triples"]
        text = other.read_text() + "<http://example.org/other> owl:imports <http://example.org/third> ."
        replace(other, text)
        assert "explicit: 0 removed, 3 added" in out.until("explicit:")[-1]
        replace(other, text + "broken")
        assert str(other) in err.until("kgreason")[-1]


def test_what_does_not_change_cannot_be_watched(tmp_path: Path) -> None:
    refuse(2, "only files and directories can be watched", "watch", "-")
    refuse(2, "only files and directories can be watched", "watch", "http://example.org/data.ttl")
    refuse(2, "no such file", "watch", str(tmp_path / "nowhere.ttl"))
    os.mkfifo(tmp_path / "pipe.ttl")
    refuse(2, "only files and directories can be watched", "watch", str(tmp_path / "pipe.ttl"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.nt"
    path.write_text("one")
    return path


def test_a_file_counts_when_it_stays_the_same(file: Path) -> None:
    watcher = FileWatcher([str(file)])
    assert watcher.start() == (str(file),)
    assert watcher.changes().changed == ()
    file.write_text("half")
    assert watcher.changes().changed == ()
    file.write_text("written")
    assert watcher.changes().changed == ()
    assert watcher.changes().changed == (str(file),)
    assert watcher.changes().changed == ()
    os.utime(file, ns=(1, 1))
    watcher.changes()
    assert watcher.changes().changed == (str(file),)


def test_a_file_that_is_absent_for_a_moment_is_not_gone(file: Path) -> None:
    for watched in (str(file), str(file.parent)):
        watcher = FileWatcher([watched])
        watcher.start()
        file.unlink()
        assert not watcher.changes().gone
        file.write_text("new")
        assert not watcher.changes().missing
        assert watcher.changes().changed == (str(file),)
        file.unlink()
        watcher.changes()
        found = watcher.changes()
        assert (found.missing if watched == str(file) else found.gone) == (str(file),)
        assert watcher.changes() == type(found)((), (), ())
        file.write_text("again")
