"""Servers on real connections: would catch one client that holds up others, work that goes on for nobody, a commit that
is lost, and a connection that is kept open for nothing."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

import httpx2
import pytest
from rdflib import Graph

from kgreason_rdflib import ReasoningStore
from kgreason_server.running import bound
from tests.server.conftest import WRITER, WRITES
from tests.server.processes import COMMAND, command, free_port, served, stopped

_HEADERS = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(CONCAT(STR(?a), STR(?c), STR(?e)) = '') }"


def rows(count: int) -> ReasoningStore:
    """A store with so many triples."""
    store = ReasoningStore(rules="none")
    lines = "".join(f"<http://e/{number}> <http://e/p> <http://e/o{number % 7}> .\n" for number in range(count))
    store.bulk_load(lines.encode(), format="nt")
    return store


def connected(address: str) -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def until(condition, seconds: float = 30) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def running(address: str) -> int:
    """How many other requests a server is working on."""
    text = httpx2.get(f"{address}/metrics").text
    line = next(line for line in text.splitlines() if line.startswith("kgreason_requests_running "))
    return int(line.split()[1]) - 1


def test_query_ends_when_its_client_goes_away() -> None:
    with served(rows(3000), timeout=60) as address:
        client = connected(address)
        client.sendall(f"GET /sparql?query={quote(ENDLESS)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert until(lambda: running(address) == 1)

        client.close()

        assert until(lambda: running(address) == 0, 20)


def test_slow_reader_of_many_rows_holds_up_no_one_and_gets_all() -> None:
    with served(rows(200_000), threads=2) as address:
        clients = [connected(address) for _ in range(4)]
        for client in clients:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
            client.sendall(b"GET /sparql?query=SELECT*%7B?s?p?o%7D HTTP/1.1\r\nHost: x\r\nAccept: text/csv\r\n\r\n")
            client.recv(100)
        begun = time.monotonic()

        answers = [httpx2.get(f"{address}/sparql", params={"query": "ASK {}"}).json()["boolean"] for _ in range(10)]

        assert answers == [True] * 10
        assert time.monotonic() - begun < 20
        received, end = 0, b""
        clients[0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)  # slow for long enough
        while piece := clients[0].recv(1 << 16):
            received += piece.count(b"\n")
            end = (end + piece)[-7:]
            if end == b"\r\n0\r\n\r\n":
                break
        assert received > 200_000
        for client in clients:
            client.close()
        assert until(lambda: running(address) == 0)


@pytest.mark.parametrize("count", [1, 20], ids=["one request", "requests in a row"])
@pytest.mark.parametrize("rows_of_answer", [100_000, 200_000])
def test_clients_that_take_no_answers_leave_room_for_others(count: int, rows_of_answer: int) -> None:
    with served(rows(200_000), body_seconds=2, header_seconds=2, connections=4) as address, ExitStack() as clients:
        host, port = address.removeprefix("http://").split(":")
        query = quote(f"SELECT * {{ ?s ?p ?o }} LIMIT {rows_of_answer}")
        asked = f"GET /sparql?query={query} HTTP/1.1\r\nHost: x\r\nAccept: text/csv\r\n\r\n".encode()
        for _ in range(3):
            client = clients.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
            client.connect((host, int(port)))
            client.sendall(asked * count)
            assert client.recv(12) == b"HTTP/1.1 200"
        # The fourth connection is one too many.
        assert httpx2.get(f"{address}/livez").status_code == 503

        assert until(lambda: httpx2.get(f"{address}/livez").status_code == 200, 20)


def test_readers_go_on_while_a_writer_works(monkeypatch: pytest.MonkeyPatch) -> None:
    made, has_read, adopt = Event(), Event(), ReasoningStore.adopt

    def adopt_when_read(store: ReasoningStore, branch: ReasoningStore) -> None:
        made.set()
        assert has_read.wait(60), "a reader waits for the writer"
        adopt(store, branch)

    monkeypatch.setattr(ReasoningStore, "adopt", adopt_when_read)
    with served(rows(700)) as address:

        def count() -> str:
            query = "SELECT (COUNT(*) AS ?n) { ?a <http://e/q> ?b }"
            wanted = {"params": {"query": query}, "headers": {"Accept": "text/csv"}, "timeout": 60}
            return httpx2.get(f"{address}/sparql", **wanted).text.split()[1]

        update = "INSERT { ?a <http://e/q> ?b } WHERE { ?a ?p ?x . ?b ?p ?x }"
        sent = {"data": {"update": update}, "headers": WRITES, "timeout": 60}
        writer = Thread(target=httpx2.post, args=(f"{address}/update",), kwargs=sent)
        writer.start()
        assert made.wait(60)

        during = count()
        has_read.set()
        writer.join()

        assert (during, count()) == ("0", str(7 * 100 * 100))


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /livez HT", _HEADERS[:-2], _HEADERS + _HEADERS[:-2]],
    ids=["nothing", "half a line", "no end", "second request"],
)
def test_connection_without_whole_headers_is_closed(sent: bytes) -> None:
    with served(rows(1), header_seconds=0.2) as address:
        begun = time.monotonic()  # the server counts from the connection on, however late it is noticed here
        with connected(address) as client:
            client.sendall(sent)
            while client.recv(1 << 16):
                pass

        assert 0.19 < time.monotonic() - begun < 20


def test_body_that_does_not_come_is_not_waited_for() -> None:
    with served(rows(1), body_seconds=0.2) as address, connected(address) as client:
        client.sendall(f"POST /update HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRITER}\r\nContent-Length: 100\r\n"
                       "Content-Type: application/sparql-update\r\n\r\nINSERT".encode())  # fmt: skip

        assert b" 408 " in client.recv(1 << 16)


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /livez HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /sparql?query=" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: x\r\nX: a\rb: c\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
    ],
    ids=["long header", "long address", "line break", "two lengths", "two encodings", "TLS"],
)
def test_malformed_or_large_headers_are_refused(sent: bytes) -> None:
    with served(rows(1)) as address, connected(address) as client:
        client.sendall(sent)

        assert client.recv(1 << 16).split()[1] in (b"400", b"431", b"501")
        assert httpx2.get(f"{address}/livez").status_code == 200


@pytest.mark.slow
def test_what_was_answered_is_on_disk_whether_the_server_is_stopped_or_killed(tmp_path: Path) -> None:
    store, port = tmp_path / "store", free_port()

    for number, end in enumerate((signal.SIGTERM, signal.SIGKILL)):
        with command(store, "--create", port=port, KGREASON_TOKEN=WRITER) as (address, process):
            update = f"INSERT DATA {{ <http://e/{number}> <http://e/p> 1 }}"
            assert httpx2.post(f"{address}/update", data={"update": update}, headers=WRITES).status_code == 204
            if end == signal.SIGTERM:
                code, printed = stopped(process)
                assert code == 0, printed
            else:
                process.kill()

    reopened = ReasoningStore()
    reopened.open(str(store), read_only=True)
    assert {str(each) for each in Graph(store=reopened).subjects()} == {"http://e/0", "http://e/1"}


@pytest.mark.slow
def test_a_port_that_is_taken_is_all_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "good.ttl").write_text("<a:s> <a:p> <a:o> .")
    with bound("127.0.0.1", 0) as taken:
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*COMMAND, "serve", str(tmp_path / "good.ttl"), "--port", port],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr == f"kgreason: 127.0.0.1:{port}: Address already in use\n"


@pytest.mark.slow
def test_store_that_cannot_be_opened_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text("a b c")

    done = subprocess.run(
        [*COMMAND, "serve", str(tmp_path / "bad.ttl"), "--port", str(free_port())],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("kgreason: ")
    assert "bad.ttl:1" in done.stderr
    assert "Traceback" not in done.stderr
