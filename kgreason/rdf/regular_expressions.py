"""Regular expressions as XPath has them (Functions and Operators, section 5.6), in time that has a limit.

Patterns that need no backtracking, which are all but those with back-references and look-around, run on RE2: linear in
the text, for any pattern. The rest run on the `regex` module, for a part of a second at most, with a checkpoint before
each text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from kgreason.checkpoints import checkpoint
from kgreason.errors import FunctionError, QueryLimitError, one_line
from kgreason.rdf.pattern_syntax import rewritten
from kgreason.rdf.text_lengths import check_length

SECONDS: Final = 0.3
"""How long one match of a pattern that backtracks may take, as time of the processor."""
_MATCHES: Final = 4096
"""So many are replaced between two looks at the clock."""
_SHOWN: Final = 100
_GROUPS: Final = 20
"""RE2 takes time with the square of the groups that it tells apart, in one step: 280 s for 10,000 on a thousand
characters. More than so many are for the engine that has a limit of time."""
_TOO_LARGE: Final = ("invalid repetition size", "pattern too large")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that can be looked for."""

    source: str
    groups: int
    _engine: Any
    _options: dict[str, Any]

    def search(self, text: str) -> bool:
        """Whether it matches somewhere in a text.

        Raises:
            QueryLimitError: a pattern that backtracks took too long.
        """
        return self._limited(self._engine.search, text) is not None

    def substituted(self, text: str, made: Callable[[Any], str]) -> str:
        """The text with what is made of each match in its place."""
        found: str = self._limited(self._engine.sub, made, text)
        return found

    def _limited(self, work: Callable[..., Any], *arguments: object) -> Any:
        if self._options:  # it backtracks: many texts, each within its limit, may take long
            checkpoint()
        try:
            return work(*arguments, **self._options)
        except TimeoutError:
            shown = self.source[:_SHOWN]
            raise QueryLimitError(
                f"the regular expression {shown!r} took longer than {SECONDS:g} s on one text"
            ) from None
        except UnicodeEncodeError as error:
            raise FunctionError(f"a regular expression is for Unicode alone: {error.reason}") from None


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> Pattern:
    """The pattern, ready to be looked for; FunctionError for one that is wrong, or an unknown flag. A match does not
    tell its groups."""
    return _made(pattern, flags, captures=False)


@lru_cache(maxsize=256)
def capturing(pattern: str, flags: str) -> Pattern:
    """The same, and a match tells its groups."""
    return _made(pattern, flags, captures=True)


def _made(pattern: str, flags: str, *, captures: bool) -> Pattern:
    found = rewritten(pattern, flags)
    if not found.backtracks:
        import re2  # many a store meets no pattern at all

        options = re2.Options()
        options.log_errors = False
        options.never_capture = not captures
        try:
            engine = re2.compile(found.text, options)
        except re2.error as error:
            reason = error.args[0].decode(errors="replace") if error.args else ""
            if not reason.startswith(_TOO_LARGE):
                raise FunctionError(f"{pattern[:_SHOWN]!r} is not a regular expression: {reason}") from None
        except UnicodeEncodeError as error:
            raise FunctionError(f"a regular expression is for Unicode alone: {error.reason}") from None
        else:
            if engine.groups <= _GROUPS:
                return Pattern(pattern, engine.groups, engine, {})
    import regex  # it takes as long to import as the engine of rules, and few patterns need it

    try:
        slow = regex.compile(found.text)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        reason = one_line(error)
        raise FunctionError(f"{pattern[:_SHOWN]!r} is not a regular expression: {reason}") from None
    return Pattern(pattern, slow.groups, slow, {"timeout": SECONDS, "concurrent": True})


@dataclass(frozen=True, slots=True)
class Substitution:
    """A pattern, and what replaces its matches: texts, and the numbers of groups."""

    pattern: Pattern
    pieces: tuple[str | int, ...]

    @property
    def growth(self) -> int:
        """What comes out has at most so many characters for each of a text."""
        return 1 + sum(len(piece) if isinstance(piece, str) else 1 for piece in self.pieces)

    def applied(self, text: str) -> str:
        """The text with all matches replaced: some microseconds for each match.

        Raises:
            FunctionError: the text is not Unicode.
            QueryLimitError: what comes out would be too long.
        """
        fixed = "".join(map(str, self.pieces)) if all(isinstance(piece, str) for piece in self.pieces) else None
        size, matches = len(text), 0

        def made(match: Any) -> str:
            nonlocal size, matches
            matches += 1
            if not matches % _MATCHES:
                checkpoint()
            one = fixed if fixed is not None else self._made(match)
            size += len(one)
            check_length(size)
            return one

        return self.pattern.substituted(text, made)

    def _made(self, match: Any) -> str:
        return "".join(piece if isinstance(piece, str) else match.group(piece) or "" for piece in self.pieces)


def substitution(pattern: str, new: str, flags: str = "") -> Substitution:
    """What replaces all matches of a pattern; in `new`, ``$1`` stands for a group, ``\\$`` and ``\\\\`` for
    themselves.

    Raises:
        FunctionError: the pattern or the replacement is wrong, or the pattern matches the empty text.
    """
    found = _replaceable(pattern, flags, "$" in new)
    return Substitution(found, (new,) if "q" in flags else (*_replacement(new, found.groups),))


@lru_cache(maxsize=256)
def _replaceable(pattern: str, flags: str, captures: bool) -> Pattern:
    found = capturing(pattern, flags) if captures else compiled(pattern, flags)
    if compiled(pattern, flags).search(""):
        raise FunctionError(f"{pattern!r} matches the empty text and cannot be replaced")
    return found


def replaced(text: str, pattern: str, new: str, flags: str = "") -> str:
    """The text with all matches replaced. Raises as `substitution` and `Substitution.applied`."""
    return substitution(pattern, new, flags).applied(text)


def _replacement(new: str, groups: int) -> Iterator[str | int]:
    """The texts of a replacement, and the numbers of groups in it."""
    for piece in re.findall(r"\\.|\$\d+|[^\\$]+|[\\$]", new, re.DOTALL):
        if piece in ("\\\\", "\\$"):
            yield piece[1]
        elif piece[0] == "$" and len(piece) > 1:
            # As many digits as there are groups for; the others are text.
            digits = piece[1:]
            used = next((n for n in range(len(digits), 1, -1) if int(digits[:n]) <= groups), 1)
            if int(digits[:used]) <= groups:
                yield int(digits[:used])
            yield digits[used:]
        elif piece[0] in "\\$":
            raise FunctionError(f"{new!r} is not a replacement: {piece!r}")
        else:
            yield piece
