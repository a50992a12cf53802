"""``kgreason add``, ``apply`` and ``update``: changes of a store on disk, each one commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.inputs import Inputs, Reading, check_inputs, loaded, store_on_disk
from kgreason.cli.options import Allow, Limits, RuleNames, access_of, option_groups
from kgreason.cli.progress_bar import progress_bar
from kgreason.cli.requests import check_update, place_of, text_of
from kgreason.plurals import counted

GraphName: TypeAlias = Annotated[
    str | None,
    typer.Option("--graph", "-g", metavar="IRI", help="The graph for triples; the default graph if left out."),
]

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore


@option_groups
def add(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A store on disk; it is made where there is none.")],
    rules: RuleNames,
    *,
    graph: GraphName = None,
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Add what is in files to a store on disk: all of it, or nothing. Rules take the place of those that it has."""
    if store_on_disk(inputs.files) is not None:
        raise UsageError("a store on disk is not a file; kgreason restore copies one", path=inputs.files[0])
    if store.exists() and not store.is_dir():
        raise UsageError("is a file; a store on disk is a directory", path=store)
    check_inputs(inputs)
    check_graph(graph)
    prefixes: dict[str, str] = {}
    with _opened(store, rules, limits, create=True) as opened:
        base = opened.knowledge_base
        report = opened.take_in(loaded(inputs, base.dictionary, prefixes, base.has_ontology), graph)
        _bind(opened, prefixes)
        _commit(opened)
        print(report)
        _print_size(store, opened)


@option_groups
def apply(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A store on disk.")],
    *,
    added: Annotated[
        list[str] | None,
        typer.Option("--added", "-a", metavar="FILE", help="What to add: a file or a directory; may be repeated."),
    ] = None,
    removed: Annotated[
        list[str] | None,
        typer.Option("--removed", "-r", metavar="FILE", help="What to take away first; may be repeated."),
    ] = None,
    graph: GraphName = None,
    reading: Reading,
    limits: Limits,
) -> None:
    """Add and remove what is in files, in one change of a store: all of it, or nothing."""
    come, gone = (reading.of(*(files or ())) for files in (added, removed))
    if not come.files and not gone.files:
        raise UsageError("there is nothing to apply (--added or --removed was expected)")
    for inputs in (come, gone):
        check_inputs(inputs)
    check_graph(graph)
    if store_on_disk([str(store)]) is None:
        raise UsageError("there is no store on disk", path=store)
    gone = replace(gone, import_places=None, no_imports=True)
    prefixes: dict[str, str] = {}
    with _opened(store, (), limits, create=False) as opened:
        knows = opened.knowledge_base.has_ontology
        report = opened.apply_loaded(
            lambda dictionary: loaded(come, dictionary, prefixes, knows),
            lambda dictionary: loaded(gone, dictionary, None, knows),
            graph,
        )
        _bind(opened, prefixes)
        _commit(opened)
        print(report)
        _print_size(store, opened)


@option_groups
def update(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A store on disk.")],
    allow: Allow,
    *,
    update: Annotated[
        str, typer.Option("--update", "-u", metavar="UPDATE", help="A SPARQL update, or a file that holds one.")
    ],
    limits: Limits,
) -> None:
    """Change a store on disk by SPARQL: all operations of the request, or none."""
    request, place = text_of(update), place_of(update, "update")
    check_update(request, None, place)
    if store_on_disk([str(store)]) is None:
        raise UsageError("there is no store on disk", path=store)
    from rdflib import Dataset

    with _opened(store, (), limits, create=False) as opened:
        dataset = Dataset(store=opened)
        check_update(request, dict(dataset.namespaces()), place)
        dataset.update(request, access=access_of(allow))
        _commit(opened)
        _print_size(store, opened)


def check_graph(name: str | None) -> None:
    """Refuse the name of a graph that is not an IRI, before rdflib warns of it."""
    from kgreason.errors import TermError
    from kgreason.rdf.keys import iri_key

    try:
        if name is not None:
            iri_key(name)
    except TermError as error:
        raise UsageError(error.reason, path="--graph") from None


@contextmanager
def _opened(path: Path, rules: Sequence[str], limits: Limits, *, create: bool) -> Iterator[ReasoningStore]:
    """A store on disk, open for writing; where the body fails, the directory is as it was before."""
    from kgreason_rdflib.store import ReasoningStore

    is_new, had_directory = store_on_disk([str(path)]) is None, path.exists()
    store = ReasoningStore(rules=list(rules) or None, budget=limits.budget, strict=limits.strict)
    with progress_bar("opening"):
        store.open(str(path), create=create)
    try:
        with store:
            yield store
    except BaseException:
        if is_new:
            store.destroy(str(path))
        if not had_directory:
            with suppress(OSError):
                path.rmdir()
        raise


def _bind(store: ReasoningStore, prefixes: Mapping[str, str]) -> None:
    """Know the prefixes that files declare, where they are free."""
    from rdflib import URIRef

    for prefix, namespace in prefixes.items():
        store.bind(prefix, URIRef(namespace), override=False)


def _commit(store: ReasoningStore) -> None:
    with progress_bar("reasoning"):
        store.commit()


def _print_size(path: Path, store: ReasoningStore) -> None:
    print(f"{path}: {counted(len(store.explicit), 'triple')}, and {len(store.inferred):,} that follow")
