"""One contestant of the paper's benchmarks in a process of its own, one JSON object per line as it gets on.

``python -m tests.benchmarks.paper_contestants CONTESTANT WORKLOAD SAMPLES BUDGET``: samples of small changes are
drawn until there are `SAMPLES` of them or `BUDGET` seconds have gone into them. Each phase says that it begins
before it says what it took, so that who reads the lines and ends the process knows what was not finished.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from statistics import mean, median
from typing import Final

import numpy as np

from kgreason.io.quads import Quads
from kgreason.program.rules import Program
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks.contestants import timed
from tests.benchmarks.paper_workloads import WORKLOADS, Workload
from tests.benchmarks.program_shape import shape_of

MODULAR: Final = "modular"
BASELINE: Final = "baseline"
OUT_OF_MEMORY: Final = 3
BATCH, SHARE = 1_000, 0.25
AGAIN = 3.0  # materialisations that take less seconds are measured three times


def knowledge(rules: Program, contestant: str) -> KnowledgeBase:
    """The one place that says what the baseline is."""
    return KnowledgeBase(rules) if contestant == MODULAR else KnowledgeBase(rules, strategy="plain")


def say(**numbers: float | str) -> None:
    """One line of numbers."""
    print(json.dumps(numbers), flush=True)


def read(base: KnowledgeBase) -> int:
    """The read after each change: how many triples there are."""
    return len(base.all())


def facts(base: KnowledgeBase) -> int:
    """All facts, auxiliary ones too."""
    return sum(relation.facts for relation in base.statistics().relations)


def changed(base: KnowledgeBase, change: Callable[..., object], *arguments: object) -> float:
    """Seconds to change and read."""

    def work() -> None:
        change(*arguments)
        read(base)

    return timed(work)[0]


def pick(quads: Quads, count: int, generator: np.random.Generator) -> Quads:
    """A uniform sample."""
    mask = np.zeros(len(quads), dtype=bool)
    mask[generator.choice(len(quads), count, replace=False)] = True
    return quads.where(mask)


def small_changes(base: KnowledgeBase, quads: Quads, samples: int, budget: float) -> None:
    """Delete a thousand facts and put them back, again and again."""
    generator = np.random.default_rng(1)
    before, begin = facts(base), time.perf_counter()
    deletions: list[float] = []
    insertions: list[float] = []
    say(phase="small_deletions")
    while len(insertions) < samples and (not insertions or time.perf_counter() - begin < budget):
        batch = pick(quads, BATCH, generator)
        deletions.append(changed(base, base.remove_quads, batch))
        say(small_deletions=mean(deletions), deletion_samples=len(deletions))
        say(phase="small_insertions")
        insertions.append(changed(base, base.add_quads, batch))
        say(small_insertions=mean(insertions), worst_deletion=max(deletions))
        if facts(base) != before:
            raise AssertionError(f"{facts(base)} facts where there were {before}")


def materialised(workload: Workload, program: Program, contestant: str) -> tuple[KnowledgeBase, Quads]:
    """The closure, and the explicit triples; without the time to make or read them."""
    times: list[float] = []
    while not times or (len(times) < 3 and times[0] < AGAIN):
        base = knowledge(program, contestant)
        quads = workload.load(base.dictionary)
        base.add_quads(quads)
        say(phase="materialisation")
        times.append(changed(base, base.flush))
    schemes = [relation.scheme for relation in base.statistics().relations]
    say(transitive=schemes.count("transitive"), symmetric=schemes.count("equivalence"))
    say(explicit=len(quads), facts=facts(base), materialisation=median(times))
    return base, quads


def measure(contestant: str, name: str, samples: int, budget: float) -> None:
    """Materialise, change a little, change a lot."""
    workload = WORKLOADS[name]
    program = workload.rules()
    say(**shape_of(program))
    base, quads = materialised(workload, program, contestant)
    small_changes(base, quads, samples, budget)
    batch = pick(quads, int(SHARE * len(quads)), np.random.default_rng(2))
    say(phase="large_deletions")
    seconds = changed(base, base.remove_quads, batch)
    say(large_deletions=seconds, remaining=facts(base))


def main() -> None:
    """Measure one contestant, with at most half of the memory of the machine."""
    contestant, name, samples, budget = sys.argv[1:]
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    resource.setrlimit(resource.RLIMIT_AS, (half, half))
    try:
        measure(contestant, name, int(samples), float(budget))
    except MemoryError:
        raise SystemExit(OUT_OF_MEMORY) from None


if __name__ == "__main__":
    main()
