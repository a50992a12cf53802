"""A table of attacks on stores, and what came of each: ``python -m tests.disk.attacks [WORD]``.

Each line has the name of an attack, what happened, and what was said. The attacks are those of `test_forged_stores`
and `test_forged_snapshots`, each on a fresh copy of a store, with all checksums right:

* refused: opening raised a LoadError;
* log read: the snapshot was refused, and the store opened from its log, with the same triples.

WORD picks those whose names have it. Ends with status 1 where something else happened, or a file outside changed.
"""

from __future__ import annotations

import logging
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgreason import LoadError
from tests.disk import forging, test_forged_snapshots, test_forged_stores
from tests.disk.test_forged_snapshots import make_store as make_snapshot
from tests.disk.test_forged_snapshots import shown_by
from tests.disk.test_forged_stores import LOCK, everything
from tests.disk.test_forged_stores import make_store as make_log

_EXPECTED = ("refused", "log read")
_WIDTH = 60


class _Said(logging.Handler):
    """The last message of the log."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()


def attacks() -> Iterator[tuple[int, str, Callable[[Path], None]]]:
    """Each attack: which of the two stores it is on, its name, and what does it."""
    for attack in (*test_forged_stores.LOG, *test_forged_stores.LOCKS, *test_forged_stores.SNAPSHOT):
        yield 0, attack.name, attack.forge
    for name, (_, edit) in test_forged_snapshots.ATTACKS.items():
        yield 1, name, partial(forging.edit_snapshot, edit=edit)


def attacked(folder: Path, made: Path, shown: set[Any], forge: Callable[[Path], None], said: _Said) -> tuple[str, str]:
    """What came of opening a copy of a store that was attacked, and what was said."""
    store, outside = folder / "store", folder / "outside"
    shutil.copytree(made, store)
    outside.mkdir()
    for path in (folder / "victim", outside / "victim"):
        path.write_text("precious")
    (store / LOCK).unlink(missing_ok=True)
    said.last = ""
    try:
        forge(store)
        before = everything(folder)
        found = shown_by(store, read_only=False)
        result = "other triples" if found != shown else "log read" if said.last else "accepted"
    except LoadError as error:
        result, said.last = "refused", str(error)
    except Exception as error:  # its name is the result, which a test refuses
        result, said.last = type(error).__name__, str(error)
    if everything(folder) != before:
        result = "files changed outside"
    shutil.rmtree(folder)
    return result, said.last.replace(f"{folder}/", "")


def main(word: str = "") -> int:
    """Print the table; how many attacks did something that is not expected."""
    said, counts = _Said(), Counter[str]()
    log = logging.getLogger("kgreason.disk")
    log.addHandler(said)
    log.propagate = False
    with TemporaryDirectory(prefix="kgreason-attacks-") as name:
        folder = Path(name)
        stores = [make_log(folder / "log"), make_snapshot(folder / "snapshot")[0]]
        shown = [shown_by(store) for store in stores]
        for number, attack, forge in attacks():
            if word in attack:
                result, message = attacked(folder / "run", stores[number], shown[number], forge, said)
                counts[result] += 1
                print(f"{attack:{_WIDTH}.{_WIDTH}} | {result:8} | {message}", flush=True)
    print(f"\n{sum(counts.values())} attacks: " + ", ".join(f"{each} {result}" for result, each in counts.items()))
    return sum(each for result, each in counts.items() if result not in _EXPECTED)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
