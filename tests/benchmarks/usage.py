"""``--help`` of the benchmarks whose few arguments are described in their docstrings."""

from __future__ import annotations

import sys


def show_help(docstring: str | None) -> None:
    """Print the docstring of a benchmark and end the process, where its arguments ask for help."""
    if {"-h", "--help"}.intersection(sys.argv[1:]):
        print(docstring)
        raise SystemExit(0)
