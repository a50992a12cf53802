"""SPARQL on the command line: a text or a file that holds one, parsed before anything long begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from kgreason.cli.reporting import UsageError


def text_of(argument: str) -> str:
    """The request itself, from the file that is named or as it stands.

    Raises:
        UsageError: it looks like the name of a file that does not exist, or cannot be read as text.
    """
    looks_like_sparql = "{" in argument or any(character.isspace() for character in argument.strip())
    if looks_like_sparql:
        return argument
    try:
        # As bytes: line breaks in a string of the request stay as they are.
        return Path(argument).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{argument}: neither SPARQL nor a file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{argument}: {getattr(error, 'strerror', None) or error}") from error


def checked_query(text: str) -> str:
    """The text of a query; UsageError for what is none."""
    from kgreason_rdflib.sparql.parsing import parsed

    _check(parsed, text, "query")
    return text


def checked_update(text: str) -> str:
    """The text of an update; UsageError for what is none."""
    from kgreason_rdflib.sparql.operations import parsed_update

    _check(parsed_update, text, "update")
    return text


def _check(parse: Callable[[str, str | None, Mapping[str, object]], object], text: str, what: str) -> None:
    from pyparsing import ParseBaseException

    try:
        parse(text, None, {})
    except ParseBaseException as error:
        raise UsageError(f"{what}, line {error.lineno}, column {error.column}: {error.msg}") from error
    except Exception as error:
        # rdflib reports unknown prefixes, misplaced variables and the like as bare Exception.
        raise UsageError(f"{what}: {error}") from error
