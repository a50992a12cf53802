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

from kgreason.datalog.model import Program
from kgreason.durable.codec import ColumnReader, expect_list
from kgreason.durable.directory import Directory
from kgreason.durable.documents import expect, expect_number
from kgreason.durable.files import Parts
from kgreason.durable.holding import MovedError
from kgreason.durable.moments import Moment, SupersededError
from kgreason.durable.moments import Position as Place
from kgreason.durable.records import Commit, Settings
from kgreason.errors import KGReasonError, LoadError, RuleError
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.journal import Journal
from kgreason.knowledge.replaying import keys_between, size_of, take_in
from kgreason.knowledge.rulesets import resolve_rules
from kgreason.knowledge.snapshot_format.state import FORMAT, read_state, write_state
from kgreason.knowledge.snapshots import Snapshots
from kgreason.knowledge.wishes import Counts, Wishes, counted, rules_of, text_of
from kgreason.terms.dictionary import Dictionary

RULES: Final = "rules"
OPTIONS: Final = "options"
"""The settings that are seen to here; others are whoever's who gives them to `commit`."""

_NONSENSE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError)
"""What a snapshot leads to that is damaged and has the right checksum all the same."""

_LOG: Final = logging.getLogger("kgreason.durable")


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

    def __init__(
        self, path: Path, wishes: Wishes, *, create: bool = False, read_only: bool = False
    ) -> None:
        """Open a directory.

        Raises:
            KGReasonError: there is no store, another writer has it open, or it cannot be written.
            LoadError: what was committed is damaged.
            RuleError: rules that cannot be used.
        """
        self.directory = Directory(path, create=create, read_only=read_only)
        try:
            opened = self._opened(wishes)
            self.directory.tidy()
            self.knowledge, self.settings, self._rules = opened.knowledge, opened.settings, opened.rules
            self._snapshots = Snapshots(self.directory, opened.commits, opened.quads)
            self.knowledge.journal = Journal()
            if wishes.rules is not None or not self._place.number:
                wanted = resolve_rules(wishes.default if wishes.rules is None else wishes.rules)
                self.knowledge.advance([], counted(wanted.rules))
            # What a rollback goes back to: rules that were wished for stay, though they are not committed yet.
            self._start_rules: Counts = self.knowledge.rules
        except BaseException:
            self.directory.close()
            raise

    # -- opening ------------------------------------------------------------------------------------------------

    def _opened(self, wishes: Wishes) -> _Opened:
        """What is committed, as of one moment; a later one where a writer deletes what belongs to it meanwhile."""
        while True:
            with suppress(SupersededError), self._naming_it(), self.directory.reading() as moment:
                self._place = moment.last()
                self._wishes = wishes.with_options(moment.setting(OPTIONS))
                return self._from_snapshot(moment) or self._from_log(moment)
            self.directory.reconnect()

    @contextmanager
    def _naming_it(self) -> Iterator[None]:
        """Let what is damaged be said with the directory that it is in."""
        try:
            yield
        except SupersededError:
            raise
        except LoadError as error:
            if str(self.directory.path) in str(error):
                raise
            raise LoadError(f"{self.directory.path}: {error}") from error
        except RuleError as error:
            raise LoadError(f"{self.directory.path}: damaged: {error}") from error

    def _from_snapshot(self, moment: Moment) -> _Opened | None:
        """The state of the snapshot and what was committed since; None where there is none that can be used."""
        try:
            found = moment.snapshot()
            if found is None:
                return None
            place, data = found
            columns = ColumnReader(data)
            reason = self._unfit(columns.document, place)
            if reason is None:
                settings = _settings_of(columns.document)
                state = read_state(columns)
                knowledge = self._wishes.base(Program(()), Dictionary.of_state(state.dictionary))
                knowledge.go_on_from(state)
                return self._caught_up(moment, place, knowledge, settings)
        except SupersededError:
            raise
        except LoadError as error:
            reason = str(error)
        except _NONSENSE as error:
            reason = f"damaged: {type(error).__name__}: {error}"
        _LOG.warning("%s: the snapshot is of no use (%s): reading the log instead", self.directory.path, reason)
        return None

    def _unfit(self, head: Mapping[str, Any], place: Place) -> str | None:
        """Why a snapshot is not for this code, these wishes, and this log."""
        if head.get("format") != FORMAT:
            return "another version of kgreason wrote it"
        options = self._wishes.base(Program(())).options
        if head.get("options") != options:
            return "it was written for other schemes or another strategy"
        numbers = expect_list(head.get("place"), 3, "its place")
        number, chain, terms = (expect_number(part, "its place") for part in numbers)
        is_last = number == self._place.number
        if Place(number, chain) != place or (is_last and self._place != Place(number, chain, terms)):
            return "it is of another commit than the log says"
        return None

    def _caught_up(
        self, moment: Moment, place: Place, knowledge: KnowledgeBase, settings: dict[str, str]
    ) -> _Opened:
        saved = settings.get(RULES)
        steps, commits = take_in(knowledge.dictionary, moment.commits(place), settings)
        rules = knowledge.rules if settings.get(RULES) == saved else rules_of(settings.get(RULES))
        if steps or settings.get(RULES) != saved:
            knowledge.advance(steps, rules)
        return _Opened(knowledge, settings, rules, commits, size_of(steps))

    def _from_log(self, moment: Moment) -> _Opened:
        dictionary, settings = Dictionary(), dict[str, str]()
        steps, commits = take_in(dictionary, moment.commits(Place()), settings)
        rules = rules_of(settings.get(RULES))
        knowledge = self._wishes.base(Program(()), dictionary)
        knowledge.advance(steps, rules)
        return _Opened(knowledge, settings, rules, commits, size_of(steps))

    # -- transactions -------------------------------------------------------------------------------------------

    def commit(self, settings: Settings) -> bool:
        """Maintain what is queued, and put on disk what changed since the last commit; whether there was anything.

        Args:
            settings: all that there are but those that this sees to.

        Raises:
            KGReasonError: it is not on disk, and can be tried again; in memory, all is as it was.
        """
        knowledge = self.knowledge
        with knowledge.paused():
            rules = knowledge.rules
            wanted = {**settings, OPTIONS: self._wishes.options()}
            wanted[RULES] = self.settings.get(RULES) or text_of(rules)
            if rules != self._rules:
                wanted[RULES] = text_of(rules)
            changed = {name: text for name, text in wanted.items() if self.settings.get(name) != text}
            journal = knowledge.journal or Journal()
            if self.directory.read_only and (journal or rules != self._start_rules):
                raise KGReasonError(f"{self.directory.path} is open for reading only: nothing can be committed")
            if self.directory.read_only or not (journal or changed):
                return False
            first = self._place.terms
            keys = keys_between(knowledge.dictionary, first, len(knowledge.dictionary))
            commit = Commit(first, keys, journal.steps, changed)
            prepared = self.directory.prepare(commit, self._place)
            try:
                self.directory.append(prepared)
            except BaseException as error:
                if isinstance(error, MovedError) or not self._is_last(prepared.position):
                    raise
                self._settle(commit, prepared.position, wanted, rules)
                if not isinstance(error, KGReasonError):
                    raise
            else:
                self._settle(commit, prepared.position, wanted, rules)
            return True

    def _is_last(self, place: Place) -> bool:
        """Whether a commit that failed or was interrupted is on disk all the same: that one, by its checksum, and not
        another one with its number."""
        with suppress(KGReasonError):
            return self.directory.end() == place
        return False

    def _settle(self, commit: Commit, place: Place, settings: dict[str, str], rules: Counts) -> None:
        """From now on, this is what was committed last."""
        self._place = place
        self.knowledge.journal = Journal()
        self.settings, self._rules, self._start_rules = settings, rules, rules
        self._snapshots.committed(len(commit), self.knowledge.explicit().count(), self._frozen)

    def roll_back(self) -> None:
        """Undo all changes of triples and rules since the last commit, or since the opening."""
        self.knowledge.roll_back(self._start_rules)

    def write_snapshot(self) -> None:
        """Write a snapshot of what is committed.

        Raises:
            KGReasonError: it cannot be written, or something is not committed; the one before stays.
        """
        self._check_settled()
        self._snapshots.write(self._frozen)

    def compact(self) -> None:
        """Write a snapshot, and put one commit with all that remains in the place of all those before, so that their
        room on disk is given back. This happens by itself when it is due.

        Raises:
            KGReasonError: it cannot be written, or something is not committed; what was committed stays as it was.
            LoadError: something that was committed is damaged.
        """
        self._check_settled()
        self._snapshots.compact(self._frozen)

    def _check_settled(self) -> None:
        if self.directory.read_only:
            raise KGReasonError(f"{self.directory.path} is open for reading only: nothing can be written")
        with self.knowledge.paused():
            if self.knowledge.journal:
                raise KGReasonError(f"{self.directory.path}: something is not committed yet: commit first")

    def _frozen(self) -> tuple[Parts, Place]:
        knowledge = self.knowledge
        with knowledge.paused():
            if knowledge.journal:
                raise KGReasonError("a snapshot is of what is committed: commit first")
            place = [self._place.number, self._place.chain, self._place.terms]
            options = {"options": knowledge.options, "settings": self.settings}
            return write_state(knowledge.state(), {"format": FORMAT, "place": place, **options}), self._place

    def close(self) -> None:
        """Give the directory back, with a snapshot if the one that is there is far behind; what is not committed is
        lost to the directory, and stays in memory."""
        try:
            self._snapshots.wait()
            if not (self.directory.read_only or self.directory.is_inherited or self.knowledge.journal):
                self._snapshots.closing(self.knowledge.explicit().count(), self._frozen)
        finally:
            self.knowledge.journal = None
            self.directory.close()


def _settings_of(head: Mapping[str, Any]) -> dict[str, str]:
    """The settings that a snapshot has; LoadError where it has none."""
    settings: dict[str, str] = expect(head.get("settings"), dict, "its settings")
    for name, text in settings.items():
        expect(text, str, f"its setting {name!a:.40}")
    return dict(settings)


__all__ = ["OPTIONS", "RULES", "DurableKnowledge", "Wishes"]
