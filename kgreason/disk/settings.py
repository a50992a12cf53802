"""The settings of a store: texts by name, which may come from anywhere, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kgreason.disk.json_documents import expect, parse_document
from kgreason.disk.open_options import OpenOptions, rules_of
from kgreason.errors import DamageError, RuleError
from kgreason.program.rules import Program
from kgreason.program.stratification import check_stratification

RULES: Final = "rules"
OPTIONS: Final = "options"
GRAPHS: Final = "graphs"
PREFIXES: Final = "prefixes"


def names_of_graphs(settings: Mapping[str, str]) -> list[str]:
    """The keys of the names of graphs; LoadError for what says none."""
    what = "the names of graphs"
    return _texts(parse_document(settings.get(GRAPHS, "[]"), what), what)


def prefixes_of(settings: Mapping[str, str]) -> list[tuple[str, str]]:
    """Prefixes with their namespaces; LoadError for what says none."""
    found: list[tuple[str, str]] = []
    for pair in expect(parse_document(settings.get(PREFIXES, "[]"), PREFIXES), list, PREFIXES):
        texts = _texts(pair, "a prefix and its namespace")
        if len(texts) != 2:
            raise DamageError(f"a prefix with {len(texts) - 1} namespaces", expected="one")
        found.append((texts[0], texts[1]))
    return found


def check_settings(settings: Mapping[str, str]) -> None:
    """Raise LoadError where a store with these settings could not be opened."""
    names_of_graphs(settings)
    prefixes_of(settings)
    OpenOptions().completed(settings.get(OPTIONS))
    try:
        check_stratification(Program(tuple(rules_of(settings.get(RULES)))))
    except RuleError as error:
        raise DamageError(f"{error}") from error


def _texts(value: Any, what: str) -> list[str]:
    """A list of texts; LoadError otherwise."""
    return [expect(each, str, what) for each in expect(value, list, what)]
