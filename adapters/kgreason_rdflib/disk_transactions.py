"""The part of `ReasoningStore` that works in a directory: open, commit, rollback, close."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from rdflib.store import VALID_STORE, Store
from rdflib.term import URIRef

from kgreason.disk.open_options import OpenOptions, counted
from kgreason.errors import OptionError, StoreError, located
from kgreason.program.rules import Program
from kgreason.store.rule_sets import resolve_rules
from kgreason_rdflib.committed_names import CommittedNames, settings_of
from kgreason_rdflib.configuration import Configuration, Configured
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.generalised_triples import GeneralisedTriples
from kgreason_rdflib.graph_scopes import Scopes, asked_graph
from kgreason_rdflib.packed_quads import pack, unpack
from kgreason_rdflib.prefixes import Prefixes

# What works on disk is imported when a directory is first opened: with SQLite and Arrow, as much as a store in memory.
if TYPE_CHECKING:
    from kgreason.access import Access
    from kgreason.disk.durable_knowledge import DurableKnowledge
    from kgreason.io.imports import ImportsOption


class Durable:
    """Transactions of a store; in memory alone, `commit` and `close` only maintain what has changed."""

    transaction_aware: bool
    _contents: Contents
    _scopes: Scopes
    _prefixes: Prefixes
    _open_options: OpenOptions
    # None in memory; else the knowledge base of the directory, its path as it was given, and the prefixes that a
    # rollback goes back to when none were ever committed: those that rdflib has bound, for example.
    _durable: DurableKnowledge | None
    _path: Path | None
    _start_prefixes: list[tuple[str, URIRef]]
    _has_own_rules: bool
    access: Access
    imports: ImportsOption
    _generalised: GeneralisedTriples

    def open(
        self, configuration: Configured | tuple[str, str], create: bool = False, *, read_only: bool = False
    ) -> int | None:
        """Work in a directory: show what was committed to it, and let `commit` and `close` put changes there.

        `configuration` is the path of the directory; or a mapping, or a URL, that also has options:
        ``{"path": "store", "rules": "owl-rl"}`` and ``kgreason:store?rules=owl-rl`` are the same, see
        `kgreason_rdflib.configuration`. Options that it has take the place of those that the store was made with.
        Without a path the store works in memory, as before, and with these options.

        Nothing is derived again that was derived before: the closure is mapped into memory as it was. What the store
        has already is added, and is not yet committed. Of the rules, those that were committed count, unless the store
        was made with rules of its own, or given others since: then these take their place, with the next commit also
        in the directory.

        Args:
            create: make a store where there is none; without it, there must be one.
            read_only: show the last committed state, also while another process writes; changes stay in memory.

        Raises:
            OptionError: a configuration with a key or a value that there is not; options for a store in memory that has
                triples or rules already. Nothing has changed.
            ReadOnlyError: a graph that is read-only asks for it.
            KGReasonError: there is no store, or another process has it open for writing; this one is open in another
                directory.
            LoadError: what was committed is damaged, or of a format that this version does not know.
            BudgetError: what must be derived again exceeds the budget; nothing has changed on disk.
        """
        self._scopes.check_asked(asked_graph(cast("Store", self)))
        chosen = Configuration.of(str(configuration) if isinstance(configuration, tuple) else configuration)
        if chosen.path is None:
            self._configure(chosen)
            return VALID_STORE
        from kgreason.disk.durable_knowledge import DurableKnowledge

        path, create, read_only = chosen.path, create or bool(chosen.create), read_only or bool(chosen.read_only)
        with self._contents.lock:
            if self._durable is not None:
                if self._path == path:
                    return VALID_STORE
                raise StoreError("the store is open here: close it before opening another one", path=self._path)
            options = chosen.options(replace(self._open_options, rules=self._rules_for_opening()))
            durable = DurableKnowledge(path, options, create=create, read_only=read_only)
            self._show(durable)
            self._durable, self._path = durable, path
            self._take_options(chosen)
        self.transaction_aware = True
        return VALID_STORE

    def _configure(self, chosen: Configuration) -> None:
        """Have the options of a configuration, in memory."""
        contents = self._contents
        with contents.lock:
            if chosen.has_engine_options:
                if contents.has_begun:
                    raise OptionError(
                        "the store has begun with other rules, schemes or strategy", "configuration",
                        expected="a configuration for a new store",
                    )  # fmt: skip
                options = chosen.options(self._open_options)
                options.check()
                if options.rules is not None:
                    contents.knowledge = options.base(options.rules)
            self._take_options(chosen)

    def _take_options(self, chosen: Configuration) -> None:
        self._open_options = chosen.options(self._open_options)
        self._has_own_rules = self._has_own_rules or chosen.rules is not None
        if chosen.budget is not None and self._contents.has_begun:
            self._contents.knowledge.budget = chosen.budget
        if chosen.access is not None:
            self.access = chosen.access
        if chosen.imports is not None:
            self.imports = chosen.imports
        if chosen.generalised is not None:
            self._generalised = GeneralisedTriples(chosen.generalised)

    def _rules_for_opening(self) -> Program | None:
        """The rules that are to replace those that were committed; None for the default rules."""
        if not self._contents.has_begun:
            return None
        known = self._contents.knowledge
        is_default = not self._has_own_rules and known.rules == counted(resolve_rules(self._open_options.default).rules)
        return None if is_default else known.rule_additions

    def _show(self, durable: DurableKnowledge) -> None:
        """Show what was committed, and what is here already as changes that are not."""
        try:
            held = pack(self._contents.knowledge) if self._contents.has_begun else None
            with located(path=durable.directory.path):
                names = CommittedNames.of(durable.settings)
        except BaseException:
            durable.directory.close()
            raise
        self._contents.become(durable.knowledge)
        if held is not None:
            self._contents.add_quads(unpack(durable.knowledge.dictionary, *held))
        for name in names.graphs:
            self._scopes.register(name)
        for prefix, namespace in names.prefixes or ():
            self._prefixes.bind(prefix, namespace)
        self._start_prefixes = list(self._prefixes)

    def commit(self) -> None:
        """Maintain what has changed, and if a directory is open, put it on disk: all of it, or nothing if this raises.

        Of a small change it costs one write that the disk confirms, of a large one a few nanoseconds a triple more.

        Raises:
            StoreError: the directory was closed.
            ReadOnlyError: a graph that is read-only asks for it.
            KGReasonError: it could not be written; what was committed before stands, the changes are still in memory,
                and can be committed again or rolled back.
            BudgetError, ListError, StratificationError: what was changed last cannot be maintained, and is gone.
            KeyboardInterrupt, MemoryError: stopped; the changes are still queued or in memory, as before.
        """
        self._scopes.check_asked(asked_graph(cast("Store", self)))
        with self._contents.lock:
            if self._durable is None:
                self._contents.knowledge.history.check_open()
                self._contents.knowledge.flush()
            else:
                self._durable.commit(settings_of(self._scopes, self._prefixes))

    @property
    def committed_version(self) -> str | None:
        """A name of what was committed last: no other content of this directory has it. None for a store in memory."""
        durable = self._durable
        return None if durable is None else durable.version

    def rollback(self) -> None:
        """Undo all changes since the last commit, or since the opening: of triples, rules, named graphs, prefixes.

        It costs as much as the names of graphs and the prefixes: the state that was committed is still there.

        Raises:
            KGReasonError: no directory is open; what is in memory alone has no transactions.
            ReadOnlyError: a graph that is read-only asks for it.
        """
        self._scopes.check_asked(asked_graph(cast("Store", self)))
        with self._on_disk("cannot be rolled back") as durable:
            try:
                durable.roll_back()
                self._take_names(durable)
            finally:
                self._contents.forget()

    def refresh(self) -> bool:
        """Of a directory that is open for reading, show what was committed to it since, as one change of which
        subscribers hear; whether there was anything.

        Raises:
            LoadError: its log was compacted meanwhile, or is damaged: open it anew.
            KGReasonError: no directory is open, it is open for writing, or something was changed here.
        """
        with self._on_disk("is as it is") as durable:
            if not durable.catch_up():
                return False
            self._take_names(durable)
            self._contents.take_stock()
            return True

    @property
    def is_read_only(self) -> bool:
        """Whether a directory is open for reading only."""
        return self._durable is not None and self._durable.directory.read_only

    def _take_names(self, durable: DurableKnowledge) -> None:
        """Know the named graphs and the prefixes that were committed."""
        names = CommittedNames.of(durable.settings)
        for name in set(self._scopes).difference(names.graphs):
            self._scopes.forget(name)
        for name in names.graphs:
            self._scopes.register(name)
        self._prefixes.replace(self._start_prefixes if names.prefixes is None else names.prefixes)

    def write_snapshot(self) -> None:
        """Let the next opening map what is committed into memory as it is now. `close` does so by itself. It costs some
        0.1 microseconds a triple.

        Raises:
            KGReasonError: no directory is open, something is not committed, or it cannot be written.
        """
        with self._on_disk("has no snapshot") as durable:
            durable.write_snapshot()

    def compact(self) -> None:
        """Put what remains in the place of all commits, and give back the room that these took on disk.

        This happens by itself, in the background of commits or in `close`, when the log of commits is several times as
        large as what is left of it. Terms that nothing uses any more stay; `kgreason compact` drops them from a store
        that is not open. Others may read the directory meanwhile. It costs some 0.2 microseconds a triple.

        Raises:
            KGReasonError: no directory is open, something is not committed, or it cannot be written.
        """
        with self._on_disk("has no commits to compact") as durable:
            durable.compact()

    @contextmanager
    def _on_disk(self, lacks: str) -> Iterator[DurableKnowledge]:
        """The directory that is open; without one KGReasonError, with what a store in memory lacks."""
        with self._contents.lock:
            if self._durable is None:
                self._contents.knowledge.history.check_open()
                raise StoreError(f"a store in memory {lacks}: open it in a directory")
            yield self._durable

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Commit, and give the directory back. One that is read-only is just left.

        What the store has can still be read, branched, and taken along into the directory that is opened next. Until
        then changes, of prefixes too, and `commit` raise StoreError. A store in memory stays open, and so does one that
        a read-only graph is to close: callers close each graph that they read.

        Raises:
            KGReasonError: as `commit`; the directory is still open.
        """
        if self._scopes.is_read_only(asked_graph(cast("Store", self))):
            return
        with self._contents.lock:
            if self._durable is None:
                self._contents.knowledge.flush()
                return
            if not self._durable.directory.read_only:
                self.commit()
            self._durable.close()
            self._durable = self._path = None
        self.transaction_aware = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """Close; when the body failed, without what it did since the last commit."""
        if kind is not None and self._durable is not None:
            self.rollback()
        self.close()

    def destroy(self, configuration: Configured) -> None:
        """Delete what was committed to a directory; the store must not be open there, here or elsewhere.

        Raises:
            KGReasonError: it is.
        """
        self._scopes.check_asked(asked_graph(cast("Store", self)))
        from kgreason.disk.log_file import FILE
        from kgreason.disk.store_directory import StoreDirectory

        path = Configuration.of(configuration).path
        if path is not None and (path / FILE).is_file():
            StoreDirectory(path).destroy()
