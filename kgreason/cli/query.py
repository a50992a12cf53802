"""``kgreason query``: SPARQL over explicit and inferred triples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.answers import FORMATS, print_answer
from kgreason.cli.loading import formats_of, inputs, progress_bar
from kgreason.cli.options import Files, InputFormat, Lenient, RuleNames
from kgreason.cli.reporting import UsageError

if TYPE_CHECKING:
    from rdflib import Dataset
    from rdflib.plugins.sparql.sparql import Query


def query(
    files: Files,
    rules: RuleNames,
    query: Annotated[
        str, typer.Option("--query", "-q", metavar="QUERY", help="A SPARQL query, or a file that holds one.")
    ],
    format: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help=f"How to print: {', '.join(FORMATS)}.")
    ] = None,
    input_format: InputFormat = None,
    lenient: Lenient = False,
) -> None:
    """Ask SPARQL; its default graph is everything, a named graph is what was asserted in it."""
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format {format}; there are {', '.join(FORMATS)}")
    formats = formats_of(files, input_format)
    prepared = prepare(query_text(query))
    print_answer(filled(files, formats, rules, lenient).query(prepared), format)


def filled(files: Sequence[str], formats: Sequence[str | None], rules: Sequence[str], lenient: bool) -> Dataset:
    """A dataset over a reasoning store with the files in it and everything maintained."""
    from rdflib import Dataset

    from kgreason_rdflib.store import ReasoningStore

    store = ReasoningStore(rules=rules)
    dataset = Dataset(store=store, default_union=True)
    for quads in inputs(files, formats, store.knowledge_base.dictionary, lenient=lenient):
        store.load_quads(quads)
    with progress_bar("reasoning"):
        len(dataset)
    return dataset


def query_text(argument: str) -> str:
    """The query itself, from the file that is named or as it stands.

    Raises:
        UsageError: it looks like the name of a file that does not exist, or cannot be read as text.
    """
    looks_like_query = "{" in argument or any(character.isspace() for character in argument.strip())
    if looks_like_query:
        return argument
    try:
        return Path(argument).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"{argument}: neither a query nor a file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{argument}: {getattr(error, 'strerror', None) or error}") from error


def prepare(text: str) -> Query:
    """The parsed query.

    Raises:
        UsageError: it is no SPARQL query.
    """
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql import prepareQuery

    try:
        return prepareQuery(text)
    except ParseBaseException as error:
        raise UsageError(f"query, line {error.lineno}, column {error.column}: {error.msg}") from error
    except Exception as error:
        # rdflib reports unknown prefixes, misplaced variables and the like as bare Exception.
        raise UsageError(f"query: {error}") from error
