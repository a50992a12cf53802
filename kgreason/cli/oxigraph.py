"""``kgreason oxigraph``: Oxigraph's databases in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.inputs import Inputs, load
from kgreason.cli.options import RuleNames, RuleNamesWithoutStore, Schemes, option_groups
from kgreason.cli.output import check_new_directory
from kgreason.cli.plain_command import PlainCommand
from kgreason.cli.progress_bar import progress_bar

oxigraph_commands = typer.Typer(name="oxigraph", help="Oxigraph's databases in and out.", rich_markup_mode=None)


@oxigraph_commands.callback()
def oxigraph() -> None:
    """Oxigraph's databases in and out."""


@oxigraph_commands.command("import", cls=PlainCommand)
def import_(
    database: Annotated[Path, typer.Argument(metavar="DATABASE", help="The directory of an Oxigraph database.")],
    store: Annotated[Path, typer.Argument(metavar="DIR", help="The store on disk to make.")],
    rules: RuleNamesWithoutStore,
) -> None:
    """Make a store on disk from an Oxigraph database."""
    if not database.exists():
        raise UsageError("no such directory", path=database)
    check_new_directory(store)
    from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
    from kgreason_oxigraph import import_database

    opened = DurableKnowledge(store, OpenOptions(list(rules) or None), create=True)
    try:
        with progress_bar("reading"):
            count = import_database(database, opened.knowledge)
        with progress_bar("reasoning"):
            opened.commit({})
    except BaseException:
        opened.directory.destroy()
        raise
    opened.close()
    print(f"{store}: {count:,} quads")


@oxigraph_commands.command(cls=PlainCommand)
@option_groups
def export(
    rules: RuleNames,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DATABASE", help="The database to make.")],
    explicit_only: Annotated[bool, typer.Option("--explicit-only", help="Leave out what only follows.")] = False,
    schemes: Schemes = "auto",
    inputs: Inputs,
) -> None:
    """Make an Oxigraph database from files or a store on disk; what follows goes into the default graph."""
    check_new_directory(output)
    knowledge = load(inputs, rules, schemes)
    from kgreason_oxigraph import export_database

    with progress_bar("writing"):
        count = export_database(knowledge, output, inferred=not explicit_only)
    print(f"{output}: {count:,} quads")
