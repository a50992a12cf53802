"""The command line ``kgreason``; nothing heavy is imported before a command runs.

* `app`: the commands together.
* `materialise`, `query`, `explain`, `check`, `stats`, `load`: one command each.
* `spark`: the commands that run on Spark, a group of their own.
* `options`: the arguments that commands share.
* `loading`, `output`, `answers`, `tables`: the files that go in and what comes out.
* `reporting`: how errors end: one line on stderr, and an exit code.

Exit codes: 0 success; 1 a reported problem in the data, or with the machine (a full disk); 2 wrong usage: an
option, a file that does not exist, a rule, a query; 130 interrupted.
"""

from __future__ import annotations


def main() -> None:
    """The console script."""
    from kgreason.cli.app import app

    app(prog_name="kgreason")
