"""Ctrl-C, memory that is used up, and budgets, in a store on disk: what was committed stands, in memory and on disk."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from kgreason.store.state import check
from kgreason_rdflib.store import ReasoningStore
from tests.disk import small
from tests.facade import Triple, add, ex, remove, triples
from tests.interrupts import Interruption
from tests.profiles import IS_THOROUGH
from tests.thresholds import Tuned

TYPE, SUBCLASS = IRI(RDF + "type"), IRI(RDFS + "subClassOf")
OPTIONS = OpenOptions("rdfs-plus")
MOMENTS = 12 if IS_THOROUGH else 8
STEP = "@prefix ex: <http://example.org/> . ex:number(?x, ?n) :- ex:number(?x, ?m), ?n = ?m + 1, ?n <= 100 ."


@pytest.fixture(autouse=True)
def small_thresholds(tuned: Tuned) -> None:
    small.shrink(tuned)


def held(store: DurableKnowledge) -> set[Triple]:
    return triples(store.knowledge, store.knowledge.all())


def filled(path: Path) -> DurableKnowledge:
    """A store with a commit, a snapshot and a commit after it, and with more that is queued."""
    store = DurableKnowledge(path, OPTIONS, create=True)
    add(store.knowledge, (ex("A"), SUBCLASS, ex("B")), *((ex(f"a{number}"), TYPE, ex("A")) for number in range(5)))
    store.commit({})
    store.write_snapshot()
    add(store.knowledge, (ex("a5"), TYPE, ex("A")))
    remove(store.knowledge, (ex("a0"), TYPE, ex("A")))
    store.commit({"a setting": "of the last commit"})
    store._snapshots.wait()
    add(store.knowledge, (ex("B"), SUBCLASS, ex("C")), *((ex(f"b{number}"), TYPE, ex("B")) for number in range(5)))
    remove(store.knowledge, (ex("a1"), TYPE, ex("A")))
    return store


def commit(store: DurableKnowledge) -> DurableKnowledge:
    store.commit({"a setting": "of another commit"})
    return store


def write_snapshot(store: DurableKnowledge) -> DurableKnowledge:
    commit(store)
    store.write_snapshot()
    return store


def roll_back(store: DurableKnowledge) -> DurableKnowledge:
    store.roll_back()
    return store


def open_again(store: DurableKnowledge) -> DurableKnowledge:
    store.directory.close()
    return DurableKnowledge(store.directory.path, OPTIONS)


DOINGS: list[Callable[[DurableKnowledge], DurableKnowledge]] = [commit, write_snapshot, roll_back, open_again]


def moments(path: Path, doing: Callable[[DurableKnowledge], DurableKnowledge]) -> Iterator[int]:
    """Some moments of doing something, among them some of the last ones."""
    counted = Interruption(MemoryError)
    store = filled(path)
    with counted.while_running():
        store = doing(store)
    store._snapshots.wait()
    store.directory.close()
    yield from range(0, counted.moments, counted.moments // MOMENTS + 1)
    yield from range(counted.moments - 40, counted.moments, 8)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("doing", DOINGS)
def test_stopped_at_any_moment(
    doing: Callable[[DurableKnowledge], DurableKnowledge], error: type[BaseException], tmp_path: Path
) -> None:
    stopped = 0
    for moment in moments(tmp_path / "counted", doing):
        store = filled(tmp_path / f"{moment}")
        committed = committed_in(store.directory.path)
        try:
            with Interruption(error, moment).while_running():
                store = doing(store)
        except error:
            stopped += 1
        if doing is not open_again:
            check(store.knowledge.state, store.knowledge._current.configuration)
            store._snapshots.wait()
        on_disk = committed_in(store.directory.path)
        store = doing(store)
        found = held(store)
        store.knowledge._check()
        store._snapshots.wait()
        store.directory.close()
        assert on_disk in (committed, found)
        assert committed_in(store.directory.path) == found
    # A rollback is short, and most of it forgets terms, which stay where there is no memory for that.
    assert stopped > (1 if doing is roll_back else MOMENTS // 2)


def committed_in(path: Path) -> set[Triple]:
    """The triples of a store that opens the directory for reading."""
    store = DurableKnowledge(path, OPTIONS, read_only=True)
    found = held(store)
    store.knowledge._check()
    store.directory.close()
    return found


CHILD = """
import sys
from rdflib import Graph
from kgreason import ReasoningStore
store = ReasoningStore(rules="owl-rl")
try:
    print("begin", flush=True)
    store.open(sys.argv[1], create=True)
    store.bulk_load(sys.argv[2])
    store.commit()
    store.write_snapshot()
    print("committed", flush=True)
    sys.stdin.read()
except KeyboardInterrupt:
    print("stopped", len(store), flush=True)
    store.commit()
    print("committed", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.05, 0.2, 0.4, 0.8])
def test_ctrl_c_in_a_process(delay: float, tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    lines = [f"<http://e/{n}> <http://e/p> <http://e/{n + 1}> .\n" for n in range(40_000)]
    lines.append(f"<http://e/p> <{TYPE.value}> <{OWL}TransitiveProperty> .\n")
    file.write_text("".join(lines))
    command = [sys.executable, "-c", CHILD, str(tmp_path / "store"), str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert told.endswith("committed\n"), told
    everything = 40_000 * 40_001 // 2 + 1
    store = ReasoningStore()
    store.open(str(tmp_path / "store"), create=True)
    stopped = re.search(r"stopped (\d+)", told)
    if stopped is not None:
        # What was not queued yet is not there; what was is, although the change was stopped.
        assert len(store) == int(stopped[1])
    assert len(store) in (0, everything)
    store.close()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the size of a process")
def test_memory_of_a_process_is_used_up() -> None:
    """200 MB more than the interpreter, the libraries and the facts take."""
    program = r"""
import re, resource, sys
from kgreason import KnowledgeBase
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF
from tests.facade import add, ex, triples
base = KnowledgeBase("owl-rl", "plain")
add(base, (ex("p"), IRI(RDF + "type"), IRI(OWL + "TransitiveProperty")))
before = len(base.all())
add(base, *((ex(f"n{number}"), ex("p"), ex(f"n{number + 1}")) for number in range(20_000)))
size = int(re.search(r"VmSize:\s+(\d+)", open("/proc/self/status").read())[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), resource.RLIM_INFINITY))
try:
    base.flush()
except MemoryError:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    assert len(base.state.views.all()) == before
    base.state.engine._check()
    base.history.advance([])
    print("stopped")
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert finished.stdout == "stopped\n", finished.stderr


def test_a_budget_holds_when_a_directory_is_opened(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, OpenOptions(STEP), create=True)
    add(store.knowledge, (ex("a"), ex("number"), Literal("1", XSD + "integer")))
    store.commit({})
    expected = held(store)
    store.directory.close()  # without a snapshot
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for read_only in (True, False):
        with pytest.raises(BudgetError, match="the budget of 50 facts"):
            DurableKnowledge(tmp_path, OpenOptions(budget=Budget(facts=50)), read_only=read_only)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()}.items() >= files.items()
    store = DurableKnowledge(tmp_path, OpenOptions(budget=Budget(facts=100)))
    assert held(store) == expected
    store.close()


def test_what_exceeds_its_budget_is_not_committed(tmp_path: Path) -> None:
    store = ReasoningStore(rules=STEP, budget=Budget(facts=50))
    store.open(str(tmp_path), create=True)
    base = store.knowledge_base
    add(base, (ex("x"), ex("y"), ex("z")))
    store.commit()
    add(base, (ex("a"), ex("number"), Literal("1", XSD + "integer")))
    with pytest.raises(BudgetError):
        store.commit()
    assert len(store) == 1
    store.rollback()
    assert len(store) == 1
    store.budget = Budget(facts=200)
    add(base, (ex("a"), ex("number"), Literal("1", XSD + "integer")))
    store.commit()
    # Going back is under no budget.
    remove(base, (ex("a"), ex("number"), Literal("1", XSD + "integer")))
    base.flush()
    store.budget = Budget(facts=0)
    store.rollback()
    assert len(store) == 1 + 100
    store.close()
    again = ReasoningStore()
    again.open(str(tmp_path))
    assert again.budget == Budget()
    assert len(again) == 1 + 100
    again.close()


def test_commit_stands_where_no_thread_can_write_its_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store = DurableKnowledge(tmp_path / "store", OPTIONS, create=True)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        add(store.knowledge, *((ex(f"a{number}"), TYPE, ex("A")) for number in range(100)))
        assert store.commit({})
    expected = held(store)

    store.close()

    assert "no snapshot was written" in caplog.text
    assert held(DurableKnowledge(tmp_path / "store", OPTIONS)) == expected
