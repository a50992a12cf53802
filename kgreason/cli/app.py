"""The commands together."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kgreason import __version__
from kgreason.cli.backup import backup, compact, restore
from kgreason.cli.check import check
from kgreason.cli.diff import diff
from kgreason.cli.error_lines import ReportingGroup
from kgreason.cli.explain import explain
from kgreason.cli.load import load
from kgreason.cli.map import map_sources
from kgreason.cli.materialise import materialise
from kgreason.cli.mcp import mcp
from kgreason.cli.oxigraph import oxigraph_commands
from kgreason.cli.plain_command import PlainCommand
from kgreason.cli.query import query
from kgreason.cli.report import report
from kgreason.cli.rules import rules
from kgreason.cli.serve import serve
from kgreason.cli.spark import spark_commands
from kgreason.cli.stats import stats
from kgreason.cli.store_changes import add, apply, update
from kgreason.cli.verify import verify
from kgreason.cli.watch import watch


def print_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


app = typer.Typer(
    name="kgreason",
    cls=ReportingGroup,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_COMMANDS: Final = (
    materialise,
    query,
    explain,
    verify,
    check,
    report,
    diff,
    watch,
    stats,
    rules,
    load,
    add,
    apply,
    update,
    backup,
    restore,
    compact,
    serve,
    mcp,
)
for command in _COMMANDS:
    app.command(cls=PlainCommand)(command)
app.command(name="map", cls=PlainCommand)(map_sources)
app.add_typer(spark_commands, short_help="Read raw data and derive what follows with Spark")
app.add_typer(oxigraph_commands, short_help="Read and write Oxigraph's databases")


@app.callback()
def kgreason(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and leave.", callback=print_version, is_eager=True),
    ] = False,
) -> None:
    """Reason over RDF: what follows from files under OWL 2 RL, RDFS, SKOS or rules of your own."""
