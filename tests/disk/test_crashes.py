"""A process that is killed at any moment loses nothing that was committed, and leaves nothing that was not.

What is found is all that was there after the last commit that had returned, or after the one in flight: triples and
closure, graphs, prefixes, rules. Bytes that SQLite has not confirmed may be anything. Where bytes that it has are
damaged, there is an error, or exactly what was there after an earlier commit; never anything else.
"""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import pytest

from kgreason import ReasoningStore
from kgreason.disk.log_file import FILE
from kgreason.errors import KGReasonError
from tests.disk import victim, wal
from tests.disk.store_history import expected, shown, step_of
from tests.profiles import examples

SEED = 20261121
KILLS = examples(12)
DAMAGES = examples(30)

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")


class Killer:
    """Starts victims, kills them while they do what was chosen, and knows how long that takes as a rule."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        # A process that has imported everything, and no thread, is copied for each victim.
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(["tests.disk.victim"])
        self._durations: defaultdict[str, list[float]] = defaultdict(lambda: [0.01])
        self.hit: Counter[str] = Counter()

    def kill(self, path: Path, deed: str) -> int:
        """Let a victim live in a directory until it has begun a deed; the last commit that it saw return, or -1."""
        ours, theirs = self._context.Pipe(duplex=False)
        steps = 0 if deed == "open" else self._chance.choice([0, 1, 1, 4])
        process = self._context.Process(target=victim.live, args=(path, SEED, steps, deed, theirs.send))
        process.start()
        theirs.close()
        done, begun = self._followed(ours, deed)
        time.sleep(self._chance.random() * 1.3 * median(self._durations[deed]))
        process.kill()
        process.join()
        for name, step in _rest(ours):
            done, begun = (done, name) if name else (step, "")
        self.hit[begun or "between"] += 1
        return done

    def _followed(self, told: Connection, deed: str) -> tuple[int, str]:
        done, begun, since = -1, "", 0.0
        while True:
            name, step = told.recv()
            if not name:
                done = step
                self._durations[begun].append(time.monotonic() - since)
            begun, since = name, time.monotonic()
            if name == deed:
                return done, begun


def _rest(told: Connection) -> Iterator[tuple[str, int]]:
    try:
        while True:
            yield told.recv()
    except EOFError:
        return


def reopened(path: Path) -> int:
    """Open a store; the step that it has, which it shows exactly."""
    store = ReasoningStore()
    store.open(str(path))
    try:
        step = step_of(store)
        if step >= 0:
            assert shown(store) == expected(SEED, step)
        return step
    finally:
        store._durable.directory.close()


def litter(path: Path, chance: random.Random) -> None:
    """Leave behind what a crash of the whole machine may: files that nothing names yet, cut off or zeroed, and
    anything in place of what SQLite has not confirmed."""
    torn = chance.choice([b"", bytes(4096), chance.randbytes(5000), b"\0" * 17])
    (path / f"quads-{chance.randrange(99)}-0123abcd.arrow").write_bytes(torn)
    (path / f"snapshot-{chance.randrange(99)}-0123abcd.bin.new").write_bytes(torn)
    log = path / f"{FILE}-wal"
    if log.exists():
        end = wal.end_of_commits(log.read_bytes())
        with log.open("r+b") as stream:
            stream.seek(end)
            rest = stream.read()
            stream.seek(end)
            stream.truncate()
            stream.write(chance.choice([b"", torn, rest[: len(rest) // 2], bytes(len(rest)), rest[::-1] + torn]))


def test_kills(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    killer = Killer(chance)
    committed = -1
    for number in range(KILLS):
        seen = max(committed, killer.kill(tmp_path, victim.DEEDS[number % len(victim.DEEDS)]))
        if not (tmp_path / FILE).is_file():
            assert seen == -1
            continue
        litter(tmp_path, chance)
        committed = reopened(tmp_path)
        assert committed in (seen, seen + 1), f"{seen} had returned, and {committed} is there"
        names = {file.name for file in tmp_path.iterdir()}
        assert not any(name.endswith(".new") or "0123abcd" in name for name in names), "leftovers of a crash"
    print(f"{KILLS} kills, {committed + 1} commits; while it did: {dict(killer.hit)}")
    assert committed >= KILLS // 2, "the victims have not lived long enough to test anything"
    missed = set(victim.DEEDS) - killer.hit.keys()
    assert not missed or KILLS < 100, f"no kill hit {missed}"


@pytest.mark.slow
def test_damage(tmp_path: Path) -> None:
    """Of each file some bytes are others than those that were on disk: never another closure."""
    chance = random.Random(SEED)
    killer, killed, closed = Killer(chance), tmp_path / "killed", tmp_path / "closed"
    for folder in (killed, closed):
        folder.mkdir()
        for deed in ("snapshot", "close", "bulk", "rollback"):
            killer.kill(folder, deed)
    with ReasoningStore() as store:
        store.open(str(closed))
    last = {folder: reopened(shutil.copytree(folder, folder.with_suffix(".copy"))) for folder in (killed, closed)}
    outcomes: Counter[str] = Counter()
    for number in range(DAMAGES):
        folder, copy = chance.choice([killed, closed]), tmp_path / str(number)
        shutil.copytree(folder, copy)
        damage(copy, chance)
        try:
            found = reopened(copy)
        except KGReasonError:
            outcomes["error"] += 1
        else:
            assert found <= last[folder]
            outcomes["as it was" if found == last[folder] else "earlier"] += 1
        shutil.rmtree(copy)
    print(f"{DAMAGES} damaged files: {dict(outcomes)}")
    assert outcomes.keys() >= {"error", "as it was"}


def damage(folder: Path, chance: random.Random) -> None:
    """Damage a file of any kind; the log is read from its beginning every other time."""
    kinds: defaultdict[str, list[Path]] = defaultdict(list)
    for file in sorted(folder.iterdir()):
        kinds[file.name.partition("-")[0] + file.suffix].append(file)
    file = chance.choice(kinds[chance.choice(sorted(kinds))])
    file.write_bytes(damaged(file.read_bytes() or b"\0", chance))
    if chance.random() < 0.5:
        for file in folder.glob("snapshot*"):
            file.unlink()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Some bytes flipped, or zeroed, or the end cut off or zeroed."""
    begin = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            return data[:begin]
        case 1:
            return data[:begin] + bytes(len(data) - begin)
        case 2:
            return data[:begin] + bytes(len(data[begin : begin + 512])) + data[begin + 512 :]
    found = bytearray(data)
    for _ in range(chance.choice([1, 1, 8])):
        found[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(found)
