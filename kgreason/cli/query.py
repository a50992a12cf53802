"""``kgreason query``: SPARQL over explicit and inferred triples."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from kgreason.cli.answers import ENDINGS, FORMATS, PARQUET, write_answer, write_parquet
from kgreason.cli.inputs import Inputs, check_inputs, loaded, print_report, store_on_disk
from kgreason.cli.options import DEFAULT_RULES, Limits, OutputFile, RuleNames, access_of, option_groups
from kgreason.cli.output import check_target, chosen_format
from kgreason.cli.progress_bar import progress_bar
from kgreason.cli.requests import check_query, place_of, text_of

if TYPE_CHECKING:
    from rdflib import Dataset

    from kgreason_rdflib.store import ReasoningStore


@option_groups
def query(
    rules: RuleNames,
    *,
    query: Annotated[
        str, typer.Option("--query", "-q", metavar="QUERY", help="A SPARQL query, or a file that holds one.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help=f"How to write: {', '.join(FORMATS)}; told by FILE, also FILE.gz."
        ),
    ] = None,
    output: OutputFile = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the plan that ran, with expected and actual rows, instead.")
    ] = False,
    explicit_only: Annotated[
        bool, typer.Option("--explicit-only", help="Ask what was asserted, without what follows.")
    ] = False,
    timeout: Annotated[float | None, typer.Option(min=0, metavar="SECONDS", help="Give up after this time.")] = None,
    max_rows: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Give up when the answer or a step has more rows.")
    ] = None,
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Ask SPARQL, with the prefixes of the files.

    The default graph is everything, a named graph is what was asserted in it.
    """
    chosen = chosen_format(format, output, FORMATS, ENDINGS)
    check_target(output)
    check_inputs(inputs)
    request, place = text_of(query), place_of(query, "query")
    asked = check_query(request, None, place)
    dataset = filled(inputs, rules, limits, asked)
    check_query(request, dict(dataset.namespaces()), place)
    options = given(timeout=timeout, max_rows=max_rows, include_inferred=False if explicit_only else None)
    options["access"] = access_of(inputs.allow)
    with store_of(dataset):
        if explain:
            print(store_of(dataset).explain_query(request, dataset, **options))
        elif chosen == PARQUET:
            write_parquet(store_of(dataset).query_table(request, dataset, **options), output)
        else:
            write_answer(dataset.query(request, **options), chosen, output, dataset.namespaces())


def given(**options: object) -> dict[str, Any]:
    """The given options that only this engine supports."""
    return {name: value for name, value in options.items() if value is not None}


def store_of(dataset: Dataset) -> ReasoningStore:
    """The store under a dataset that `filled` made."""
    return cast("ReasoningStore", dataset.store)


def filled(inputs: Inputs, rules: Sequence[str], limits: Limits, asked: Container[str] | None = None) -> Dataset:
    """A dataset over a reasoning store with the files in it and everything maintained.

    Of a prefix that files bind to different namespaces the last one counts. A line on stderr says so: of each that is
    `asked` for, or of all.
    """
    from rdflib import Dataset

    from kgreason_rdflib.store import ReasoningStore

    on_disk = store_on_disk(inputs.files)
    if on_disk is not None:
        store = ReasoningStore(rules=list(rules) or None, budget=limits.budget)
        store.open(str(on_disk), read_only=True)
        if limits.strict:
            store.knowledge_base.check_lists()
        return Dataset(store=store, default_union=True)
    store = ReasoningStore(rules=list(rules or DEFAULT_RULES), budget=limits.budget, strict=limits.strict)
    dataset = Dataset(store=store, default_union=True)
    declared: dict[str, str] = {}
    print_report(store.take_in(loaded(inputs, store.knowledge_base.dictionary, declared)), asked)
    for prefix, namespace in declared.items():
        dataset.bind(prefix, namespace, replace=True)
    with progress_bar("reasoning"):
        len(dataset)
    return dataset
