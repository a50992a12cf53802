"""Compiling the tests once for several processes of pytest-xdist.

Each process collects all tests, in the same order. In a fresh clone each would compile every module, and rewrite its
assertions, at the same time as the others: half of the time that collecting takes. So each imports a share of the test
modules first, and finds the others compiled.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

_ROOT: Final = Path(__file__).parents[1]


def import_share(arguments: Iterable[str], ignored: Sequence[Path], worker: int, workers: int) -> None:
    """Import the test modules of a process in the folders of a run, where they can be imported."""
    for folder in map(Path, arguments):
        for path in sorted(folder.absolute().rglob("test_*.py"))[worker::workers]:
            if not any(map(path.is_relative_to, ignored)):
                # pytest imports the module again and reports its error or skip; `skip` is not an Exception.
                with contextlib.suppress(Exception, pytest.skip.Exception):
                    import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))
