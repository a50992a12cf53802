"""Bytes on connections: would catch a client that fills the memory before its request begins or after it has ended, one
that smuggles headers in behind a body, and one that is turned away because it offers another protocol."""

from __future__ import annotations

import json
import socket
import time

import httpx2
import pytest

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import WRITER
from tests.server.processes import command, free_port, served, stopped

UPGRADE = "Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n"
"""What Java's client sends with its first request."""
UPDATE = "Content-Type: application/sparql-update\r\n"
INSERT = "INSERT DATA { <http://e/a> <http://e/p> 1 }"
CHUNKS = f"{len(INSERT):x}\r\n{INSERT}\r\n0\r\n"
OTHER = CHUNKS.replace("1 }", "2 }") + "\r\n"


def connected(address: str) -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def status(client: socket.socket) -> int:
    """The status of the next answer, all of which is read."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        piece = client.recv(1 << 16)
        if not piece:
            return 0
        answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    told = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while told and len(body) < int(told[0].split(b":")[1]):
        body += client.recv(1 << 16)
    return int(head.split()[1])


@pytest.mark.parametrize(
    "begun",
    [
        "GET /livez HTTP/1.1\r\nX: ",
        "GET /",
        f"POST /update HTTP/1.1\r\nHost: x\r\n{UPDATE}Transfer-Encoding: chunked\r\n\r\n{CHUNKS}X: ",
        f"POST /update HTTP/1.1\r\nHost: x\r\n{UPDATE}Transfer-Encoding: chunked\r\n\r\n5;x=",
    ],
    ids=["header", "address", "behind the body", "of a chunk"],
)
def test_text_without_an_end_is_not_kept(begun: str) -> None:
    with served(ReasoningStore()) as address, connected(address) as client:
        client.sendall(begun.encode())
        sent = 0
        try:
            while sent < 64 << 20:
                sent += client.send(b"a" * (1 << 14))
        except OSError:
            pass

        assert sent < 32 << 20


def test_header_behind_a_body_is_none_of_the_request() -> None:
    with served(ReasoningStore()) as address, connected(address) as client:
        behind = f"Authorization: Bearer {WRITER}\r\n\r\n"
        client.sendall(
            f"POST /update HTTP/1.1\r\nHost: x\r\n{UPDATE}Transfer-Encoding: chunked\r\n\r\n{CHUNKS}{behind}".encode()
        )

        assert status(client) == 401


@pytest.mark.parametrize("is_split", [False, True])
def test_client_that_offers_another_protocol_is_answered_in_this_one(is_split: bool) -> None:
    store = ReasoningStore()
    with served(store) as address, connected(address) as client:
        told = f"Authorization: Bearer {WRITER}\r\n{UPDATE}"
        answers = []
        for head, body in (
            (f"GET /sparql?query=ASK%7B%7D HTTP/1.1\r\n{UPGRADE}", ""),
            (f"POST /update HTTP/1.1\r\n{UPGRADE}{told}Content-Length: {len(INSERT)}\r\n", INSERT),
            (f"POST /update HTTP/1.1\r\n{UPGRADE}{told}Transfer-Encoding: chunked\r\n", OTHER),
            ("GET /livez HTTP/1.1\r\nHost: x\r\n", ""),
        ):
            for part in (head, "\r\n", body) if is_split else (f"{head}\r\n{body}",):
                client.sendall(part.encode())
                time.sleep(0.05 * is_split)
            answers.append(status(client))

        found = httpx2.get(f"{address}/data?default", headers={"Accept": "application/n-triples"}).text
    assert answers == [200, 204, 204, 200]
    assert sorted(line.split()[2][:2] for line in found.splitlines()) == ['"1', '"2']


def test_tunnel_is_refused() -> None:
    with served(ReasoningStore()) as address, connected(address) as client:
        client.sendall(b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n")

        assert status(client) == 400


@pytest.mark.slow
def test_log_is_a_json_object_for_each_request_also_beside_the_tools_of_agents(tmp_path) -> None:
    (tmp_path / "empty.nt").touch()
    with command(tmp_path / "empty.nt", port=free_port()) as (address, process):
        with connected(address) as client:
            client.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
            status(client)
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status(client)
            client.sendall(b"\x16\x03\x01\r\n\r\n")
            status(client)
        _, printed = stopped(process)

    _, *lines = printed.splitlines()
    found = [json.loads(line) for line in lines]
    assert [each["message"]["path"] for each in found if "path" in each["message"]][-2:] == ["/mcp", "/livez"]
