"""How deep triple terms are inside of each other in a text, before a parser, which may have no limit, sees it."""

from __future__ import annotations

import re
from typing import Final

from kgreason.errors import TermError

DEEPEST: Final = 1000
"""Parsers of pyoxigraph end the process at some 20,000, and a term has `triple_keys.MOST_NESTED` at most."""

# Between two that open there are IRIs, names and comments alone; strings are skipped for the sake of what they contain.
_MARK: Final = re.compile(
    rb"""(?P<opens><<\()|(?P<closes>\)>>)|<[^<>"{}|^`\\\s]*>|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
)
_LONG_LINE: Final = 1 << 16
"""A line of more bytes is looked at before it ends."""


class Nesting:
    """Counts what opens a triple term and what closes one, in whole lines as far as these are not long."""

    def __init__(self) -> None:
        self._depth = 0
        # The line that has begun.
        self._pieces: list[bytes] = []
        self._length = 0

    def see(self, data: bytes) -> None:
        """Look at the next bytes, none at the end: a search for one mark where there is none.

        Raises:
            TermError: more than `DEEPEST` triple terms are open.
        """
        self._pieces.append(data)
        self._length += len(data)
        if data and b"\n" not in data and self._length <= _LONG_LINE:
            return
        text = b"".join(self._pieces)
        whole = text.rfind(b"\n") + 1
        if not data or len(text) - whole > _LONG_LINE:
            whole = len(text)
        self._pieces, self._length = [text[whole:]], len(text) - whole
        if not self._depth and text.find(b"<<(", 0, whole) < 0:
            return
        for found in _MARK.finditer(text, 0, whole):
            if found["opens"]:
                self._depth += 1
                if self._depth > DEEPEST:
                    raise TermError(f"more than {DEEPEST:,} triple terms are inside of each other")
            elif found["closes"] and self._depth:
                self._depth -= 1
