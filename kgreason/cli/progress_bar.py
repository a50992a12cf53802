"""Progress on a terminal: what is done, how much of it is, and for how long; nothing of the kind in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kgreason import progress
from kgreason.plurals import counted

if TYPE_CHECKING:
    from kgreason.progress import Advance

_WIDTH = 24


@contextmanager
def progress_bar(task: str) -> Iterator[Callable[[str, int], None] | None]:
    """A line at the bottom of the terminal, if stderr is one, while the body runs: first the task, then each phase that
    the body reports, with a bar where the share is known. What is given takes the name of a source and how many triples
    were read of it, None without a terminal.

    Within another one only the text changes.
    """
    if not sys.stderr.isatty():
        yield None
        return
    if progress.is_reporting():
        progress.begin(task)
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(_WIDTH),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        line = _Line(shown, shown.add_task(task, total=None), escape)
        with progress.reporting(line.show):
            yield line.count


class _Line:
    """The line of a progress bar."""

    def __init__(self, shown: Any, task: Any, escape: Callable[[str], str]) -> None:
        self._shown, self._task, self._escape = shown, task, escape
        self._text = self._description = ""

    def show(self, found: Advance) -> None:
        """Show a phase and its share."""
        self._shown.tasks[0].total = found.total  # `update` takes None for no change
        text = self._escape(found.text)
        if text != self._text:
            self._text = self._description = text
        self._shown.update(self._task, description=self._description, completed=found.done)

    def count(self, source: str, triples: int) -> None:
        """Show how many triples were read of a source; those who report no phases show its name, too."""
        text = self._text or self._escape(source)
        self._description = f"{text}, {counted(triples, 'triple')}"
        self._shown.update(self._task, description=self._description)
