"""Files into a knowledge base, with a progress bar where somebody looks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kgreason.cli.options import DEFAULT_RULES
from kgreason.cli.reporting import UsageError, print_line
from kgreason.errors import LoadError

if TYPE_CHECKING:
    from kgreason.engine.budget import Budget
    from kgreason.knowledge.base import KnowledgeBase
    from kgreason.loading.quads import Quads
    from kgreason.loading.report import Loaded
    from kgreason.terms.dictionary import Dictionary

STDIN = "-"
STDIN_NAME = "stdin"


def load(
    files: Sequence[str],
    rules: Sequence[str],
    input_format: str | None,
    schemes: str = "auto",
    prefixes: dict[str, str] | None = None,
    lenient: bool = False,
    budget: Budget | None = None,
) -> KnowledgeBase:
    """A knowledge base with the files in it and everything maintained; `prefixes` takes those that they declare.

    Raises:
        UsageError, RuleError, SchemeError: files that do not exist, stdin without a format, rules that cannot be used.
        LoadError, TermError, ListError: what is in the files cannot be used.
        BudgetError: more follows from it than the budget allows.
    """
    formats = formats_of(files, input_format)
    on_disk = store_on_disk(files)
    if on_disk is not None:
        return _opened(on_disk, rules, schemes, prefixes, budget)
    from kgreason.knowledge.base import KnowledgeBase

    knowledge = KnowledgeBase(list(rules or DEFAULT_RULES), schemes, budget=budget)
    for quads in inputs(files, formats, knowledge.dictionary, prefixes, lenient):
        knowledge.add_quads(quads)
    with progress_bar("reasoning"):
        knowledge.flush()
    return knowledge


def store_on_disk(files: Sequence[str]) -> Path | None:
    """The store on disk that is given in the place of files, None where it is files.

    Raises:
        UsageError: both.
    """
    from kgreason.durable.catalogue import FILE

    stores = [Path(file) for file in files if file != STDIN and (Path(file) / FILE).is_file()]
    if stores and len(files) > 1:
        raise UsageError(f"{stores[0]}: a store on disk stands alone, not beside other files")
    return stores[0] if stores else None


def _opened(
    path: Path, rules: Sequence[str], schemes: str, prefixes: dict[str, str] | None, budget: Budget | None
) -> KnowledgeBase:
    """What was committed to a store on disk last, whoever writes there now."""
    from kgreason.knowledge.durability import DurableKnowledge, Wishes

    with progress_bar("opening"):
        wishes = Wishes(list(rules) or None, schemes=None if schemes == "auto" else schemes, budget=budget)
        store = DurableKnowledge(path, wishes, read_only=True)
    if prefixes is not None:
        prefixes.update(json.loads(store.settings.get("prefixes", "[]")))
    store.close()
    return store.knowledge


def inputs(
    files: Sequence[str],
    formats: Sequence[str | None],
    dictionary: Dictionary,
    prefixes: dict[str, str] | None = None,
    lenient: bool = False,
) -> Iterator[Quads]:
    """What is in the files, one after the other; stderr is told of lines that were skipped.

    Raises:
        LoadError: a file that cannot be read.
    """
    for loaded in loads(files, formats, dictionary, prefixes, lenient):
        for file in loaded.report.files:
            if file.skipped:
                print_line(f"{file.source}: {file.skipped:,} malformed lines skipped")
        yield loaded.quads


def loads(
    files: Sequence[str],
    formats: Sequence[str | None],
    dictionary: Dictionary,
    prefixes: dict[str, str] | None = None,
    lenient: bool = False,
) -> Iterator[Loaded]:
    """What is in the files, one after the other, with a report of each.

    Raises:
        LoadError: a file that cannot be read.
    """
    from kgreason.loading.reading import load_files, load_stream

    with progress_bar("loading") as progress:
        for file, format in zip(files, formats, strict=True):
            if file == STDIN and format is not None:
                yield load_stream(
                    sys.stdin.buffer,
                    dictionary,
                    format=format,
                    source=STDIN_NAME,
                    progress=progress,
                    prefixes=prefixes,
                    lenient=lenient,
                )
            else:
                yield load_files(
                    [file], dictionary, format=format, progress=progress, prefixes=prefixes, lenient=lenient
                )


def formats_of(files: Sequence[str], input_format: str | None) -> list[str | None]:
    """The format to read each input in: `input_format` where no name tells one, None where one does.

    Whatever is wrong with the command line is refused here, before anything long begins.

    Raises:
        UsageError: an unknown format, no such file, or no way to know its format.
    """
    from kgreason.loading.formats import format_of, format_of_path

    if input_format is not None:
        try:
            format_of(input_format)
        except LoadError as error:
            raise UsageError(str(error)) from error
    if files.count(STDIN) > 1:
        raise UsageError("stdin can be read once only")
    formats = []
    for file in files:
        path = Path(file)
        if file != STDIN and not path.exists():
            raise UsageError(f"{file}: no such file or directory")
        told = file != STDIN and (path.is_dir() or format_of_path(path) is not None)
        if not told and input_format is None:
            raise UsageError(f"{STDIN_NAME if file == STDIN else file}: of what format? use --input-format")
        formats.append(None if told else input_format)
    return formats


@contextmanager
def progress_bar(task: str) -> Iterator[Callable[[str, int], None] | None]:
    """A moving line with what is reported, while the body runs and if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        line = progress.add_task(task)
        yield lambda source, count: progress.update(line, description=f"{task} {source}: {count:,}")
