"""Commands whose help speaks of files and numbers, not of Python's types."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from typer.core import TyperCommand


class PlainCommand(TyperCommand):
    """A command whose help names an argument as `FILES...`, where typer has `{FILES}... <list[str]>`."""

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
                records[f"{parameter.param_type_name}s".capitalize()].append((name, text))
        for title in ("Arguments", "Options"):
            if records[title]:
                with formatter.section(title):
                    formatter.write_dl(records[title])
