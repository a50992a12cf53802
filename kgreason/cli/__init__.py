"""The command line ``kgreason``.

Commands import what they run in their functions: `kgreason --help` and wrong usage are answered before the store,
pyarrow and rdflib are imported, which takes most of a second.

* `app`: the commands together.
* `materialise`, `query`, `explain`, `verify`, `check`, `report`, `rules`, `diff`, `watch`, `stats`, `load`, `map`,
  `backup`, `serve`, `mcp`, `oxigraph`: a command, or a few, each; `store_changes`: `add` and `update`.
* `spark`: the commands that run on Spark, a group of their own.
* `plain_command`: what all commands are; `options`, `ingestion_options`: the arguments that they share; `requests`:
  those that are queries and updates.
* `inputs`, `store_opening`, `output`, `answers`, `printed_tables`, `difference_texts`, `report_texts`, `report_page`,
  `file_watcher`: the files that go in and what comes out.
* `progress_bar`: what is shown on a terminal while a command runs.
* `error_lines`: how errors end: one line on stderr, and an exit code.

Exit codes: 0 success; 1 a reported problem in the data, or with the machine (a full disk); 2 wrong usage: an
option, a file that does not exist, a rule, a query; 130 interrupted; 143 terminated.
"""

from __future__ import annotations


def main() -> None:
    """The console script."""
    import sys

    try:
        from kgreason.cli.app import app

        app(prog_name="kgreason")
    except KeyboardInterrupt:  # before a command begins, which takes a while, or after it has ended
        sys.stderr.write("kgreason: interrupted\n")
        sys.exit(130)
