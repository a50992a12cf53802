"""A process that is killed at any moment loses nothing that was committed, and leaves nothing that was not.

What is found is the closure of the last commit that had returned, or of the one in flight.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from kgreason.durable.catalogue import FILE
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from tests.durable import victim
from tests.facade import Triple, add, triples

SEED = 20261121
KILLS = 200 if os.environ.get("KGREASON_THOROUGH") else 24
STEPS = 100_000

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")


@cache
def closed(step: int) -> frozenset[Triple]:
    """What a store that never saw a disk holds after a step."""
    base = KnowledgeBase(victim.RULES)
    add(base, *victim.state(SEED, step))
    return frozenset(triples(base, base.all()))


def killed(path: Path, chance: random.Random) -> int:
    """Let the victim work for a random time; the last commit that it saw return, -1 for none."""
    command = [sys.executable, "-m", "tests.durable.victim", str(path), str(SEED), str(STEPS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen = -1
        for _ in range(chance.randrange(12)):
            seen = int(process.stdout.readline() or seen)
        time.sleep(chance.random() ** 2 * (0.05 if seen >= 0 else 2))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate(timeout=60)
        return int(rest.split()[-1]) if rest.split() else seen


def mangle(path: Path, chance: random.Random) -> None:
    """Leave behind what a crash of the whole machine may: files that nothing names yet, cut off or zeroed, and bytes
    after the end of what SQLite has synced."""
    torn = chance.choice([b"", bytes(4096), chance.randbytes(5000), b"\0" * 17])
    kind = chance.randrange(4)
    if kind == 0:
        (path / f"quads-{chance.randrange(99)}-0123abcd.arrow").write_bytes(torn)
    elif kind == 1:
        (path / f"snapshot-{chance.randrange(99)}-0123abcd.bin.new").write_bytes(torn)
    elif kind == 2 and (path / f"{FILE}-wal").exists():
        with (path / f"{FILE}-wal").open("ab") as stream:
            stream.write(torn)


def test_kills(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    committed = -1
    for _ in range(KILLS):
        seen = max(committed, killed(tmp_path, chance))
        mangle(tmp_path, chance)
        if not (tmp_path / FILE).is_file():
            assert seen == -1
            continue
        store = DurableKnowledge(tmp_path, Wishes(victim.RULES))
        committed = victim.step_of(store.knowledge)
        assert committed in (seen, seen + 1), f"{seen} had returned, and {committed} is there"
        store.knowledge._check()
        assert triples(store.knowledge, store.knowledge.all()) == closed(committed)
        names = {file.name for file in tmp_path.iterdir()}
        assert not any(name.endswith(".new") or "0123abcd" in name for name in names), "leftovers of a crash"
        store.directory.close()
    assert committed > KILLS, "the victim has not lived long enough to test anything"
