"""SPARQL on the command line: a text or a file that holds one, parsed before anything long begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kgreason.cli.reporting import UsageError

if TYPE_CHECKING:
    from rdflib.plugins.sparql.sparql import Query, Update

Parsed = TypeVar("Parsed")


def text_of(argument: str) -> str:
    """The request itself, from the file that is named or as it stands.

    Raises:
        UsageError: it looks like the name of a file that does not exist, or cannot be read as text.
    """
    looks_like_sparql = "{" in argument or any(character.isspace() for character in argument.strip())
    if looks_like_sparql:
        return argument
    try:
        return Path(argument).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"{argument}: neither SPARQL nor a file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{argument}: {getattr(error, 'strerror', None) or error}") from error


def prepared_query(text: str) -> Query:
    """A query, parsed; UsageError for what is none."""
    from rdflib.plugins.sparql import prepareQuery

    return _parsed(prepareQuery, text, "query")


def prepared_update(text: str) -> Update:
    """An update, parsed; UsageError for what is none."""
    from rdflib.plugins.sparql import prepareUpdate

    return _parsed(prepareUpdate, text, "update")


def _parsed(parse: Callable[[str], Parsed], text: str, what: str) -> Parsed:
    from pyparsing import ParseBaseException

    try:
        return parse(text)
    except ParseBaseException as error:
        raise UsageError(f"{what}, line {error.lineno}, column {error.column}: {error.msg}") from error
    except Exception as error:
        # rdflib reports unknown prefixes, misplaced variables and the like as bare Exception.
        raise UsageError(f"{what}: {error}") from error
