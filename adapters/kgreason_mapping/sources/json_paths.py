"""JSONPath in mappings: names, indices and wildcards; what is beyond has no meaning for one row.

Sources: RFC 9535, and the JSONPath reference formulation of RML's I/O registry.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, TypeAlias

from kgreason.errors import MappingError


class Wildcard(Enum):
    """All members of an array or an object."""

    ALL = "*"


Step: TypeAlias = str | int | Wildcard

_SEGMENT: Final = re.compile(
    r"""\.?\[\s*(?:(?P<index>-?\d+)|(?P<all>\*)|'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)")\s*\]"""
    r"""|\.(?P<every>\*)|\.(?P<name>[^\s.\[\]'"*()?@,:]+)"""
)
_NAME: Final = re.compile(r"""[^\s.\[\]'"*()?@,:$]+(?: +[^\s.\[\]'"*()?@,:$]+)+""")
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MOST_DIGITS: Final = 9
_MOST_WILDCARDS: Final = 20
"""Spark finds no types for an expression of some 60 levels."""


def parse_steps(text: str) -> tuple[Step, ...]:
    """The steps of a path, which may leave out its ``$``, as users do: ``a.b``, or a name with spaces alone.

    Raises:
        MappingError: it is not a JSONPath, or one with filters, slices, descendants or very many wildcards.
    """
    if _NAME.fullmatch(text):
        return (text,)
    body = text[1:] if text[:1] in ("$", "@") else "." + text if text[:1] not in (".", "[") else text
    steps: list[Step] = []
    position = 0
    while position < len(body):
        segment = _SEGMENT.match(body, position)
        if segment is None:
            where = f"at character {position + 1 + len(text) - len(body)}"
            raise MappingError(f"{text!r} is not a JSONPath of names, indices and wildcards ({where})")
        position = segment.end()
        steps.append(_step(segment, text))
    if steps.count(Wildcard.ALL) > _MOST_WILDCARDS:
        raise MappingError(f"{text!r} has more than {_MOST_WILDCARDS} wildcards")
    return tuple(steps)


def _step(segment: re.Match[str], text: str) -> Step:
    if segment["all"] or segment["every"]:
        return Wildcard.ALL
    if segment["index"] is not None:
        if segment["index"].startswith("-"):
            raise MappingError(f"{text!r} counts from the end of an array, which no row needs")
        if len(segment["index"]) > _MOST_DIGITS:
            raise MappingError(f"{text!r} has an index beyond the length of any array")
        return int(segment["index"])
    quoted = segment["single"] if segment["single"] is not None else segment["double"]
    return segment["name"] if quoted is None else _unescaped(quoted, text)


def _unescaped(quoted: str, text: str) -> str:
    """A name in quotation marks (RFC 9535, 2.3.1); a backslash before another character stands for nothing."""
    name = _ESCAPE.sub(lambda found: _character(found[1]), quoted)
    try:
        return name.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise MappingError(f"{text!a} has a name with a lone surrogate", expected="Unicode") from None


def _character(escaped: str) -> str:
    return chr(int(escaped[1:], 16)) if len(escaped) > 1 else _CONTROLS.get(escaped, escaped)
