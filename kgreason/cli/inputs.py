"""Load files into a knowledge base, with a progress bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kgreason.cli.error_lines import UsageError, print_line
from kgreason.cli.options import (
    DEFAULT_RULES,
    NO_LIMITS,
    Allow,
    Columns,
    Files,
    ImportPlaces,
    InputFormat,
    Lenient,
    Limits,
    NoImports,
    Terms,
    Unfinished,
    access_of,
)
from kgreason.cli.progress_bar import progress_bar
from kgreason.errors import LoadError

if TYPE_CHECKING:
    from kgreason.access import Access
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.io.imports import Imports
    from kgreason.io.load_report import Loaded, LoadReport
    from kgreason.io.parsed_documents import Progress
    from kgreason.io.readers import Options
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason.store.rule_sets import RuleSource

STDIN = "-"
STDIN_NAME = "stdin"


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read files: options for `option_groups`."""

    allow: Allow = field(kw_only=True)
    input_format: InputFormat = None
    lenient: Lenient = False
    unfinished: Unfinished = False
    columns: Columns = None
    terms: Terms = None
    import_places: ImportPlaces = None
    no_imports: NoImports = False

    @property
    def imports(self) -> Imports | None:
        """What is done about imports; LoadError where there is no such place."""
        from kgreason.io.imports import Imports

        if self.no_imports:
            return None
        return Imports.of(self.import_places or []) if self.import_places or self.allow else Imports.of(None)

    def options(self, progress: Progress | None, prefixes: dict[str, str] | None) -> Options:
        """The options of `load_files` and `load_stream`."""
        columns = None if self.columns is None else [name.strip() for name in self.columns.split(",")]
        return {
            "lenient": self.lenient,
            "progress": progress,
            "prefixes": prefixes,
            "columns": columns,
            "terms": self.terms,
        }

    def of(self, *files: str) -> Inputs:
        """Files that are read so."""
        options = {field.name: getattr(self, field.name) for field in fields(Reading)}
        return Inputs(files=list(files), **options)


@dataclass(frozen=True, slots=True)
class Inputs(Reading):
    """Files as a command line names them, and how to read them."""

    files: Files = field(kw_only=True)

    @property
    def access(self) -> Access:
        """What the files may be read from: the servers that they name themselves, and what `--allow` adds."""
        from urllib.parse import urlsplit

        from kgreason.io.documents import is_remote

        allowed = access_of(self.allow)
        own = (urlsplit(file).netloc.rpartition("@")[2] for file in self.files if is_remote(file))
        return replace(allowed, hosts=(*allowed.hosts, *dict.fromkeys(own)))


def load(
    inputs: Inputs,
    rules: Sequence[RuleSource],
    schemes: str = "auto",
    prefixes: dict[str, str] | None = None,
    limits: Limits = NO_LIMITS,
    asked: Container[str] = (),
) -> KnowledgeBase:
    """A knowledge base with the files in it and everything maintained; `prefixes` takes those that they declare, and
    where two files differ about one that is `asked` for, a line on stderr says so.

    Raises:
        UsageError, RuleError, SchemeError: files that do not exist, rules that cannot be used.
        LoadError, TermError: what is in the files cannot be used.
        ListError: a list is cut off or cyclic, and the limits are strict.
        BudgetError: more follows from it than the limits allow.
    """
    check_inputs(inputs)
    on_disk = store_on_disk(inputs.files)
    if on_disk is not None:
        knowledge = opened(on_disk, rules, schemes, prefixes, limits)
        if limits.strict:
            knowledge.check_lists()
        return knowledge
    report = partial(print_report, asked=asked)
    return load_files_only(inputs, rules or DEFAULT_RULES, report, schemes, prefixes, limits)


def load_files_only(
    inputs: Inputs,
    rules: Sequence[RuleSource],
    report: Callable[[LoadReport], object],
    schemes: str = "auto",
    prefixes: dict[str, str] | None = None,
    limits: Limits = NO_LIMITS,
) -> KnowledgeBase:
    """A knowledge base as `load` makes it, from files that are not a store on disk; `report` takes that of the load."""
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason.store.rule_warnings import warn_of_unknown_relations

    knowledge = KnowledgeBase(list(rules), schemes, budget=limits.budget, strict=limits.strict)
    warn_of_unknown_relations(knowledge.rules)
    report(knowledge.take_in(loaded(inputs, knowledge.dictionary, prefixes)))
    with progress_bar("reasoning"):
        knowledge.flush()
    return knowledge


def store_on_disk(files: Sequence[str]) -> Path | None:
    """The store on disk that is given in the place of files, None where it is files.

    Raises:
        UsageError: both.
    """
    from kgreason.disk.log_file import FILE

    stores = [Path(file) for file in files if file != STDIN and (Path(file) / FILE).is_file()]
    if stores and len(files) > 1:
        raise UsageError("a store on disk stands alone, not beside other files", path=stores[0])
    return stores[0] if stores else None


def opened(
    path: Path,
    rules: Sequence[RuleSource] = (),
    schemes: str = "auto",
    prefixes: dict[str, str] | None = None,
    limits: Limits = NO_LIMITS,
) -> KnowledgeBase:
    """The last commit of a store on disk, which may be open for writing elsewhere."""
    from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
    from kgreason.disk.settings import prefixes_of

    with progress_bar("opening"):
        options = OpenOptions(list(rules) or None, schemes=None if schemes == "auto" else schemes, budget=limits.budget)
        store = DurableKnowledge(path, options, read_only=True)
    try:
        if prefixes is not None:
            prefixes.update(prefixes_of(store.settings))
    finally:
        store.close()
    return store.knowledge


def print_report(report: LoadReport, asked: Container[str] | None = ()) -> None:
    """Print to stderr what was skipped or ignored, and which of the prefixes that are `asked` for, or of all, are
    ambiguous."""
    for line in (*report.faults(), *report.notes):
        print_line(line)
    for each in report.redeclarations:
        if asked is None or each.prefix in asked:
            print_line(f"warning: {each}")


def loaded(
    inputs: Inputs,
    dictionary: Dictionary,
    prefixes: dict[str, str] | None = None,
    knows: Callable[[str], bool] = lambda iri: False,
) -> Loaded:
    """What is in all files and stdin together, with a report; `knows` says which ontologies need not be imported.

    Raises:
        LoadError: a file that cannot be read.
    """
    from kgreason.io.contents import Stream
    from kgreason.io.readers import load_files

    sources = [Stream(sys.stdin.buffer, STDIN_NAME) if file == STDIN else file for file in inputs.files]
    with progress_bar("reading") as progress:
        options = inputs.options(progress, prefixes)
        return load_files(
            sources,
            dictionary,
            default_format=inputs.input_format,
            unfinished=inputs.unfinished,
            access=inputs.access,
            imports=inputs.imports,
            knows=knows,
            **options,
        )


def check_inputs(inputs: Inputs) -> None:
    """Refuse what is wrong with the command line before anything long begins.

    Raises:
        UsageError: an unknown format, no such file, stdin twice, or wrong columns.
    """
    from kgreason.io.documents import is_url
    from kgreason.io.formats import format_of
    from kgreason.io.term_tables import TableOptions

    options = inputs.options(None, None)
    try:
        if inputs.input_format is not None:
            format_of(inputs.input_format)
        TableOptions.of(options["columns"], options["terms"])
        _ = inputs.imports
    except LoadError as error:
        raise UsageError(str(error)) from error
    if inputs.import_places and inputs.no_imports:
        raise UsageError("--imports and --no-imports exclude each other")
    if inputs.files.count(STDIN) > 1:
        raise UsageError("stdin can be read once only")
    for file in inputs.files:
        if not (file == STDIN or is_url(file) or Path(file).exists()):
            raise UsageError("no such file or directory", path=file)
