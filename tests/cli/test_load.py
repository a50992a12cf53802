"""``kgreason load``, encoded triples as input of the other commands, and malformed lines that are skipped."""

from __future__ import annotations

import bz2
import errno
import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgreason.cli.app import app
from kgreason.io.encoded import encoded_writer as writing
from tests.cli.command_runs import DATA, SCHEMA, TOM_IS_AN_ANIMAL, refuse, run, succeed
from tests.directories_of_jobs import DIRECTORIES, table

LINES = "<http://example.org/a> <http://example.org/p> <http://example.org/b> .\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A schema and data, in two files."""
    (tmp_path / "schema.ttl").write_text(SCHEMA)
    (tmp_path / "data.ttl").write_text(DATA)
    return [str(tmp_path / "schema.ttl"), str(tmp_path / "data.ttl")]


def test_no_more_than_the_budget(tmp_path: Path) -> None:
    (tmp_path / "data.ttl").write_text("<a:a> <a:n> 1 .")
    rule = "@prefix a: <a:> . a:n(?x, ?n) :- a:n(?x, ?m), ?n = ?m + 1 ."
    arguments = [str(tmp_path / "data.ttl"), "-o", str(tmp_path / "out"), "--rules", rule, "--max-facts", "20"]
    refuse(1, "the budget of 20 facts", "load", *arguments)
    assert not (tmp_path / "out").exists()


def test_load_and_read_again(files: list[str], tmp_path: Path) -> None:
    target = str(tmp_path / "encoded")
    printed = succeed("load", *files, "-o", target)
    assert "4 triples from 2 files" in printed
    assert f"{target}: 4 different triples" in printed
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    plain = sorted(succeed("materialise", *files, "--rules", "rdfs").splitlines())
    assert sorted(succeed("materialise", target, "--rules", "rdfs").splitlines()) == plain
    assert TOM_IS_AN_ANIMAL in plain
    ask = ("query", "-q", "ASK { ?x a <http://example.org/Animal> }")
    assert succeed(*ask, target) == succeed(*ask, *files) == "true\n"
    for command in ("stats", "check"):
        assert succeed(command, target)


def test_a_store_on_disk_is_loaded(files: list[str], tmp_path: Path) -> None:
    store, plain, closed = (str(tmp_path / name) for name in ("store", "plain", "closed"))
    succeed("add", store, *files)
    assert "4 different triples" in succeed("load", store, "-o", plain)
    succeed("load", store, "-o", closed, "--rules", "rdfs")
    assert TOM_IS_AN_ANIMAL not in succeed("materialise", plain, "--rules", "none").splitlines()
    assert TOM_IS_AN_ANIMAL in succeed("materialise", closed, "--rules", "none").splitlines()


def test_load_under_rules(files: list[str], tmp_path: Path) -> None:
    target = str(tmp_path / "encoded")
    succeed("load", *files, "-o", target, "--rules", "rdfs")
    assert TOM_IS_AN_ANIMAL in succeed("materialise", target, "--rules", "none").splitlines()


def test_load_from_stdin(tmp_path: Path) -> None:
    printed = succeed("load", "-", "-f", "nt", "-o", str(tmp_path / "encoded"), stdin=LINES * 3)
    assert "3 triples from 1 file" in printed
    assert "1 different triple, 3 terms" in printed


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress], ids=["none", "gzip", "bzip2"])
@pytest.mark.parametrize("content", [DATA, LINES], ids=["turtle", "ntriples"])
def test_stdin_tells_its_format_and_compression(content: str, compress: Callable[[bytes], bytes]) -> None:
    plain = succeed("materialise", "-", "--rules", "none", stdin=content)
    assert plain.count("\n") == (2 if content == DATA else 1)
    result = CliRunner().invoke(app, ["materialise", "-", "--rules", "none"], input=compress(content.encode()))
    assert result.stdout == plain


def test_archives_and_urls_of_files_are_arguments(files: list[str], tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file in files:
            archive.write(file, Path(file).name)
    expected = sorted(succeed("materialise", *files).splitlines())
    assert sorted(succeed("materialise", str(tmp_path / "all.zip")).splitlines()) == expected
    assert sorted(succeed("materialise", *(Path(file).as_uri() for file in files)).splitlines()) == expected
    refuse(1, "none.ttl: no such file", "materialise", (tmp_path / "none.ttl").as_uri())


def test_targets_that_are_refused(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    refuse(2, "there is something in it", "load", *files, "-o", str(tmp_path / "full"))
    refuse(2, "is a file", "load", *files, "-o", files[0])
    refuse(2, "parent directory does not exist", "load", *files, "-o", str(tmp_path / "no" / "where"))
    succeed("load", *files, "-o", str(tmp_path / "new"))
    refuse(2, "there is something in it", "load", *files, "-o", str(tmp_path / "new"))


def test_a_full_disk_leaves_nothing(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing.pq, "ParquetWriter", full)
    before = set(tmp_path.iterdir())
    refuse(1, "No space left on device", "load", *files, "-o", str(tmp_path / "encoded"))
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        ("materialise", "--rules", "none"),
        ("query", "-q", "ASK {}"),
        ("stats",),
        ("check",),
        ("explain", "-t", LINES),
    ],
)
def test_lenient_commands_skip_malformed_lines_and_count_them(command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    file.write_text(LINES + "oops\n" + LINES)
    refuse(1, "data.nt:2:", *command, str(file))
    result = run(*command, str(file), "--lenient")
    assert result.exit_code == 0
    assert result.stderr == f"kgreason: {file}: 1 malformed line skipped\n"


def test_lenient_load_reports_it(tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    file.write_text(LINES + "oops\n")
    printed = succeed("load", str(file), "--lenient", "-o", str(tmp_path / "encoded"))
    assert "1 triple from 1 file, 1 malformed line skipped" in printed
    assert f"{file}: 1 line skipped" in printed


def test_lenient_load_lists_documents_that_were_left_out(tmp_path: Path) -> None:
    (tmp_path / "good.ttl").write_text("<a:s> <a:p> <a:o> .")
    (tmp_path / "bad.ttl").write_text("<a:s> <a:p> <a:lost> .\n<a:s> oops")
    printed = succeed("load", str(tmp_path), "--lenient", "-o", str(tmp_path / "encoded"))
    assert "1 triple from 2 files, 1 malformed file skipped" in printed
    assert f"{tmp_path / 'bad.ttl'}:2:" in printed
    assert "1 different triple" in printed


def test_load_what_spark_left(tmp_path: Path) -> None:
    directory = DIRECTORIES["text of Spark in gzip, with checksums"].write(tmp_path / "out")
    encoded = tmp_path / "encoded"

    assert "80 different triples" in succeed("load", str(directory), "-o", str(encoded))
    (directory / "_SUCCESS").unlink()
    refuse(1, "--unfinished", "load", str(directory), "-o", str(tmp_path / "more"))
    assert "80 different triples" in succeed("load", str(directory), "-o", str(tmp_path / "more"), "--unfinished")


def test_load_columns_of_parquet(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(table({"from": ["a:s"], "how": ["a:p"], "to": ['"x"@en']}))
    columns = ["--columns", "from,how,to", "--terms", "plain"]

    assert "1 different triple" in succeed("load", str(tmp_path), "-o", str(tmp_path / "encoded"), *columns)
    refuse(2, "three or four names", "load", str(tmp_path), "-o", str(tmp_path / "x"), "--columns", "from,to")
