"""Tables: drawn for a person at a terminal, tab-separated for a program in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from kgreason.cli.error_lines import check_stdout

ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: frozenset[int] = frozenset()
) -> None:
    """Print rows on stdout; the columns in `numbers` stand on the right. In a pipe, tabs are escaped.

    Raises:
        UsageError: there is no stdout.
    """
    check_stdout()
    if not sys.stdout.isatty():
        for row in (header, *rows):
            print("\t".join(text.translate(ESCAPES) for text in row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for number, name in enumerate(header):
        table.add_column(name, justify="right" if number in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
