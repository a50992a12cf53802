"""Starts Java without the lines that it always writes to stderr; all other lines are passed on."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_STDERR: Final = 2
_ALWAYS: Final = b"WARNING: Using incubator modules: jdk.incubator.vector"


@contextmanager
def quiet_java() -> Iterator[None]:
    """Processes that the body starts write to stderr through a pipe, as long as they live."""
    source, sink = os.pipe()
    stderr = os.dup(_STDERR)
    os.dup2(sink, _STDERR)
    os.close(sink)
    threading.Thread(target=_pass_on, args=(source, os.dup(stderr)), daemon=True).start()
    try:
        yield
    finally:
        os.dup2(stderr, _STDERR)
        os.close(stderr)


def _pass_on(source: int, target: int) -> None:
    with open(source, "rb") as lines, open(target, "wb", buffering=0) as stderr:
        for line in lines:
            if line.strip() != _ALWAYS:
                stderr.write(line)
