"""How deeds end when a disk fails."""

from __future__ import annotations

from collections.abc import Callable

from kgreason.errors import KGReasonError


def outcome(deed: Callable[[], object]) -> KGReasonError | None:
    """The error that a deed ends with, None for none."""
    try:
        deed()
    except KGReasonError as error:
        return error
    return None
