"""A place in the tokens of a request, and errors that say what stands there, what could, and what may be meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NoReturn

from kgreason.errors import QuerySyntaxError, nearest, quoted, suggestion
from kgreason.sparql.limits import too_deep
from kgreason.sparql.syntax.tokens import Tokens, tokens_of

DEEPEST: Final = 100
"""Groups, brackets and the like may lie so deep in each other: far from where Python's stack ends."""

_NUMERALS: Final = frozenset(("integer", "decimal", "double"))
_LONGEST: Final = 60
ALIKE: Final = 0.7
"""How much a word has to be like one that is meant."""
_TOO_EARLY: Final = "the text ends too early"


class Cursor:
    """Reads the tokens of a request one by one. `kind` is that of the token at hand."""

    def __init__(self, text: str) -> None:
        self.tokens: Tokens = tokens_of(text)
        self._kinds, self._texts = self.tokens.kinds, self.tokens.texts
        self.at = 0
        self.kind = self._kinds[0]
        self._depth = 0

    # -- going on ------------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text of the token at hand."""
        return self._texts[self.at]

    def next(self) -> str:
        """Go on behind the token at hand, which is not the last one; its text."""
        at = self.at
        self.at = at + 1
        self.kind = self._kinds[at + 1]
        return self._texts[at]

    def back_to(self, at: int) -> None:
        """Go back to a token."""
        self.at, self.kind = at, self._kinds[at]

    def kind_after(self) -> str:
        """The kind of the token behind the one at hand."""
        return self._kinds[min(self.at + 1, len(self._kinds) - 1)]

    def take(self, kind: str) -> bool:
        """Whether a token of a kind stands here; if so, go on behind it."""
        if self.kind != kind:
            return False
        self.at += 1
        self.kind = self._kinds[self.at]
        return True

    def expect(self, kind: str, *others: str) -> None:
        """Go on behind a token of a kind, or refuse what is there; `others` might be there as well."""
        if self.kind != kind:
            self.refuse(_word(kind), *others)
        self.at += 1
        self.kind = self._kinds[self.at]

    def is_signed_numeral(self) -> bool:
        """Whether a sign stands here, and right behind it a numeral."""
        tokens, at = self.tokens, self.at
        return (
            self.kind in ("+", "-")
            and tokens.kinds[at + 1] in _NUMERALS
            and tokens.start(at + 1) == tokens.ends[at]
        )

    # -- nesting -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Go a level deeper; each call has one of `leave`. QuerySyntaxError beyond DEEPEST levels."""
        self._depth += 1
        if self._depth > DEEPEST:
            line, column = self.place(self.at)
            raise too_deep().locate(line=line, column=column)

    def leave(self) -> None:
        """Come out of a level."""
        self._depth -= 1

    # -- errors --------------------------------------------------------------------------------------------------

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a token."""
        return self.tokens.place(self.tokens.start(at))

    def refuse(self, *expected: str) -> NoReturn:
        """Raise the error for the token at hand.

        Args:
            expected: what could be there: keywords, marks in quotation marks, or things in words.
        """
        if self.kind == "bad":
            self._refuse_character()
        if self.kind == "end":
            self.wrong(_TOO_EARLY, expected=listed(expected))
        reason, meant = f"unexpected {shown(self.text)}", None
        if self.kind.isupper():
            meant = nearest(self.kind, (word for word in expected if word.isupper()), ALIKE)
            if meant is None and "an IRI" in expected:
                reason += "; is a prefix or a '?' missing?"
        self.wrong(reason, expected=listed(expected), meant=meant)

    def wrong(
        self,
        reason: str,
        at: int | None = None,
        *,
        expected: str | None = None,
        meant: str | None = None,
        part: str | None = None,
    ) -> NoReturn:
        """Raise an error for a token, the one at hand by default."""
        line, column = self.place(self.at if at is None else at)
        raise QuerySyntaxError(f"{reason}{suggestion(meant)}", line=line, column=column, part=part, expected=expected)

    def _refuse_character(self) -> NoReturn:
        start, text = self.tokens.start(self.at), self.tokens.text
        rest = text[start : start + _LONGEST].split("\n")[0].rstrip("\r")
        if self.text in ("'", '"'):
            self.wrong(f"a string that is not closed: {shown(rest)}", expected=f"{self.text} at its end")
        if self.text == "\\":
            self.wrong(f"unexpected {shown(rest[:2])}", expected="an escape only in strings, names and IRIs")
        self.wrong(f"unexpected character {shown(self.text)}")


def shown(text: str) -> str:
    """A piece of the text in quotation marks."""
    return quoted(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...")


def listed(expected: Iterable[str]) -> str | None:
    """Things with commas and "or" between them, each once."""
    *most, last = dict.fromkeys(expected) or (None,)
    return f"{', '.join(map(str, most))} or {last}" if most else last


def _word(kind: str) -> str:
    return kind if kind.isalpha() and kind.isupper() else f"'{kind}'"
