"""JSON texts that may come from anywhere: to plain values of the shape that is expected, or one LoadError."""

from __future__ import annotations

import json
from typing import Any, Final

from kgreason.errors import DamageError, one_line

_NAMES: Final[dict[type, str]] = {
    **{dict: "an object", list: "a list", str: "a text", int: "a number"},
    **{type(None): "nothing", bool: "a flag"},
}


def parse_document(text: str | bytes, what: str) -> Any:
    """The value of a JSON text; LoadError, which names `what`, for another text, or one that is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise DamageError("nested too deep", part=what) from None
    except ValueError as error:
        raise DamageError(f"no JSON: {one_line(error)}", part=what) from None


def expect(value: Any, kind: type, what: str) -> Any:
    """The value, if it is of that very type (a flag is not a number); LoadError, which names `what`, otherwise."""
    if type(value) is not kind:
        found = _NAMES.get(type(value), type(value).__name__)
        raise DamageError(f"{found}", part=what, expected=_NAMES.get(kind, kind.__name__))
    return value


def expect_number(value: Any, what: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    """The value, if it is a whole number in a range, both ends included; LoadError otherwise."""
    number: int = expect(value, int, what)
    if not least <= number <= most:
        raise DamageError(f"{number}", part=what, expected=f"{least} to {most}")
    return number


def texts_by_name(text: str, what: str) -> dict[str, str]:
    """A JSON object of texts; LoadError otherwise."""
    found: dict[str, str] = expect(parse_document(text, what), dict, what)
    for name, value in found.items():
        expect(value, str, f"{what}: {name!r}")
    return found
