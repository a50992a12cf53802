"""JSON texts that may come from anywhere: to plain values of the shape that is expected, or one LoadError."""

from __future__ import annotations

import json
from typing import Any, Final

from kgreason.errors import LoadError, one_line

_NAMES: Final[dict[type, str]] = {
    **{dict: "an object", list: "a list", str: "a text", int: "a number"},
    **{type(None): "nothing", bool: "a flag"},
}


def parse_document(text: str | bytes, what: str) -> Any:
    """What a JSON text says; LoadError, which names `what`, for what is no JSON or is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise LoadError(f"damaged: {what}: nested too deep") from None
    except ValueError as error:
        raise LoadError(f"damaged: {what}: no JSON: {one_line(error)}") from None


def expect(value: Any, kind: type, what: str) -> Any:
    """The value, if it is of that very type (a flag is no number); LoadError, which names `what`, otherwise."""
    if type(value) is not kind:
        found = _NAMES.get(type(value), type(value).__name__)
        raise LoadError(f"damaged: {what} is {found} ({_NAMES.get(kind, kind.__name__)} was expected)")
    return value


def expect_number(value: Any, what: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    """The value, if it is a whole number in a range, both ends included; LoadError otherwise."""
    number: int = expect(value, int, what)
    if not least <= number <= most:
        raise LoadError(f"damaged: {what} is {number} ({least} to {most} was expected)")
    return number


def texts_by_name(text: str, what: str) -> dict[str, str]:
    """A JSON object of texts; LoadError otherwise."""
    found: dict[str, str] = expect(parse_document(text, what), dict, what)
    for name, value in found.items():
        expect(value, str, f"{what}: {name!r}")
    return found
