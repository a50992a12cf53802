"""Would catch a command that writes what is no message to stdout, changes a store without leave, or loses a change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from rdflib import Graph, Namespace

from kgreason import ReasoningStore
from tests.agents.memories import MEMORY, Call, RefusedError, with_client

EX = Namespace("http://example.org/")

INITIALISE = (
    b'{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    b' "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}'
)

pytestmark = pytest.mark.slow


def command(*arguments: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "kgreason", "mcp", *arguments], env=dict(os.environ)
    )


def test_client_talks_to_a_process_over_files(tmp_path: Path) -> None:
    file = tmp_path / "memory.ttl"
    file.write_text(MEMORY)

    async def talk(call: Call) -> None:
        assert await call("query", sparql="ASK { ex:ada ex:above ex:Q42 }") == "yes"
        assert "prp-trp" in await call("explain", subject="ex:ada", predicate="ex:above", object="ex:Q42")
        assert "missing" in await call("why_not", subject="ex:ada", predicate="a", object="ex:Parent")
        assert "Nothing was changed" in await call("propose_change", add="ex:bob a ex:Cat .")
        with pytest.raises(RefusedError, match="apply_change"):
            await call("apply_change", add="ex:bob a ex:Cat .")

    assert "apply_change" not in with_client(command(str(file)), talk)


def test_change_of_a_store_on_disk_is_there_after_the_process(tmp_path: Path) -> None:
    with ReasoningStore(rules="owl-rl") as store:
        store.open(str(tmp_path / "store"), create=True)
        Graph(store=store).parse(data=MEMORY, format="turtle")
        store.commit()

    async def talk(call: Call) -> None:
        await call("apply_change", add="ex:eve ex:above ex:ada .")

    with_client(command(str(tmp_path / "store"), "--allow-changes"), talk)

    with ReasoningStore(rules=None) as store:
        store.open(str(tmp_path / "store"), read_only=True)
        assert (EX.eve, EX.above, EX.Q42) in Graph(store=store)


def test_reader_of_a_store_on_disk_sees_what_another_process_commits(tmp_path: Path) -> None:
    with ReasoningStore(rules="owl-rl") as store:
        store.open(str(tmp_path / "store"), create=True)
        graph = Graph(store=store).parse(data=MEMORY, format="turtle")
        store.commit()

        async def talk(call: Call) -> None:
            for number in range(3):
                query = f"ASK {{ ex:x{number} ex:above ex:Q42 }}"
                assert await call("query", sparql=query) == "no"
                graph.add((EX[f"x{number}"], EX.above, EX.ada))
                store.commit()
                assert await call("query", sparql=query) == "yes"
                store.compact()
            assert "apply_change" not in (await call("overview"))

        with_client(command(str(tmp_path / "store")), talk)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to other processes")
def test_process_that_waits_for_a_message_ends_by_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "memory.ttl").write_text(MEMORY)
    line = [sys.executable, "-m", "kgreason", "mcp", str(tmp_path / "memory.ttl")]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(INITIALISE + b"\n")
    process.stdin.flush()
    assert b"kgreason" in process.stdout.readline()

    process.send_signal(number)

    process.communicate(timeout=10)
    assert process.returncode == -number


def test_file_that_is_not_there_is_named_on_stderr() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "kgreason", "mcp", "no-such-file.ttl"], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert "no-such-file.ttl" in found.stderr
