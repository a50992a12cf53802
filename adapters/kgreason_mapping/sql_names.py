"""Names of tables and columns as SQL writes them."""

from __future__ import annotations

from collections.abc import Sequence


def unquoted(identifier: str) -> str:
    """The name that an SQL identifier stands for."""
    for mark in '"`':
        if len(identifier) > 1 and identifier[0] == identifier[-1] == mark:
            return identifier[1:-1].replace(mark * 2, mark)
    return identifier


def column_named(reference: str, names: Sequence[str]) -> str | None:
    """The column of an answer that a reference means: that of the name, or in any case of letters without quotes."""
    name = unquoted(reference)
    if name in names:
        return name
    alike = [one for one in names if one.lower() == reference.lower()]
    return alike[0] if len(alike) == 1 else None
