"""Commands whose help speaks of files and numbers, not of Python's types."""

from __future__ import annotations

import re
from collections import defaultdict
from inspect import cleandoc
from typing import Any, Final

from typer.core import TyperCommand

_PLAIN: Final = (
    (re.compile(r"([\d.]+)<=x<=([\d.]+)\]$"), r"\1 to \2]"),
    (re.compile(r"(  \[|; )x>=0\]$"), lambda found: "]" if found[1] == "; " else ""),
    (re.compile(r"x>=([\d.]+)\]$"), r"\1 or more]"),
    (re.compile(r"\[default: \((.*?)\)"), r"[default: \1"),
)
"""What typer says of ranges and defaults, and how it is said plainly."""


class PlainCommand(TyperCommand):
    """A command whose help names an argument as `FILES...`, where typer has `{FILES}... <list[str]>`.

    In a list of commands it is described by the beginning of its docstring, up to the first colon, semicolon or full
    stop: typer cuts off at a width.
    """

    def get_short_help_str(self, limit: int = 45) -> str:
        """The description in a list of commands."""
        return re.split(r"[:;]|\.$|\.\s", cleandoc(self.help or ""), maxsplit=1)[0]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The parts of the usage line."""
        return [re.sub(r"[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of arguments and options."""
        records: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                name, text = record
                if parameter.param_type_name == "argument":
                    name = re.sub(r" <.*>$", "..." if parameter.nargs != 1 else "", name)
                name = re.sub(r"<(.*)>$", r"\1", name)
                for pattern, plain in _PLAIN:
                    text = pattern.sub(plain, text)
                records[f"{parameter.param_type_name}s".capitalize()].append((name, text))
        for title in ("Arguments", "Options"):
            if records[title]:
                with formatter.section(title):
                    formatter.write_dl(records[title])
