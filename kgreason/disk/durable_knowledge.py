"""A knowledge base on a directory: opened from its snapshot and log, committed to the log, rolled back.

The log says which explicit quads, terms and settings there are; everything else follows from it (`opened_knowledge`).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kgreason.checkpoints import heeding
from kgreason.disk.checked_files import Parts
from kgreason.disk.commit_records import Commit, Settings
from kgreason.disk.commit_replay import keys_between
from kgreason.disk.open_options import Counts, OpenOptions, counted, text_of
from kgreason.disk.opened_knowledge import caught_up, naming_directory, open_knowledge
from kgreason.disk.read_transaction import Position
from kgreason.disk.settings import OPTIONS, RULES
from kgreason.disk.snapshot_format.whole_state import FORMAT, write_state
from kgreason.disk.snapshot_schedule import Snapshots
from kgreason.disk.store_directory import StoreDirectory
from kgreason.engine.budget import Budget
from kgreason.errors import KGReasonError, MovedError, ReadOnlyError, StoreError
from kgreason.store.rule_sets import resolve_rules


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
            self._position, self._options, opened = open_knowledge(self.directory, options)
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
        with knowledge.paused(), naming_directory(self.directory.path):
            if not self.directory.read_only or knowledge.history.uncommitted:
                raise StoreError("only a store that is as it was committed can show what others commit")
            self.directory.reconnect()
            with self.directory.reading() as transaction:
                last = transaction.last()
                if last == self._position:
                    return False
                opened = caught_up(transaction, self._position, knowledge, dict(self.settings))
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


__all__ = ["OPTIONS", "RULES", "DurableKnowledge", "OpenOptions"]
