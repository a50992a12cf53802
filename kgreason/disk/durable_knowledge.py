"""A knowledge base on a directory: opened from its snapshot and log, committed to the log, rolled back.

The log says which explicit quads, terms and settings there are; everything else follows from it. Opening maps the
snapshot and maintains what was committed after it, as one change; where the snapshot cannot be used, the log is read
from its beginning, and what follows is derived again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.disk.checked_files import Parts
from kgreason.disk.codec import ColumnReader, expect_list
from kgreason.disk.commit_records import Commit, Settings
from kgreason.disk.commit_replay import keys_between, size_of, take_in
from kgreason.disk.json_documents import expect, expect_number
from kgreason.disk.open_options import Counts, OpenOptions, counted, rules_of, text_of
from kgreason.disk.read_transaction import Position, ReadTransaction, SupersededError
from kgreason.disk.settings import OPTIONS, RULES
from kgreason.disk.snapshot_format.whole_state import FORMAT, read_state, write_state
from kgreason.disk.snapshot_schedule import Snapshots
from kgreason.disk.store_directory import StoreDirectory
from kgreason.engine.budget import Budget
from kgreason.errors import (
    DamageError,
    KGReasonError,
    LoadError,
    MovedError,
    ReadOnlyError,
    RuleError,
    StoreError,
    located,
)
from kgreason.program.rules import Program
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules

_NONSENSE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError)
"""Errors that a damaged snapshot with the right checksum leads to."""

_LOG: Final = logging.getLogger("kgreason.disk")


@dataclass(slots=True)
class _Opened:
    """A knowledge base with its settings and rules, and by how much the snapshot was behind it."""

    knowledge: KnowledgeBase
    settings: dict[str, str]
    rules: Counts
    commits: int
    quads: int


class DurableKnowledge:
    """A knowledge base whose changes are put on disk by `commit`; `settings` are those committed last."""

    def __init__(self, path: Path, options: OpenOptions, *, create: bool = False, read_only: bool = False) -> None:
        """Open a directory.

        Raises:
            KGReasonError: there is no store, another writer has it open, or it cannot be written.
            LoadError: what was committed is damaged.
            RuleError: rules that cannot be used.
            BudgetError: reading them takes longer than the budget allows.
        """
        options.check()
        with heeding((options.budget or Budget()).reading()):
            wanted = None if options.rules is None else resolve_rules(options.rules)
        self.directory = StoreDirectory(path, create=create, read_only=read_only)
        try:
            opened = self._opened(options)
            self.directory.tidy()
            self.knowledge, self.settings, self._rules = opened.knowledge, opened.settings, opened.rules
            self._snapshots = Snapshots(self.directory, opened.commits, opened.quads)
            if wanted is not None or not self._position.number:
                wanted = resolve_rules(options.default) if wanted is None else wanted
                self.knowledge.history.advance([], counted(wanted.rules))
            # What a rollback goes back to: rules that `open` was given stay, though they are not committed yet.
            self._start_rules: Counts = self.knowledge.rules
            self.knowledge.history.mark_committed()
            if create and not self._position.number:  # it opens again with the rules and options that it is made with
                self.commit({})
        except BaseException:
            self.directory.abandon()
            raise

    # -- opening ------------------------------------------------------------------------------------------------

    def _opened(self, options: OpenOptions) -> _Opened:
        """The knowledge base as of one commit; of a later one where a writer deletes its files meanwhile."""
        while True:
            with suppress(SupersededError), self._naming_it(), self.directory.reading() as transaction:
                self._position = transaction.last()
                self._options = options.completed(transaction.setting(OPTIONS))
                return self._from_snapshot(transaction) or self._from_log(transaction)
            self.directory.reconnect()

    @contextmanager
    def _naming_it(self) -> Iterator[None]:
        """Let what is damaged be said with the directory that it is in."""
        try:
            with located(path=self.directory.path):
                yield
        except RuleError as error:
            raise DamageError(str(error), path=self.directory.path, part="the rules") from error

    def _from_snapshot(self, transaction: ReadTransaction) -> _Opened | None:
        """The state of the snapshot and what was committed since; None where there is none that can be used."""
        try:
            found = transaction.snapshot()
            if found is None:
                return None
            position, data = found
            columns = ColumnReader(data)
            reason = self._unfit(columns.document, position)
            if reason is None:
                settings = _settings_of(columns.document)
                state = read_state(columns, self._options.readers)
                knowledge = self._options.base(Program(()), Dictionary.of_state(state.dictionary))
                knowledge.history.go_on_from(state)
                return self._caught_up(transaction, position, knowledge, settings)
        except SupersededError:
            raise
        except LoadError as error:
            reason = str(error)
        except _NONSENSE as error:
            reason = f"damaged: {type(error).__name__}: {error}"
        _LOG.warning("%s: the snapshot is of no use (%s): reading the log instead", self.directory.path, reason)
        return None

    def _unfit(self, head: Mapping[str, Any], position: Position) -> str | None:
        """Why a snapshot is not for this code, these options, and this log."""
        if head.get("format") != FORMAT:
            return "another version of kgreason wrote it"
        if head.get("options") != self._options.tables.document():
            return "it was written for other schemes or another strategy"
        numbers = expect_list(head.get("place"), 3, "its place")
        number, chain, terms = (expect_number(part, "its place") for part in numbers)
        is_last = number == self._position.number
        if Position(number, chain) != position or (is_last and self._position != Position(number, chain, terms)):
            return "it is of another commit than the log says"
        return None

    def _caught_up(
        self, transaction: ReadTransaction, position: Position, knowledge: KnowledgeBase, settings: dict[str, str]
    ) -> _Opened:
        saved = settings.get(RULES)
        steps, commits = take_in(knowledge.dictionary, transaction.commits(position), settings)
        rules = knowledge.rules if settings.get(RULES) == saved else rules_of(settings.get(RULES))
        if steps or settings.get(RULES) != saved:
            knowledge.history.advance(steps, rules)
        return _Opened(knowledge, settings, rules, commits, size_of(steps))

    def _from_log(self, transaction: ReadTransaction) -> _Opened:
        dictionary, settings = Dictionary(), dict[str, str]()
        steps, commits = take_in(dictionary, transaction.commits(Position()), settings)
        rules = rules_of(settings.get(RULES))
        knowledge = self._options.base(Program(()), dictionary)
        knowledge.history.advance(steps, rules)
        return _Opened(knowledge, settings, rules, commits, size_of(steps))

    @property
    def version(self) -> str:
        """A name of what was committed last: the number of the commit, and its checksum."""
        return f"{self._position.number}-{self._position.chain & 0xFFFFFFFFFFFFFFFF:x}"

    def catch_up(self) -> bool:
        """Of a directory that is open for reading, show what was committed since, as one change; whether there was
        anything.

        Raises:
            LoadError: the log was compacted meanwhile, or is damaged: open the directory anew.
            KGReasonError: the directory is open for writing, or something was changed here; nothing has changed.
        """
        knowledge = self.knowledge
        with knowledge.paused(), self._naming_it():
            if not self.directory.read_only or knowledge.history.uncommitted:
                raise StoreError("only a store that is as it was committed can show what others commit")
            self.directory.reconnect()
            with self.directory.reading() as transaction:
                last = transaction.last()
                if last == self._position:
                    return False
                opened = self._caught_up(transaction, self._position, knowledge, dict(self.settings))
            self._position, self.settings, self._rules = last, opened.settings, opened.rules
            self._start_rules = knowledge.rules
            knowledge.history.mark_committed()
            return True

    # -- transactions -------------------------------------------------------------------------------------------

    def commit(self, settings: Settings) -> bool:
        """Maintain what is queued, and put on disk what changed since the last commit; whether there was anything.

        Args:
            settings: those that may have changed; others stay, and this sees to those of the options and rules.

        Raises:
            KGReasonError: it is not on disk, and can be tried again; in memory, all is as it was.
        """
        knowledge = self.knowledge
        with knowledge.paused():
            rules = knowledge.rules
            wanted = self._settings_with(settings, rules)
            changed = {name: text for name, text in wanted.items() if self.settings.get(name) != text}
            steps = knowledge.history.uncommitted
            if self.directory.read_only and (steps or rules != self._start_rules):
                raise ReadOnlyError("open for reading only: nothing can be committed", path=self.directory.path)
            if self.directory.read_only or not (steps or changed):
                return False
            first = self._position.terms
            keys = keys_between(knowledge.dictionary, first, len(knowledge.dictionary))
            commit = Commit(first, keys, steps, changed)
            prepared = self.directory.prepare(commit, self._position)
            try:
                self.directory.append(prepared)
            except BaseException as error:
                if isinstance(error, MovedError) or not self._is_last(prepared.position):
                    raise
                self._committed(prepared.position, wanted, rules)
                if not isinstance(error, KGReasonError):
                    raise
            else:
                try:
                    self._committed(prepared.position, wanted, rules)
                except BaseException:  # it is on disk whatever stops this
                    self._committed(prepared.position, wanted, rules)
                    raise
            self._snapshots.committed(len(commit), lambda: knowledge.explicit().count(), self._snapshot_source)
            return True

    def _settings_with(self, settings: Settings, rules: Counts) -> dict[str, str]:
        """The settings with those that are given, and those of the options and the rules; unchanged rules keep their
        text."""
        known = self.settings.get(RULES) if rules == self._rules else None
        return {**self.settings, **settings, OPTIONS: self._options.setting(), RULES: known or text_of(rules)}

    def _is_last(self, position: Position) -> bool:
        """Whether a commit that failed or was interrupted is on disk all the same: that one, by its checksum, and not
        another one with its number."""
        with suppress(KGReasonError):
            return self.directory.end() == position
        return False

    def _committed(self, position: Position, settings: dict[str, str], rules: Counts) -> None:
        """From now on, this is what was committed last."""
        self._position = position
        self.knowledge.history.mark_committed()
        self.settings, self._rules, self._start_rules = settings, rules, rules

    def roll_back(self) -> None:
        """Undo all changes of triples and rules since the last commit, or since the opening."""
        self.knowledge.history.roll_back()

    def write_snapshot(self) -> None:
        """Write a snapshot of what is committed.

        Raises:
            KGReasonError: it cannot be written, or something is not committed; the one before stays.
        """
        self._check_committed()
        self._snapshots.write(self._snapshot_source)

    def compact(self) -> None:
        """Write a snapshot, and put one commit with all that remains in the place of all those before, so that their
        room on disk is given back. This happens by itself when it is due.

        Raises:
            KGReasonError: it cannot be written, or something is not committed; what was committed stays as it was.
            LoadError: something that was committed is damaged.
        """
        self._check_committed()
        self._snapshots.compact(self._snapshot_source)

    def _check_committed(self) -> None:
        if self.directory.read_only:
            raise ReadOnlyError("open for reading only: nothing can be written", path=self.directory.path)
        with self.knowledge.paused():
            if self.knowledge.history.uncommitted:
                raise StoreError("something is not committed yet: commit first", path=self.directory.path)

    def _snapshot_source(self) -> tuple[Parts, Position]:
        knowledge = self.knowledge
        with knowledge.paused():
            if knowledge.history.uncommitted:
                raise StoreError("a snapshot is of what is committed: commit first", path=self.directory.path)
            # The next commits are to agree with what the snapshot says of ids, also of those that no triple has.
            knowledge.history.keep_terms()
            position = self._position
            head = {
                "format": FORMAT,
                "place": [position.number, position.chain, position.terms],
                "options": knowledge.options.document(),
                "settings": self.settings,
            }
            return write_state(knowledge.history.snapshot(), head), position

    def close(self) -> None:
        """Give the directory back, with a snapshot if the one that is there is far behind; what is not committed is
        lost to the directory, and stays in memory to be read. Changes are refused from now on."""
        try:
            self._snapshots.wait()
            if not (self.directory.read_only or self.directory.is_inherited or self.knowledge.history.uncommitted):
                self._snapshots.closing(self.knowledge.explicit().count(), self._snapshot_source)
        finally:
            self.knowledge.history.close()
            self.directory.close()


def _settings_of(head: Mapping[str, Any]) -> dict[str, str]:
    """The settings that a snapshot has; LoadError where it has none."""
    settings: dict[str, str] = expect(head.get("settings"), dict, "its settings")
    for name, text in settings.items():
        expect(text, str, f"its setting {name!a:.40}")
    return dict(settings)


__all__ = ["OPTIONS", "RULES", "DurableKnowledge", "OpenOptions"]
