"""SPARQL on the command line: a text or a file that holds one, parsed before anything long begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from kgreason.cli.error_lines import UsageError
from kgreason.errors import QueryError


def text_of(argument: str) -> str:
    """The request itself, from the file that is named or as it stands.

    Raises:
        UsageError: it looks like the name of a file that does not exist, or cannot be read as text.
    """
    looks_like_sparql = "{" in argument or any(character.isspace() for character in argument.strip())
    if looks_like_sparql:
        return argument
    try:
        # Read as bytes, so that line breaks inside strings are kept.
        return Path(argument).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError("neither SPARQL nor a file", path=argument) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(str(getattr(error, "strerror", None) or error), path=argument) from error


def checked_query(text: str) -> str:
    """The text of a query; UsageError for anything else."""
    from kgreason_rdflib.sparql.parsed_requests import parsed

    _check(parsed, text, "query")
    return text


def checked_update(text: str) -> str:
    """The text of an update; UsageError for anything else."""
    from kgreason_rdflib.sparql.update_operations import parsed_update

    _check(parsed_update, text, "update")
    return text


def _check(parse: Callable[[str, str | None, Mapping[str, object]], object], text: str, what: str) -> None:
    from kgreason_rdflib.sparql.syntax_errors import reported

    try:
        with reported():
            parse(text, None, {})
    except QueryError as error:
        raise UsageError.like(error).locate(path=what) from error
