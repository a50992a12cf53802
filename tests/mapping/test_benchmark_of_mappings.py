"""How the comparison of mappings measures (`tests.benchmarks.mapping`): would catch processor time of workers that
nobody waits for, which is lost, and two sets of triples that are taken for the same."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from kgreason_mapping.arrow import Sources, map_to_directory
from kgreason_mapping.run_outputs import Outputs
from tests.benchmarks import mapping
from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.benchmarks.line_sets import digest
from tests.benchmarks.process_tree import used_by

SPINS = "import time\nwhile time.process_time() < 0.5: pass\nheld = bytearray(50_000_000)\ntime.sleep(0.5)"
LEAVES = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SPINS!r}], start_new_session=True)"


@pytest.mark.skipif(sys.platform != "linux", reason="processes take over orphans on Linux")
def test_processes_that_outlive_their_parent_count() -> None:
    used = used_by([sys.executable, "-c", LEAVES])

    assert 0.5 <= used.processor_seconds < 5
    assert used.megabytes > 50


def test_a_command_that_fails_ends_the_run() -> None:
    with pytest.raises(SystemExit, match="no such thing"):
        used_by([sys.executable, "-c", "raise ValueError('no such thing')"])


def test_the_same_triples_in_all_forms_are_the_same_set(tmp_path: Path) -> None:
    write_tables(tmp_path / "raw", 300)
    (tmp_path / "raw" / "mapping.ttl").write_text(mapping_text())
    forms = {"lines": Outputs(encoded=False, ntriples="gzip"), "encoded": Outputs(encoded=True)}
    for name, outputs in forms.items():
        (tmp_path / name).mkdir()
        sources = Sources(directory=str(tmp_path / "raw"))
        map_to_directory(tmp_path / "raw" / "mapping.ttl", tmp_path / name, sources, outputs=outputs)
    (part,) = (tmp_path / "lines").rglob("*.nt.gz")
    lines = gzip.decompress(part.read_bytes()).splitlines()
    variants = {"turned": [*lines[::-1], lines[0]], "less": lines[1:], "other": [b"<a:> <a:> <a:> .", *lines[1:]]}
    for name, some in variants.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.nt").write_bytes(b"".join(line.replace(b" .", b".") + b"\r\n" for line in some))

    found = {name: digest(tmp_path / name) for name in ("lines", "encoded", "turned", "less", "other")}

    assert found["lines"] == found["encoded"] == found["turned"]
    assert found["lines"].startswith(f"{len(set(lines))} ")
    assert len({*found.values()}) == 3


def test_a_contestant_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(mapping.MORPH, raising=False)
    monkeypatch.setattr(sys, "argv", ["mapping", "--rows", "100", "--only", "morph", "map, encoded"])

    assert mapping.main() == 0

    shown = capsys.readouterr().out
    assert f"left out: morph-kgc (plain): {mapping.MORPH} names no Python that has it" in shown
    assert "| kgreason map, encoded |" in shown
