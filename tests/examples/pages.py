"""Pages of the documentation, run as a reader runs them: from top to bottom, in an empty folder.

* A block with a title is a file: ```` ```turtle title="animals.ttl" ````.
* A `python` block continues the one before it.
* A `console` block has commands after `$`, each followed by what it prints.
* An `output` block is what the Python block before it prints.

Where `...` stands, anything may be printed. A port that the page starts a server at (`--port 8098`) becomes a free one
of this machine in all of its blocks. Processes that its commands leave in the background end with the page.

A command of `kgreason` with nothing of a shell about it runs in this process, any other in a shell: processes are what
`tests/cli/test_process.py` is about, and starting Python for each command takes longer than the commands.
"""

from __future__ import annotations

import codeop
import contextlib
import io
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import Final

from sybil import Document, Example
from sybil.parsers.abstract.codeblock import AbstractCodeBlockParser
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer
from typer.testing import CliRunner

from kgreason.cli.app import app

SPARK: Final = "$ kgreason spark"
"""What a page that starts Spark has."""

_FENCE: Final = re.compile(r"[ {.]*(?P<language>[\w-]+)(?P<options>[^\n]*)\n")
_TITLE: Final = re.compile(r'title="([^"]+)"')
_OF_A_SHELL: Final = re.compile(r"[|&;<>$`*?~#!{}()\[\]]")
_QUOTED: Final = re.compile(r"'[^']*'")
_ERRORS_TO: Final = re.compile(r" 2> ([\w.]+)$")
_TERMINAL: Final = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
_PORT: Final = re.compile(r"--port (\d+)")
_LEFT_RUNNING: Final = "processes that the page left running"
_SECONDS: Final = 600


class Blocks(AbstractCodeBlockParser):
    """The blocks of a page that do something, with free ports in the place of those that the page has."""

    language = "any"

    def __init__(self, ports: dict[str, str]) -> None:
        super().__init__([RawFencedCodeBlockLexer(_FENCE)])
        self._ports = ports

    def __call__(self, document: Document):
        for region in self.lexers(document):
            title = _TITLE.search(region.lexemes["options"])
            evaluate = _write if title else _EVALUATORS.get(region.lexemes["language"])
            if evaluate is not None:
                text = str(region.lexemes["source"])
                for port, free in self._ports.items():
                    text = re.sub(rf"\b{port}\b", free, text)
                region.parsed = (title[1] if title else None, text)
                region.evaluator = evaluate
                yield region


def run(page: Path) -> int:
    """Run a page in the current folder; how many blocks it has that do something.

    Raises:
        AssertionError: something else was printed than the page says.
    """
    ports = set(_PORT.findall(page.read_text(encoding="utf-8")))
    document = Document.parse(str(page), Blocks({port: _free_port() for port in ports}))
    left_running = document.namespace.setdefault(_LEFT_RUNNING, [])
    examples = list(document.examples())
    try:
        for example in examples:
            example.evaluate()
    finally:
        _end(left_running)
    return len(examples)


def faults_at_a_prompt(text: str) -> list[str]:
    """Lines of a page at which Python's prompt refuses what was pasted, the first of each block."""
    found = []
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        entered: list[str] = []
        begin = text.count("\n", 0, block.start(1)) + 1
        for number, line in enumerate([*block[1].splitlines(), ""], begin):
            entered.append(line)
            try:
                if codeop.compile_command("\n".join(entered), symbol="single") is not None:
                    entered = []
            except SyntaxError:
                found.append(f"line {number}: {line}")
                break
    return found


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def _end(groups: Iterable[int]) -> None:
    """End what is left of groups of processes."""
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGTERM)


def _write(example: Example) -> None:
    name, text = example.parsed
    path = Path(name)
    assert not path.is_absolute()
    assert ".." not in path.parts
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run_python(example: Example) -> None:
    _, source = example.parsed
    line = example.line + example.region.lexemes["source"].line_offset
    printed = io.StringIO()
    example.namespace.setdefault("__name__", "__page__")
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + source, example.path, "exec"), example.namespace)
    example.namespace["printed by the page"] = printed.getvalue()


def _compare_output(example: Example) -> None:
    _, expected = example.parsed
    _compare(example, expected, example.namespace["printed by the page"])


def _run_commands(example: Example) -> None:
    _, text = example.parsed
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not commands[0].strip(), f"{example.path}:{example.line}: output before the first command"
    for each in commands[1:]:
        command, _, expected = each.replace("\\\n", "").partition("\n")
        _compare(example, expected, _printed(command, example.namespace[_LEFT_RUNNING]))


def _printed(command: str, left_running: list[int]) -> str:
    return _printed_here(command) if _is_of_ours(command) else _printed_in_a_shell(command, left_running)


def _is_of_ours(command: str) -> bool:
    plain = _QUOTED.sub("", _ERRORS_TO.sub("", command))
    return plain.startswith("kgreason ") and not _OF_A_SHELL.search(plain)


def _printed_here(command: str) -> str:
    """What a command of kgreason prints in this process, on stdout and stderr, but for what goes to a file."""
    errors = _ERRORS_TO.search(command)
    _, *arguments = shlex.split(_ERRORS_TO.sub("", command))
    if arguments[0] == "spark":  # Java stays in the folder where it began
        arguments = [str(Path(each).absolute()) if re.search(r"^\w.*[./]", each) else each for each in arguments]
    done = CliRunner().invoke(app, arguments, prog_name="kgreason", env=_TERMINAL)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if errors is None:
        return done.stderr + done.stdout  # as in a pipe: stdout is buffered until the process ends
    Path(errors[1]).write_text(done.stderr, encoding="utf-8")
    return done.stdout


def _printed_in_a_shell(command: str, left_running: list[int]) -> str:
    """What a command prints. A shell is the leader of a group of processes, which may outlive it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with subprocess.Popen(
        command, shell=True, text=True, env={**os.environ, "PATH": path, **_TERMINAL}, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as shell:  # fmt: skip
        try:
            printed, _ = shell.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            _end([shell.pid])
            raise
    with contextlib.suppress(ProcessLookupError):  # none is left
        os.killpg(shell.pid, 0)
        left_running.append(shell.pid)
    return printed


def _compare(example: Example, expected: str, printed: str) -> None:
    if not OutputChecker().check_output(expected, printed, ELLIPSIS | NORMALIZE_WHITESPACE):
        raise AssertionError(f"{example.path}:{example.line}: the page says\n{expected}\nand it prints\n{printed}")


_EVALUATORS: Final = {"python": _run_python, "console": _run_commands, "output": _compare_output}
