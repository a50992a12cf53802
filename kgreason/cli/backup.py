"""``kgreason backup`` and ``kgreason restore``: copies of a store on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgreason.cli.output import check_new_directory
from kgreason.cli.reporting import UsageError


def backup(
    store: Annotated[Path, typer.Argument(metavar="DIR", help="A store on disk; it may be written to meanwhile.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The directory to make, a store itself.")],
) -> None:
    """Copy what was committed last to a store on disk, every byte checked."""
    _copy(store, output)


def restore(
    copy: Annotated[Path, typer.Argument(metavar="OUT", help="What kgreason backup made.")],
    store: Annotated[Path, typer.Argument(metavar="DIR", help="The directory to make, to be opened as a store.")],
) -> None:
    """Make a store on disk from a copy, every byte checked."""
    _copy(copy, store)


def _copy(source: Path, target: Path) -> None:
    from kgreason.durable.backup import back_up
    from kgreason.durable.catalogue import FILE

    if not (source / FILE).is_file():
        raise UsageError(f"{source}: there is no store on disk")
    check_new_directory(target)
    position = back_up(source, target)
    print(f"{target}: {position.number:,} commits, {position.terms:,} terms")
