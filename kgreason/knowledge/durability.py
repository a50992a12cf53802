"""A knowledge base on a directory: opened from its snapshot and log, committed to the log, rolled back.

The log says which explicit quads, terms and settings there are; everything else follows from it. Opening maps the
snapshot and maintains what was committed after it, as one change; where the snapshot cannot be used, the log is read
from its beginning, and what follows is derived again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from kgreason.datalog.model import Program, Rule
from kgreason.datalog.parser import parse_program
from kgreason.durable.directory import Directory, Moment
from kgreason.durable.directory import Position as Place
from kgreason.durable.files import Bytes
from kgreason.durable.frozen import freeze, read_head, thaw
from kgreason.durable.records import Commit, Keys, Settings
from kgreason.engine.strategy import MODULAR, Strategy
from kgreason.errors import KGReasonError, LoadError
from kgreason.knowledge.base import KnowledgeBase, Rules
from kgreason.knowledge.coalescing import coalesced
from kgreason.knowledge.explicit import Step
from kgreason.knowledge.journal import Journal
from kgreason.knowledge.keeping import fingerprint, names
from kgreason.knowledge.rulesets import resolve_rules
from kgreason.knowledge.snapshots import Snapshots
from kgreason.schemes.catalogue import AUTO, Catalogue
from kgreason.terms.dictionary import Dictionary

RULES: Final = "rules"
OPTIONS: Final = "options"
"""The settings that are seen to here; others are whoever's who gives them to `commit`."""

COLUMN_LEAST = 1 << 14
"""So many new terms of a commit, or more, are a column."""

_LOG: Final = logging.getLogger("kgreason.durable")
Counts: TypeAlias = Mapping[Rule, int]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user of a knowledge base wants of it in place of what was committed: `rules`, storage `schemes`, the
    `strategy`; `default` are the rules for a directory that is new. Only names of schemes and strategies are kept."""

    rules: Rules | None = None
    default: Rules = "owl-rl"
    schemes: str | Catalogue | None = None
    strategy: str | Strategy | None = None

    def with_options(self, text: str | None) -> Wishes:
        """With the options that were committed where there are no others; LoadError for what says none."""
        try:
            kept = {} if text is None else dict(json.loads(text))
        except (ValueError, TypeError) as error:
            raise LoadError(f"damaged: the options that were committed: {error}") from error
        schemes = kept.get("schemes", AUTO) if self.schemes is None else self.schemes
        strategy = kept.get("strategy", MODULAR) if self.strategy is None else self.strategy
        return replace(self, schemes=schemes, strategy=strategy)

    def options(self) -> str:
        """The options as a setting."""
        chosen = {"schemes": self.schemes, "strategy": self.strategy}
        return json.dumps({name: value for name, value in chosen.items() if isinstance(value, str)})

    def base(self, rules: Rules, dictionary: Dictionary | None = None) -> KnowledgeBase:
        """An empty knowledge base with these options."""
        return KnowledgeBase(rules, self.schemes or AUTO, self.strategy or MODULAR, dictionary=dictionary)


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
            with self.directory.reading() as moment:
                self._place = moment.last()
                self._wishes = wishes.with_options(moment.setting(OPTIONS))
                opened = self._from_snapshot(moment) or self._from_log(moment)
            self.knowledge, self.settings, self._rules = opened.knowledge, opened.settings, opened.rules
            self._snapshots = Snapshots(self.directory, opened.commits, opened.quads)
            self.knowledge.journal = Journal()
            if wishes.rules is not None or not self._place.number:
                wanted = resolve_rules(wishes.default if wishes.rules is None else wishes.rules)
                self.knowledge.advance([], _counted(wanted.rules))
        except BaseException:
            self.directory.close()
            raise

    # -- opening ------------------------------------------------------------------------------------------------

    def _from_snapshot(self, moment: Moment) -> _Opened | None:
        """The state of the snapshot and what was committed since; None where there is none that can be used."""
        try:
            found = moment.snapshot()
            if found is None:
                return None
            place, data = found
            head = read_head(data)
            reason = self._unfit(head)
            if reason is None:
                state = thaw(data, names())
                knowledge = self._wishes.base(Program(()), Dictionary.of_state(state.dictionary))
                knowledge.go_on_from(state)
                return self._caught_up(moment, place, knowledge, dict(head["settings"]))
        except LoadError as error:
            reason = str(error)
        _LOG.warning("%s: the snapshot is of no use (%s): reading the log instead", self.directory.path, reason)
        return None

    def _unfit(self, head: Mapping[str, object]) -> str | None:
        """Why a snapshot is not for this code and these wishes."""
        if head.get("fingerprint") != fingerprint():
            return "another version of kgreason, Python or numpy wrote it"
        options = self._wishes.base(Program(())).options
        return None if head.get("options") == options else "it was written for other schemes or another strategy"

    def _caught_up(
        self, moment: Moment, place: Place, knowledge: KnowledgeBase, settings: dict[str, str]
    ) -> _Opened:
        saved = settings.get(RULES)
        steps, commits = _take_in(knowledge.dictionary, moment.commits(place), settings)
        rules = knowledge.rules if settings.get(RULES) == saved else _rules_of(settings)
        if steps or settings.get(RULES) != saved:
            knowledge.advance(steps, rules)
        return _Opened(knowledge, settings, rules, commits, _size(steps))

    def _from_log(self, moment: Moment) -> _Opened:
        dictionary, settings = Dictionary(), dict[str, str]()
        steps, commits = _take_in(dictionary, moment.commits(Place()), settings)
        rules = _rules_of(settings)
        knowledge = self._wishes.base(Program(()), dictionary)
        knowledge.advance(steps, rules)
        return _Opened(knowledge, settings, rules, commits, _size(steps))

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
            wanted[RULES] = self.settings.get(RULES) or _text_of(rules)
            if rules != self._rules:
                wanted[RULES] = _text_of(rules)
            changed = {name: text for name, text in wanted.items() if self.settings.get(name) != text}
            journal = knowledge.journal or Journal()
            if not journal and not changed:
                return False
            if self.directory.read_only:
                raise KGReasonError(f"{self.directory.path} is open for reading only: nothing can be committed")
            first = self._place.terms
            keys = _keys_between(knowledge.dictionary, first, len(knowledge.dictionary))
            commit = Commit(first, keys, journal.steps, changed)
            try:
                self._place = self.directory.commit(commit, self._place)
            except BaseException as error:
                if not self._arrived():
                    raise
                self._settle(commit, wanted, rules)
                if not isinstance(error, KGReasonError):
                    raise
            else:
                self._settle(commit, wanted, rules)
            return True

    def _arrived(self) -> bool:
        """Whether a commit that failed or was interrupted is on disk all the same."""
        with suppress(KGReasonError):
            end = self.directory.end()
            if end.number > self._place.number:
                self._place = end
                return True
        return False

    def _settle(self, commit: Commit, settings: dict[str, str], rules: Counts) -> None:
        """From now on, this is what was committed last."""
        self.knowledge.journal = Journal()
        self.settings, self._rules = settings, rules
        self._snapshots.committed(len(commit), self.knowledge.explicit().count(), self._frozen)

    def roll_back(self) -> None:
        """Undo all changes of triples and rules since the last commit, or since the opening."""
        self.knowledge.roll_back(self._rules)

    def write_snapshot(self) -> None:
        """Write a snapshot of what is committed.

        Raises:
            KGReasonError: it cannot be written, or something is not committed; the one before stays.
        """
        if self.directory.read_only:
            raise KGReasonError(f"{self.directory.path} is open for reading only: nothing can be written")
        self._snapshots.write(self._frozen)

    def _frozen(self) -> tuple[Iterable[Bytes], Place]:
        knowledge = self.knowledge
        with knowledge.paused():
            if knowledge.journal:
                raise KGReasonError("a snapshot is of what is committed: commit first")
            head = {"fingerprint": fingerprint(), "options": knowledge.options, "settings": self.settings}
            return freeze(knowledge.state(), head), self._place

    def close(self) -> None:
        """Give the directory back, with a snapshot if the one that is there is far behind; what is not committed is
        lost to the directory, and stays in memory."""
        try:
            self._snapshots.wait()
            if not self.directory.read_only and not self.knowledge.journal:
                self._snapshots.closing(self.knowledge.explicit().count(), self._frozen)
        finally:
            self.knowledge.journal = None
            self.directory.close()


def _take_in(
    dictionary: Dictionary, commits: Iterable[Commit], settings: dict[str, str]
) -> tuple[list[Step], int]:
    """Follow commits in a dictionary and in settings; the steps that remain to be maintained, and how many commits."""
    steps: list[Step] = []
    count = 0
    for commit in commits:
        count += 1
        _take_in_terms(dictionary, commit.first, commit.keys)
        settings.update(commit.settings)
        steps += commit.steps
    return coalesced(steps), count


def _size(steps: Iterable[Step]) -> int:
    return sum(len(added) + len(removed) for added, removed in steps)


def _take_in_terms(dictionary: Dictionary, first: int, keys: Keys) -> None:
    """Give terms the ids from `first` on; some of the first may be known.

    Raises:
        LoadError: an id would have another term.
    """
    known = min(len(dictionary) - first, len(keys))
    if known < 0:
        raise LoadError("damaged: terms are missing")
    if known and dictionary.keys(np.arange(first, first + known, dtype=np.uint32)) != _listed(keys[:known]):
        raise LoadError("damaged: terms have other ids")
    fresh = keys[known:]
    begin = len(dictionary)
    column = _as_text(fresh) if isinstance(fresh, pa.Array) else None
    found = dictionary.encode_keys(_listed(fresh)) if column is None else dictionary.encode_column(column)
    if not np.array_equal(found, np.arange(begin, begin + len(fresh))):
        raise LoadError("damaged: a term stands twice")


def _as_text(keys: pa.Array) -> pa.Array | None:
    """A column of keys as strings, None where one is no Unicode."""
    if not pa.types.is_large_binary(keys.type):
        return keys
    try:
        return keys.cast(pa.large_string())
    except pa.ArrowInvalid:
        return None


def _listed(keys: Keys) -> list[str]:
    if not isinstance(keys, pa.Array):
        return list(keys)
    texts = keys.to_pylist()
    return [text if isinstance(text, str) else text.decode("utf-8", "surrogatepass") for text in texts]


def _keys_between(dictionary: Dictionary, first: int, end: int) -> Keys:
    """The keys of some ids, as a column where they are many."""
    identifiers = np.arange(first, end, dtype=np.uint32)
    if len(identifiers) < COLUMN_LEAST:
        return dictionary.keys(identifiers)
    try:
        return dictionary.key_column(identifiers)
    except UnicodeEncodeError:
        return dictionary.keys(identifiers)


def _text_of(rules: Counts) -> str:
    """Rules as a setting: their text, which reads back as the same rules, and how often each was added."""
    return json.dumps({"program": str(Program(tuple(rules))), "counts": list(rules.values())})


def _rules_of(settings: Mapping[str, str]) -> Counts:
    text = settings.get(RULES)
    if text is None:
        return {}
    try:
        kept = json.loads(text)
        rules = parse_program(kept["program"], "the rules that were committed").rules
        return dict(zip(rules, kept["counts"], strict=True))
    except (ValueError, KeyError, TypeError) as error:
        raise LoadError(f"damaged: the rules that were committed: {error}") from error


def _counted(rules: Iterable[Rule]) -> dict[Rule, int]:
    counts: dict[Rule, int] = {}
    for rule in rules:
        counts[rule] = counts.get(rule, 0) + 1
    return counts
