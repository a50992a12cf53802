"""The base class of all errors, what it says in one line, and how a place is completed on the way up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, TypedDict, Unpack

LONGEST_REASON: Final = 240
"""Characters of a reason: it may quote much of what was read, which is not for everyone who may have a file read."""
_LONGEST_PATH: Final = 160
"""A longer path is cut in the middle."""
LONGEST_PART: Final = 80
_LONGEST_LINE: Final = 320
_LONGEST_QUOTE: Final = 80


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text: the file or a description of it, line and column from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class Place(TypedDict, total=False):
    """Where something is wrong, and what should be there."""

    path: str | os.PathLike[str] | None
    line: int | None
    column: int | None
    row: int | None
    part: str | None
    expected: str | None


def one_line(error: BaseException) -> str:
    """The message of another library's error in one line, or the name of its class where it has none."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return printable(reason, LONGEST_REASON) or type(error).__name__


def unreadable(error: OSError | UnicodeDecodeError, path: str | os.PathLike[str]) -> tuple[str, Place]:
    """Why a file of text cannot be read, and its path, with the line and column of the first byte that is not UTF-8."""
    if isinstance(error, OSError):
        return one_line(error), Place(path=path)
    before = error.object[: error.start]
    line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode()) + 1
    return f"byte {error.object[error.start]:#04x} is not UTF-8", Place(path=path, line=line, column=column)


def nearest(word: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The known word that is most like a misspelt one, None where none is; `alike` is the least ratio of `difflib`."""
    from difflib import get_close_matches  # only errors need it

    names = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), names, 1, alike)
    return names[found[0]] if found else None


def suggestion(near: str | None) -> str:
    """The end of a message that asks whether a word was meant, where there is one."""
    return f"; did you mean {near}?" if near else ""


def printable(text: str, longest: int) -> str:
    """A text for a message: in one line, without characters that do not print, cut after so many: O(longest)."""
    cut = text if len(text) <= longest else text[:longest]
    if not cut.isprintable():
        cut = "".join(c if c.isprintable() else " " if c.isspace() else ascii(c)[1:-1] for c in cut)
    if "  " in cut or cut.strip() != cut:
        cut = " ".join(cut.split())
    return cut if len(text) <= longest and len(cut) <= longest else f"{cut[: longest - 3]}..."


def quoted(text: str) -> str:
    """The beginning of a text, in quotation marks, for a message."""
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}...")


class KGReasonError(Exception):
    """Anything that kgreason reports about its input or its use. It is never raised itself.

    Attributes:
        reason: what is wrong, without the place.
        path: the file, directory or IRI at fault, or the name of a text ("rules", "data").
        line: in the file or text, from 1.
        column: in the line, from 1.
        row: of a table, from 1.
        part: of the file, the store or the value, in words.
        expected: what should have been there, in words.
    """

    reason: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    row: int | None = None
    part: str | None = None
    expected: str | None = None

    kind: ClassVar[str] = ""
    """Put between the place and the part."""

    def __init__(self, reason: str, **place: Unpack[Place]) -> None:
        is_short = len(reason) <= LONGEST_REASON and reason.isprintable()
        self.reason = reason if is_short else printable(reason, LONGEST_REASON)
        if place:
            self.locate(**place)

    def locate(self, **place: Unpack[Place]) -> Self:
        """Complete the place where an error passes by: fields that are known stay, an outer part goes before an inner.

        Returns: the error itself.
        """
        known = vars(self)
        for name, value in place.items():
            if value is None:
                continue
            if name == "part" and self.part is not None:
                known[name] = f"{value}, {self.part}"
            else:
                known.setdefault(name, value if isinstance(value, (str, int)) else str(value))
        return self

    @classmethod
    def like(cls, error: KGReasonError) -> Self:
        """An error of this class with the fields of another one."""
        made: Self = _restored(cls, error.args, vars(error))
        return made

    @property
    def place(self) -> str:
        """Path, line and column or row; empty where nothing is known."""
        path = "" if self.path is None else _shown_path(self.path)
        if self.row is not None:
            return f"{path}: row {self.row}" if path else f"row {self.row}"
        if self.line is None:
            return path
        if path:
            return f"{path}:{self.line}" if self.column is None else f"{path}:{self.line}:{self.column}"
        return f"line {self.line}" if self.column is None else f"line {self.line}, column {self.column}"

    def __str__(self) -> str:
        part = "" if self.part is None else printable(self.part, LONGEST_PART)
        said = ": ".join(filter(None, (self.kind, part, self.reason)))
        said = printable(f"{said} (expected {self.expected})" if self.expected else said, _LONGEST_LINE)
        return f"{place}: {said}" if (place := self.place) else said

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.startswith("__"))
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[Any], args: tuple[object, ...], fields: dict[str, Any]) -> Any:
    """An error made of its fields, without a call of its constructor."""
    error: Any = kind.__new__(kind, *args)
    vars(error).update(fields)
    return error


def _shown_path(path: str) -> str:
    if len(path) > _LONGEST_PATH:
        path = f"{path[:20]}...{path[23 - _LONGEST_PATH :]}"
    return printable(path, _LONGEST_PATH)


@contextmanager
def located(**place: Unpack[Place]) -> Iterator[None]:
    """Complete the place of an error that is raised in the body."""
    try:
        yield
    except KGReasonError as error:
        error.locate(**place)
        raise
