r"""String templates: text with references in braces; ``\{``, ``\}`` and ``\\`` stand for the characters themselves."""

from __future__ import annotations

import re
from typing import Final

from kgreason_mapping.documents.mapping_model import Call, Reference, Template

_TOKEN: Final = re.compile(r"\\(?P<escaped>[{}\\])|(?P<wrong>\\)|(?P<open>\{)|(?P<close>\})|(?P<text>[^{}\\]+)")


MOST_REFERENCES: Final = 100
"""What Spark plans in seconds; 300 overflow the stack of its Java."""


class TemplateSyntaxError(ValueError):
    """A template with a brace or a backslash where none may be."""


def parse_template(text: str) -> Template:
    """The parts of a template.

    Raises:
        TemplateSyntaxError: braces that are not paired, nested or empty, a backslash before another character, or more
            than MOST_REFERENCES references.
    """
    parts: list[str | Reference | Call] = []
    gathered, opened, references = "", False, 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open" if not opened:
                parts.append(gathered)
                gathered, opened = "", True
            case "close" if opened and gathered:
                references += 1
                if references > MOST_REFERENCES:
                    raise TemplateSyntaxError(f"the template {text!r} has more than {MOST_REFERENCES} references")
                parts.append(Reference(gathered))
                gathered, opened = "", False
            case "escaped" | "text":
                gathered += token.group(token.lastgroup)
            case _:
                place = f"{token.group()!r} at character {token.start() + 1}"
                raise TemplateSyntaxError(f"the template {text!r} has {place} where none may be")
    if opened:
        raise TemplateSyntaxError(f"the template {text!r} has a brace that is not closed")
    return Template(tuple(part for part in [*parts, gathered] if part != ""))


def escaped(text: str) -> str:
    """A text as a part of a template that stands for itself."""
    return re.sub(r"([{}\\])", r"\\\1", text)
