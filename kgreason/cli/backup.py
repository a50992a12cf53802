"""``kgreason backup``, ``restore`` and ``compact``: copies of a store on disk, and less room for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.output import check_new_directory


def backup(
    store: Annotated[Path, typer.Argument(metavar="DIR", help="A store on disk; it may be written to meanwhile.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The directory to make, a store itself.")],
) -> None:
    """Copy the last commit of a store on disk, every byte checked."""
    _copy(store, output)


def restore(
    copy: Annotated[Path, typer.Argument(metavar="OUT", help="What kgreason backup made.")],
    store: Annotated[Path, typer.Argument(metavar="DIR", help="The directory to make, to be opened as a store.")],
) -> None:
    """Make a store on disk from a copy, every byte checked."""
    _copy(copy, store)


def compact(
    store: Annotated[Path, typer.Argument(metavar="DIR", help="A store on disk that is not open for writing.")],
) -> None:
    """Make a store on disk smaller: one commit takes the place of all, and terms that nothing uses any more go.

    What follows is derived anew, since terms are numbered anew. An open store compacts itself, but keeps all terms.
    """
    from kgreason.disk.compaction import drop_unused_terms
    from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
    from kgreason.disk.store_directory import StoreDirectory

    _check_store(store)
    directory = StoreDirectory(store)
    try:
        before = _size(store)
        drop_unused_terms(directory)
    finally:
        directory.close()
    knowledge = DurableKnowledge(store, OpenOptions())
    knowledge.write_snapshot()
    knowledge.close()
    print(f"{store}: {before:,} bytes before, {_size(store):,} bytes now")


def _size(store: Path) -> int:
    return sum(file.stat().st_size for file in store.iterdir())


def _check_store(path: Path) -> None:
    from kgreason.disk.log_file import FILE

    if not (path / FILE).is_file():
        raise UsageError("there is no store on disk", path=path)


def _copy(source: Path, target: Path) -> None:
    from kgreason.disk.store_copies import back_up

    _check_store(source)
    check_new_directory(target)
    position = back_up(source, target)
    print(f"{target}: {position.number:,} commits, {position.terms:,} terms")
