"""Would catch a system whose limits are read wrongly, and a check that costs small steps something."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore, memory
from kgreason.errors import QueryLimitError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.memory import LEAST, RESERVE, Gauge
from kgreason.rdf.model import IRI
from kgreason.sparql import query_tuning
from kgreason.store import store_tuning
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.system_memory import System

MEGABYTE = 1 << 20


def system(folder: Path, groups: str = "", free: int = 1 << 20, **files: object) -> System:
    """A system with so many kilobytes available, and files of control groups, whose names have `__` for `/`."""
    (folder / "meminfo").write_text(f"MemTotal: 9 kB\nMemAvailable: {free} kB\nSwapFree: 0 kB\n")
    (folder / "cgroup").write_text(groups)
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text))
    return System(folder, folder / "meminfo", folder / "groups")


def test_machine_without_groups_has_what_it_says(tmp_path: Path) -> None:
    assert system(tmp_path, free=1024).left() == MEGABYTE


def test_group_of_the_second_version_has_its_limit_less_its_usage_without_files(tmp_path: Path) -> None:
    there = system(
        tmp_path,
        "0::/outer/inner\n",
        groups__outer__memory_dot_max=100 * MEGABYTE,
        groups__outer__memory_dot_current=60 * MEGABYTE,
        groups__outer__memory_dot_stat=f"anon 5\ninactive_file {20 * MEGABYTE}\nactive_file {MEGABYTE}\n",
        groups__outer__inner__memory_dot_max="max\n",
        groups__outer__inner__memory_dot_current=MEGABYTE,
    )

    assert there.left() == 61 * MEGABYTE


def test_group_of_the_first_version_that_is_seen_from_inside_is_the_outermost(tmp_path: Path) -> None:
    there = system(
        tmp_path,
        "4:cpu:/docker/1\n3:memory:/docker/1\n",
        groups__memory__memory_dot_limit_in_bytes=100 * MEGABYTE,
        groups__memory__memory_dot_usage_in_bytes=60 * MEGABYTE,
        groups__memory__memory_dot_stat=f"total_inactive_file {20 * MEGABYTE}\n",
    )

    assert there.left() == 60 * MEGABYTE


def test_group_without_limit_leaves_what_the_machine_has(tmp_path: Path) -> None:
    there = system(
        tmp_path,
        "3:memory:/\n",
        free=1024,
        groups__memory__memory_dot_limit_in_bytes=(1 << 63) - 4096,
        groups__memory__memory_dot_usage_in_bytes=60 * MEGABYTE,
    )

    assert there.left() == MEGABYTE


def test_system_that_tells_nothing_refuses_nothing(tmp_path: Path) -> None:
    nothing = System(tmp_path / "proc", tmp_path / "meminfo", tmp_path / "groups")

    assert nothing.available() is None
    Gauge(nothing).take(1 << 50, "a step")


def test_step_that_needs_more_than_there_is_is_refused_with_its_name_and_size(tmp_path: Path) -> None:
    gauge = Gauge(system(tmp_path, free=(100 * MEGABYTE + RESERVE) >> 10))

    gauge.take(90 * MEGABYTE, "a join")
    with pytest.raises(MemoryError, match=r"^a sort takes some 209,715,200 bytes, and [\d,]+ are left \(expected "):
        gauge.take(200 * MEGABYTE, "a sort")


def test_steps_that_were_granted_count_until_the_system_is_read_again(tmp_path: Path) -> None:
    there = system(tmp_path, free=(100 * MEGABYTE + RESERVE) >> 10)
    gauge = Gauge(there)

    gauge.take(90 * MEGABYTE, "a join")
    system(tmp_path, free=(10 * MEGABYTE + RESERVE) >> 10)  # the join has taken it

    with pytest.raises(MemoryError):
        gauge.take(20 * MEGABYTE, "a sort")
    gauge.take(5 * MEGABYTE, "a sort")


LIMITED_LATER = """
import resource
import numpy
from kgreason import memory
memory.check(memory.LEAST, "a step before")
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + memory.RESERVE // 2, resource.RLIM_INFINITY))
try:
    memory.check(memory.LEAST, "a step")
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts no memory on other systems")
def test_limit_of_the_process_holds_as_soon_as_it_is_set() -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED_LATER], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("a step takes some")


LEFT_LITTLE = """
import resource, sys
from kgreason import ReasoningStore
store = ReasoningStore()
read = {
    "rules": lambda: store.add_rules("<http://e/p>(?x, ?y) :- <http://e/q>(?x, ?y) ."),
    "a document": lambda: store.bulk_load(b"<http://e/a> <http://e/p> 1 .", format="turtle"),
}[sys.argv[1]]
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (12 << 20), resource.RLIM_INFINITY))
try:
    read()
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts no memory on other systems")
@pytest.mark.parametrize("what", ["rules", "a document"])
def test_nothing_is_read_where_hardly_any_memory_is_left(what: str) -> None:
    done = subprocess.run([sys.executable, "-c", LEFT_LITTLE, what], capture_output=True, text=True, check=True)

    assert done.stdout.startswith(f"reading {what} has no memory to go on")


def test_small_step_is_not_looked_at() -> None:
    memory.check(LEAST - 1, "a small step")
    with pytest.raises(MemoryError, match="a large step takes"):
        memory.check(1 << 60, "a large step")


def test_thread_that_does_not_start_is_missing_memory() -> None:
    with pytest.raises(MemoryError, match="stack of a thread"), memory.starting_threads():
        raise RuntimeError("can't start new thread")
    with pytest.raises(RuntimeError, match="another"), memory.starting_threads():
        raise RuntimeError("another")


@pytest.mark.parametrize("length", [0, 10, LEAST])
def test_lazy_zeros_are_zeros_that_can_be_written(length: int) -> None:
    found = memory.lazy_zeros(length, np.float64)

    assert found.shape == (length,)
    assert not found.any()
    found[:] = 1
    assert found.all()


def test_lazy_zeros_that_cannot_be_had_are_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="an array of"):
        memory.lazy_zeros(1 << 55, np.float64)


FORKED = f"""
import os
import numpy as np
from kgreason.memory import lazy_zeros
zeros = lazy_zeros({LEAST}, np.uint8)
if not (child := os.fork()):
    zeros[:] = 1
    os._exit(0)
os.waitpid(child, 0)
print(zeros.any())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_what_a_fork_writes_to_lazy_zeros_is_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


GIVING_BACK = """
import numpy as np
from pathlib import Path
from kgreason import memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) << 12

for size in (4, 8, 16, 30):  # from now on glibc takes what is smaller from its heap
    np.ones(size << 17)
blocks = [np.ones(1 << 17) for _ in range(64)]
blocks = blocks[-1:]
before = resident()
memory.give_back()
print(before - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's allocator keeps a heap that can be trimmed")
def test_free_memory_below_what_is_in_use_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", GIVING_BACK], capture_output=True, text=True, check=True)

    assert int(done.stdout) > 50 * MEGABYTE


KEEPING_FREE = """
import resource
import numpy as np
from kgreason.store.knowledge_base import KnowledgeBase

KnowledgeBase("none")
def step():
    return [np.ones(1 << 16) for _ in range(8)]  # 4 MB, all of it freed at once
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's allocator is told to keep free memory")
def test_pages_that_a_small_step_freed_serve_the_next_one() -> None:
    """Each of 20 steps would have its 1,024 pages from the system anew."""
    done = subprocess.run([sys.executable, "-c", KEEPING_FREE], capture_output=True, text=True, check=True)

    assert int(done.stdout) < 1024


def test_a_large_change_gives_memory_back_before_and_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    base = KnowledgeBase("none")
    n = base.dictionary.encode(IRI("http://e/n"))
    column = np.full(10, n, dtype=np.uint32)
    subjects = np.array([base.dictionary.encode(IRI(f"http://e/{i}")) for i in range(10)], dtype=np.uint32)
    queued = weakref.ref(subjects)
    base.add_quads(Quads(np.full(10, DEFAULT_GRAPH, dtype=np.uint32), subjects, column, column))
    del subjects
    calls: list[tuple[str, bool]] = []
    monkeypatch.setattr(store_tuning, "GIVEN_BACK", 10)
    for name in ("give_back_arrow", "give_back"):
        monkeypatch.setattr(memory, name, lambda name=name: calls.append((name, queued() is not None)))

    base.flushed()

    assert calls == [("give_back_arrow", True), ("give_back", False)]


def test_a_query_gives_memory_back_after_it_and_after_one_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    for number in range(100):
        graph.add((URIRef(f"urn:{number}"), URIRef("urn:p"), URIRef("urn:o")))
    large = "SELECT * { ?a ?p ?o . ?b ?q ?o . ?c ?r ?o } ORDER BY ?c ?b LIMIT 3"
    calls: list[None] = []
    monkeypatch.setattr(query_tuning, "GIVEN_BACK_BYTES", 1 << 20)
    monkeypatch.setattr(memory, "give_back_arrow", lambda: calls.append(None))

    memory.give_back()
    calls.clear()
    list(graph.query("SELECT * { ?s ?p ?o } LIMIT 1"))
    assert not calls
    list(graph.query(large))
    assert len(calls) == 1
    with pytest.raises(QueryLimitError):
        list(graph.query(large, max_rows=200_000))
    assert len(calls) == 1
    list(graph.query("SELECT * { ?s ?p ?o } LIMIT 1"))
    assert len(calls) == 2
