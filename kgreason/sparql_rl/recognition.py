"""How files and texts of SPARQL-RL are told from others, without what reads them."""

from __future__ import annotations

import re
from typing import Final

SUFFIXES: Final = (".srl", ".rl")
"""The endings of the names of files in this language."""

_STATEMENT: Final = re.compile(
    r"^\s*(?:RULE\b[^{]*\{|(?:CONSTRUCT|DATA|IF)\s*\{|IMPORTS\s+\S|(?:TRANSITIVE|SYMMETRIC|INVERSE)\s*\()",
    re.MULTILINE,
)
_RULE: Final = re.compile(r"\bRULE\s*(?:<[^>]*>|[\w.\-]*:\S*)?\s*\{.*?\}\s*WHERE\b", re.DOTALL | re.IGNORECASE)


def is_rule_set(text: str) -> bool:
    """Whether a text is of this language, and not of that of `kgreason.program`."""
    return bool(_STATEMENT.search(text) or _RULE.search(text))
