"""The installed command as a process of its own: pipes, terminals, signals, a full disk, what it imports."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from kgreason.cli import main

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from kgreason.cli import main; main()"]
TRIPLES = "".join(f"<a:{n}> <a:p> <a:{n + 1}> .\n" for n in range(30_000))


@pytest.fixture
def chain(tmp_path: Path) -> str:
    """A file of some triples."""
    path = tmp_path / "chain.nt"
    path.write_text(TRIPLES)
    return str(path)


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command and wait for it."""
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=120)


def test_through_pipes() -> None:
    finished = run("materialise", "-", "-f", "nt", "--rules", "none", stdin="<a:a> <a:b> <a:c> .\n")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "<a:a> <a:b> <a:c> .\n", "")


def test_error_is_one_line() -> None:
    finished = run("check", "/no/such/file.ttl")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == "kgreason: /no/such/file.ttl: no such file or directory\n"


def test_disk_that_takes_no_more(chain: str, tmp_path: Path) -> None:
    target = tmp_path / "out.nt"
    target.write_text("precious")
    arguments = ["materialise", chain, "--rules", "none", "-o", str(target)]
    command = ["sh", "-c", 'ulimit -f 100; exec "$@"', "sh", *COMMAND, *arguments]
    finished = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (finished.returncode, finished.stderr) == (1, f"kgreason: {target}: cannot be written: File too large\n")
    assert target.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chain.nt", "out.nt"]


def test_no_stdout(chain: str) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "materialise", chain, "--rules", "none"]
    finished = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (finished.returncode, finished.stderr) == (2, "kgreason: there is no stdout to write to\n")


@pytest.mark.parametrize(
    "arguments", [["stats"], ["query", "-q", "SELECT * {?s ?p ?o}"], ["diff", "--rules", "none", "-"]]
)
def test_answers_are_refused_where_there_is_no_stdout(arguments: list[str], chain: str) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, *arguments, chain]
    finished = subprocess.run(command, stderr=subprocess.PIPE, input="<a:a> <a:b> <a:c> .", text=True, timeout=120)
    assert (finished.returncode, finished.stderr) == (2, "kgreason: there is no stdout to write to\n")


def test_errors_do_not_go_to_stdout_where_there_is_no_stderr() -> None:
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND, "check", "/no/such/file.ttl"]
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=120)
    assert (finished.returncode, finished.stdout) == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--help"], "No space left on device"),
        (["materialise", "--help"], "No space left on device"),
        (["materialise", "-f", "nt", "-"], "stdout: cannot be written: No space left on device"),
        (["materialise", "-f", "nt", "-", "-o", "/dev/full", "--output-format", "nt"],
         "/dev/full: cannot be written: No space left on device"),
    ],
)  # fmt: skip
def test_full_device_is_one_line(arguments: list[str], error: str) -> None:
    with open("/dev/full", "w") as full:
        finished = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, input=TRIPLES, text=True, timeout=120
        )
    assert (finished.returncode, finished.stderr) == (1, f"kgreason: {error}\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_reader_that_leaves(chain: str, unbuffered: str) -> None:
    command = [*COMMAND, "materialise", chain, "--rules", "none"]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=120) == 141


def _heed_interrupts() -> None:
    """What a shell starts in the background ignores them, and so would the command."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("number", "reason", "code"), [(signal.SIGINT, "interrupted", 130), (signal.SIGTERM, "terminated", 143)]
)
def test_signal_ends_a_command(number: signal.Signals, reason: str, code: int, tmp_path: Path) -> None:
    source = tmp_path / "slow.nt"
    os.mkfifo(source)
    arguments = ["materialise", str(source), "--rules", "none", "-o", str(tmp_path / "out.nt")]
    with subprocess.Popen(
        [*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, preexec_fn=_heed_interrupts
    ) as process:
        # Opening the pipe succeeds once the command reads from it; a moment later it waits for more, and the signal
        # cannot come in the middle of something that takes no notice of it. What follows wakes a reader that was
        # about to wait: Python looks up only then.
        with suppress(BrokenPipeError), source.open("w") as feed:
            time.sleep(0.5)
            process.send_signal(number)
            feed.write(TRIPLES)
        assert process.stderr is not None
        assert process.stderr.read() == f"kgreason: {reason}\n"
        assert process.wait(timeout=60) == code
    assert list(tmp_path.glob("*out.nt*")) == []


def test_progress_on_a_terminal_only(chain: str, tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    arguments = ["materialise", chain, "--rules", "none", "-o", str(tmp_path / "out.nt")]
    with subprocess.Popen(
        [*COMMAND, *arguments], stderr=follower, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        assert process.wait(timeout=120) == 0
    os.close(leader)
    assert b"reading" in shown
    assert b"30,000 explicit and 0 inferred triples" in shown
    assert run(*arguments).stderr == ""


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""


def test_help_imports_nothing_heavy() -> None:
    code = """
import sys
from kgreason.cli import main
try:
    main()
except SystemExit:
    print(sorted({"numpy", "rdflib", "scipy", "pyarrow", "pyoxigraph", "lark", "pyspark"} & sys.modules.keys()))
"""
    finished = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, timeout=60
    )
    assert finished.stdout.splitlines()[-1] == "[]"


def test_interruption_before_a_command_begins_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kgreason.cli.app.app", interrupted)

    with pytest.raises(SystemExit) as end:
        main()

    assert end.value.code == 130
    assert capsys.readouterr().err == "kgreason: interrupted\n"
