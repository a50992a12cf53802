"""The part of `ReasoningStore` that works in a directory: open, commit, rollback, close."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from rdflib.store import VALID_STORE

from kgreason.datalog.model import Rule
from kgreason.errors import KGReasonError
from kgreason.knowledge.wishes import Wishes
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.directory import OpenDirectory, destroy
from kgreason_rdflib.graphs import Scopes
from kgreason_rdflib.prefixes import Prefixes


class Durable:
    """Transactions of a store; in memory alone, `commit` and `close` only maintain what has changed."""

    transaction_aware: bool
    _contents: Contents
    _scopes: Scopes
    _prefixes: Prefixes
    _directory: OpenDirectory | None
    _wishes: Wishes
    _default_rules: dict[Rule, int] | None

    def open(
        self, configuration: str | tuple[str, str], create: bool = False, *, read_only: bool = False
    ) -> int | None:
        """Work in a directory: show what was committed to it, and let `commit` and `close` put changes there.

        Nothing is derived again that was derived before: the closure is mapped into memory as it was. What the store
        has already is added, and is not yet committed. Of the rules, those that were committed count, unless the store
        was made with rules of its own, or given others since: then these take their place, with the next commit also
        in the directory.

        Args:
            create: make a store where there is none; without it, there must be one.
            read_only: show the last committed state, also while another process writes; changes stay in memory.

        Raises:
            KGReasonError: there is no store, or another process has it open for writing; this one is open in another
                directory.
            LoadError: what was committed is damaged, or of a format that this version does not know.
            BudgetError: what must be derived again exceeds the budget; nothing has changed on disk.
        """
        path = Path(str(configuration))
        with self._contents.lock:
            if self._directory is not None:
                if self._directory.path == path:
                    return VALID_STORE
                where = self._directory.path
                raise KGReasonError(f"the store is open in {where}: close it before opening another one")
            known = self._contents.knowledge
            wishes = replace(self._wishes, rules=None if known.rules == self._default_rules else known.program)
            directory = OpenDirectory(path, wishes, create=create, read_only=read_only)
            directory.show(self._contents, self._scopes, self._prefixes)
            self._directory = directory
        self.transaction_aware = True
        return VALID_STORE

    def commit(self) -> None:
        """Maintain what has changed, and if a directory is open, put it on disk: all of it, or nothing if this raises.

        Of a small change it costs one write that the disk confirms, of a large one a few nanoseconds a triple more.

        Raises:
            KGReasonError: it could not be written; what was committed before stands, the changes are still in memory,
                and can be committed again or rolled back.
            BudgetError, ListError, StratificationError: what was changed last cannot be maintained, and is gone.
            KeyboardInterrupt, MemoryError: stopped; the changes are still queued or in memory, as before.
        """
        with self._contents.lock:
            if self._directory is None:
                self._contents.knowledge.flush()
            else:
                self._directory.commit(self._scopes, self._prefixes)

    def rollback(self) -> None:
        """Undo all changes since the last commit, or since the opening: of triples, rules, named graphs, prefixes.

        Raises:
            KGReasonError: no directory is open; what is in memory alone has no transactions.
        """
        with self._on_disk("cannot be rolled back") as directory:
            directory.roll_back(self._scopes, self._prefixes)

    def write_snapshot(self) -> None:
        """Let the next opening map what is committed into memory as it is now. `close` does so by itself.

        Raises:
            KGReasonError: no directory is open, something is not committed, or it cannot be written.
        """
        with self._on_disk("has no snapshot") as directory:
            directory.write_snapshot()

    def compact(self) -> None:
        """Put what remains in the place of all commits, and give back the room that these took on disk.

        This happens by itself, behind the back of commits or in `close`, when the log of commits is several times as
        large as what is left of it. Terms that nothing uses any more stay; `kgreason compact` drops them from a store
        that is not open. Others may read the directory meanwhile.

        Raises:
            KGReasonError: no directory is open, something is not committed, or it cannot be written.
        """
        with self._on_disk("has no commits to compact") as directory:
            directory.compact()

    @contextmanager
    def _on_disk(self, lacks: str) -> Iterator[OpenDirectory]:
        """The directory that is open; without one KGReasonError, with what a store in memory lacks."""
        with self._contents.lock:
            if self._directory is None:
                raise KGReasonError(f"a store in memory {lacks}: open it in a directory")
            yield self._directory

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Commit, give the directory back, and work in memory from now on. One that is read-only is just left.

        Raises:
            KGReasonError: as `commit`; the directory is still open.
        """
        with self._contents.lock:
            if self._directory is None:
                self._contents.knowledge.flush()
                return
            if not self._directory.read_only:
                self.commit()
            self._directory.close()
            self._directory = None
        self.transaction_aware = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """Close; when the body failed, without what it did since the last commit."""
        if kind is not None and self._directory is not None:
            self.rollback()
        self.close()

    def destroy(self, configuration: str) -> None:
        """Delete what was committed to a directory; the store must not be open there, here or elsewhere.

        Raises:
            KGReasonError: it is.
        """
        destroy(Path(configuration))
