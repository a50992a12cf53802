"""Whose line a warning is about."""

from __future__ import annotations

import sys
from typing import Final

_PACKAGES: Final = ("kgreason", "kgreason_rdflib", "kgreason_spark", "kgreason_oxigraph", "rdflib")


def level_of_caller() -> int:
    """How far up the stack, from the function that calls this one, the first line is that is not ours or rdflib's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES:
        level, frame = level + 1, frame.f_back
    return level
