"""SPARQL on the command line: a text or a file that holds one, parsed before anything long begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from kgreason.cli.error_lines import UsageError
from kgreason.errors import QueryError, unreadable

PREFIX: Final = re.compile(r"(?<!\w)([A-Za-z](?:[\w.-]*[\w-])?|):", re.ASCII)
"""What stands before a colon: prefixes, and perhaps more."""


def text_of(argument: str) -> str:
    """The request itself, from the file that is named or as it stands.

    Raises:
        UsageError: it looks like the name of a file that does not exist, or cannot be read as text.
    """
    if not argument.strip():
        raise UsageError("the SPARQL request is empty")
    if _is_sparql(argument):
        return argument
    try:
        # Read as bytes, so that line breaks inside strings are kept.
        return Path(argument).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError("neither SPARQL nor a file", path=argument) from None
    except (OSError, UnicodeDecodeError) as error:
        reason, place = unreadable(error, argument)
        raise UsageError(reason, **place) from error


def place_of(argument: str, what: str) -> str:
    """How errors call the request: the file that is named, or what it is."""
    return what if _is_sparql(argument) else argument


def _is_sparql(argument: str) -> bool:
    return "{" in argument or any(character.isspace() for character in argument.strip())


def check_query(text: str, prefixes: Mapping[str, str] | None, place: str = "query") -> frozenset[str]:
    """Refuse what is not a query; without `prefixes`, under any: what files declare is known when they are loaded.

    Returns: the prefixes that it uses and does not declare.

    Raises:
        UsageError: it is not one, or uses a prefix that is not known; it names the `place` of the text.
    """
    from kgreason_rdflib.sparql.questions import parsed_question

    return _check(parsed_question, text, place, prefixes)


def check_update(text: str, prefixes: Mapping[str, str] | None, place: str = "update") -> None:
    """Refuse what is not an update, as `check_query` does."""
    from kgreason_rdflib.sparql.update_operations import parsed_operations

    _check(parsed_operations, text, place, prefixes)


class _AnyPrefix(dict[str, str]):
    """Has every prefix, and those that were looked up in `used`."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def get(self, prefix: str, default: object = None) -> str:
        self.used.add(prefix)
        return f"urn:x-kgreason:{prefix}:"


def _check(
    parse: Callable[[str, str | None, Mapping[str, object]], object],
    text: str,
    place: str,
    prefixes: Mapping[str, str] | None,
) -> frozenset[str]:
    from kgreason_rdflib.sparql.translations import KnownPrefixes

    known = _AnyPrefix() if prefixes is None else KnownPrefixes(prefixes)
    try:
        parse(text, None, known)
    except QueryError as error:
        raise UsageError.like(error).locate(path=place) from error
    return frozenset(known.used)
