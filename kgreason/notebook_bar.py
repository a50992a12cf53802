"""A progress bar in notebooks: below the cell that runs, while it takes long, and gone when it is done.

It hears what `kgreason.progress` says, as the bar of the command line does. It is there where IPython runs with a
kernel, as in Jupyter, VS Code and Colab; elsewhere `notebook_bar` costs a microsecond and shows nothing. It needs no
other package than the notebook's own, and no widgets: what it shows is HTML that is replaced.

The environment variable ``KGREASON_PROGRESS=off`` switches it off, in a notebook by ``%env KGREASON_PROGRESS=off``. A
listener of one's own (`kgreason.progress.reporting`) takes its place.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kgreason import progress

if TYPE_CHECKING:
    from kgreason.progress import Advance

Item = TypeVar("Item")

SWITCH: Final = "KGREASON_PROGRESS"
PATIENCE = 0.5
"""Seconds before there is a bar: what is done sooner shows none."""
INTERVAL = 0.25
"""Seconds between two pictures: each is a message to the browser."""


@contextmanager
def notebook_bar(task: str) -> Iterator[None]:
    """Show the progress of the body in a notebook, at first under the name of a task; nothing anywhere else, in other
    threads than the main one, and within the body of another bar or listener."""
    if "IPython" not in sys.modules or not _has_notebook() or progress.is_reporting():
        yield
        return
    bar = _Bar()
    with progress.reporting(bar.show):
        progress.begin(task)
        try:
            yield
        finally:
            bar.close()


def shown(task: str, items: Iterator[Item]) -> Iterator[Item]:
    """The items of a lazy iterator, each made below a bar, which is gone between them."""
    while True:
        with notebook_bar(task):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


def _has_notebook() -> bool:
    """Whether a cell of a notebook runs here, and a bar is wanted."""
    shell = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    return (
        getattr(shell, "kernel", None) is not None
        and os.environ.get(SWITCH, "").lower() not in ("off", "0", "no", "false")
        and threading.current_thread() is threading.main_thread()
    )


class _Picture:
    """What the notebook shows: HTML, and a text for those that show none."""

    def __init__(self, html: str, text: str) -> None:
        self._html, self._text = html, text

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return self._text


class _Bar:
    """A display that is replaced, at most some times a second. A display that fails stops no work: it is left alone."""

    def __init__(self) -> None:
        self._begin = monotonic()
        self._next = self._begin + PATIENCE
        self._display: Any = None
        self._works = True

    def show(self, found: Advance) -> None:
        """Show a phase with its share and the time so far, when it is time."""
        now = monotonic()
        if self._works and now >= self._next:
            self._next = now + INTERVAL
            self._put(_picture(found, now - self._begin))

    def close(self) -> None:
        """Take the bar away."""
        if self._works and self._display is not None:
            self._put(_Picture("", ""))

    def _put(self, picture: _Picture) -> None:
        from IPython.display import display

        try:
            if self._display is None:
                self._display = display(picture, display_id=True)
            else:
                self._display.update(picture)
        except Exception:  # a front end may raise anything, and the work goes on without a bar
            self._works = False


def _picture(found: Advance, seconds: float) -> _Picture:
    from kgreason.html_fragments import cell, text  # notebooks alone need it

    share = "" if found.share is None else f' value="{found.share:.3f}"'
    percent = "" if found.share is None else f" {found.share:.0%}"
    passed = f"{seconds:.0f} s"
    html = f'<progress max="1"{share}></progress> {text(found.text)}{percent} <span class="faint">{passed}</span>'
    return _Picture(cell([html]), f"{found.text}{percent} {passed}")
