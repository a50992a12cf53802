"""Files into a knowledge base, with a progress bar where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kgreason.cli.reporting import UsageError

if TYPE_CHECKING:
    from kgreason.knowledge.base import KnowledgeBase

STDIN = "-"


def load(files: Sequence[str], rules: Sequence[str], input_format: str | None) -> KnowledgeBase:
    """A knowledge base with the files in it and everything maintained.

    Raises:
        UsageError, RuleError: files that do not exist, stdin without a format, rules that cannot be used.
        LoadError, TermError, ListError: what is in the files cannot be used.
    """
    check_files(files, input_format)
    from kgreason.knowledge.base import KnowledgeBase
    from kgreason.knowledge.loading import read_files

    knowledge = KnowledgeBase(list(rules))
    with progress_bar("loading") as report:
        quads = read_files(files, knowledge.dictionary, format=input_format, progress=report)
    with progress_bar("reasoning"):
        knowledge.add_quads(quads)
        knowledge.flush()
    return knowledge


def check_files(files: Sequence[str], input_format: str | None) -> None:
    """Refuse what is wrong with the command line before anything long begins."""
    for file in files:
        if file != STDIN and not Path(file).exists():
            raise UsageError(f"{file}: no such file or directory")
    if STDIN in files and input_format is None:
        raise UsageError("reading stdin needs --input-format")
    if files.count(STDIN) > 1:
        raise UsageError("stdin can be read once only")


@contextmanager
def progress_bar(task: str) -> Iterator[Callable[[str, int], None] | None]:
    """A moving line on stderr while the body runs, with what is reported; nothing unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        line = progress.add_task(task)
        yield lambda source, count: progress.update(line, description=f"{task} {source}: {count:,}")
