"""How long a text may become that functions make: a query or a rule from a stranger must not fill the memory."""

from __future__ import annotations

from typing import Final

from kgreason.errors import QueryLimitError

LONGEST: Final = 1 << 26
"""So many characters at most; texts that are loaded may be longer."""


def check_length(characters: int) -> None:
    """Refuse a text that would be too long; QueryLimitError, before it is made."""
    if characters > LONGEST:
        raise QueryLimitError(
            f"a function makes a text of {characters:,} characters, more than {LONGEST:,}", "characters", LONGEST
        )
