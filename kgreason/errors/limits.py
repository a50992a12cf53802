"""What a limit of time, memory or rows may be."""

from __future__ import annotations

from kgreason.errors.hierarchy import OptionError


def check_limit(limit: object, option: str, shown: str, expected: str = "0 or more") -> None:
    """Raise OptionError, with what is shown of it, for a limit that is negative, or not a number."""
    if not (isinstance(limit, int | float) and limit >= 0):
        raise OptionError(shown, option, limit, expected=expected)


def check_optional_limit(limit: object, option: str, shown: str) -> None:
    """The same for one that may be None, for no limit."""
    if limit is not None:
        check_limit(limit, option, shown, "0 or more, or None for no limit")
