"""A knowledge base as a directory has it: from its snapshot and the commits after it, or from the log alone.

The snapshot is mapped, and what was committed after it is maintained as one change. Where it cannot be used, because it
is damaged, or of another version or other options, the log is read from its beginning, and what follows is derived
again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk.codec import ColumnReader, expect_list
from kgreason.disk.commit_replay import size_of, take_in
from kgreason.disk.json_documents import expect, expect_number
from kgreason.disk.open_options import Counts, OpenOptions, rules_of
from kgreason.disk.read_transaction import Position, ReadTransaction, SupersededError
from kgreason.disk.settings import OPTIONS, RULES
from kgreason.disk.snapshot_format.whole_state import FORMAT, read_state
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import DamageError, LoadError, RuleError, located
from kgreason.program.rules import Program
from kgreason.store.knowledge_base import KnowledgeBase

_NONSENSE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError)
"""Errors that a damaged snapshot with the right checksum leads to."""

_LOG: Final = logging.getLogger("kgreason.disk")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenedKnowledge:
    """A knowledge base with its settings and rules, and by how many commits and quads it was behind."""

    knowledge: KnowledgeBase
    settings: dict[str, str]
    rules: Counts
    commits: int
    quads: int


def open_knowledge(directory: StoreDirectory, options: OpenOptions) -> tuple[Position, OpenOptions, OpenedKnowledge]:
    """The knowledge base as of one commit, with the place of that and the options that hold; as of a later one where a
    writer deletes its files meanwhile.

    Raises:
        LoadError: what was committed is damaged.
    """
    while True:
        with suppress(SupersededError), naming_directory(directory.path), directory.reading() as transaction:
            last = transaction.last()
            completed = options.completed(transaction.setting(OPTIONS))
            found = _from_snapshot(transaction, last, completed, directory.path)
            return last, completed, found or _from_log(transaction, completed)
        directory.reconnect()


@contextmanager
def naming_directory(path: Path) -> Iterator[None]:
    """Let what is damaged be said with the directory that it is in."""
    try:
        with located(path=path):
            yield
    except RuleError as error:
        raise DamageError(str(error), path=path, part="the rules") from error


def caught_up(
    transaction: ReadTransaction, position: Position, knowledge: KnowledgeBase, settings: dict[str, str]
) -> OpenedKnowledge:
    """A knowledge base as of some commit, with its settings then, after what was committed since."""
    saved = settings.get(RULES)
    steps, commits = take_in(knowledge.dictionary, transaction.commits(position), settings)
    rules = knowledge.rules if settings.get(RULES) == saved else rules_of(settings.get(RULES))
    if steps or settings.get(RULES) != saved:
        knowledge.history.advance(steps, rules)
    return OpenedKnowledge(knowledge, settings, rules, commits, size_of(steps))


def _from_snapshot(
    transaction: ReadTransaction, last: Position, options: OpenOptions, path: Path
) -> OpenedKnowledge | None:
    """The state of the snapshot and what was committed since; None where there is none that can be used."""
    try:
        found = transaction.snapshot()
        if found is None:
            return None
        position, data = found
        columns = ColumnReader(data)
        reason = _unfit(columns.document, position, last, options)
        if reason is None:
            settings = _settings_of(columns.document)
            state = read_state(columns, options.readers)
            knowledge = options.base(Program(()), Dictionary.of_state(state.dictionary))
            knowledge.history.go_on_from(state)
            return caught_up(transaction, position, knowledge, settings)
    except SupersededError:
        raise
    except LoadError as error:
        reason = str(error)
    except _NONSENSE as error:
        reason = f"damaged: {type(error).__name__}: {error}"
    _LOG.warning("%s: the snapshot is of no use (%s): reading the log instead", path, reason)
    return None


def _unfit(head: Mapping[str, Any], position: Position, last: Position, options: OpenOptions) -> str | None:
    """Why a snapshot is not for this code, these options, and a log that ends with the commit `last`."""
    if head.get("format") != FORMAT:
        return "another version of kgreason wrote it"
    if head.get("options") != options.tables.document():
        return "it was written for other schemes or another strategy"
    numbers = expect_list(head.get("place"), 3, "its place")
    number, chain, terms = (expect_number(part, "its place") for part in numbers)
    is_last = number == last.number
    if Position(number, chain) != position or (is_last and last != Position(number, chain, terms)):
        return "it is of another commit than the log says"
    return None


def _settings_of(head: Mapping[str, Any]) -> dict[str, str]:
    """The settings that a snapshot has; LoadError where it has none."""
    settings: dict[str, str] = expect(head.get("settings"), dict, "its settings")
    for name, text in settings.items():
        expect(text, str, f"its setting {name!a:.40}")
    return dict(settings)


def _from_log(transaction: ReadTransaction, options: OpenOptions) -> OpenedKnowledge:
    """What the log says, as one change of an empty knowledge base."""
    dictionary, settings = Dictionary(), dict[str, str]()
    steps, commits = take_in(dictionary, transaction.commits(Position()), settings)
    rules = rules_of(settings.get(RULES))
    knowledge = options.base(Program(()), dictionary)
    knowledge.history.advance(steps, rules)
    return OpenedKnowledge(knowledge, settings, rules, commits, size_of(steps))
