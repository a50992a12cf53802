"""Something that stops a program at any moment: Ctrl-C, or memory that is used up."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Any

import kgreason
import kgreason_rdflib

_HOMES = tuple(str(Path(package.__file__).parent) for package in (kgreason, kgreason_rdflib) if package.__file__)


class Interruption:
    """Counts the moments between calls in code of ours, and raises an error at one of them."""

    def __init__(self, error: type[BaseException], moment: int | None = None) -> None:
        """`moment` is the number of the moment, from 0; without it, moments are only counted."""
        self.moments = 0
        self._error = error
        self._moment = moment

    @contextmanager
    def while_running(self) -> Iterator[None]:
        """Be on the watch while the body runs."""
        # What the collector runs, and when, is nobody's call.
        gc.disable()
        sys.setprofile(self._at)
        try:
            yield
        finally:
            sys.setprofile(None)
            gc.enable()

    def _at(self, frame: FrameType, event: str, argument: Any) -> None:
        # What is raised in a generator that nobody needs any more is heard by nobody.
        if frame.f_code.co_filename.startswith(_HOMES) and not frame.f_code.co_flags & CO_GENERATOR:
            self.moments += 1
            if self.moments - 1 == self._moment:
                sys.setprofile(None)
                raise self._error
