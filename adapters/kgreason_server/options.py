"""What the owner of a server allows."""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.errors import OptionError


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What clients may do, and how much of it. Without tokens all clients may read, and none may write.

    Attributes:
        read_tokens: clients that send one of them may read; without any, all may.
        write_tokens: clients that send one of them may read and write; without any, none may write.
        read_only: refuse all writing.
        origins: the web origins (``https://example.org``) whose pages may call from a browser; ``*`` for all.
        hosts: the names under which the server may be called, without ports; empty for any. A server on the loopback
            interface needs them, because any web page may lead its own name there.
        timeout: seconds that a request may take, with the maintenance of what it changes; clients may ask for less.
        max_rows: rows that an answer and a step of a query may have; clients may ask for fewer.
        max_body: bytes of a request.
        max_unpacked: bytes that a compressed request may become.
        body_seconds: how long a client may pause while it sends a request or takes an answer.
        header_seconds: how long a client may take to send the headers of a request.
        header_bytes: how large they may be.
        connections: how many clients may be connected; others are told to come later.
        stopping_seconds: how long requests may go on when the server is told to stop.
        threads: how many queries are worked on at the same time, as many calls of tools, and how many large
            requests are in memory; others wait.
        follow_seconds: how often a store that is open for reading is looked at for what another process has committed.
        changes_kept: how many changes a client of the feed may be behind.
        transactions: how many transactions of RDF4J may be open.
        transaction_seconds: how long a transaction stays open between two requests.
        union_default_graph: whether queries see all graphs as their default graph.
    """

    read_tokens: tuple[str, ...] = ()
    write_tokens: tuple[str, ...] = ()
    read_only: bool = False
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    timeout: float = 60.0
    max_rows: int | None = None
    max_body: int = 64 << 20
    max_unpacked: int = 1 << 30
    body_seconds: float = 30.0
    header_seconds: float = 10.0
    header_bytes: int = 64 << 10
    connections: int = 1000
    stopping_seconds: float = 30.0
    threads: int = 8
    follow_seconds: float = 1.0
    changes_kept: int = 1000
    transactions: int = 16
    transaction_seconds: float = 60.0
    union_default_graph: bool = True

    def __post_init__(self) -> None:
        for token in (*self.read_tokens, *self.write_tokens):
            if not (token and token.isascii() and token.isprintable()) or " " in token:
                raise OptionError("a token that cannot be used", "token", expected="ASCII without spaces")
        for name in ("timeout", "body_seconds", "header_seconds", "max_body", "threads"):
            value = getattr(self, name)
            if not value > 0:
                raise OptionError(f"{name}={value!r}", name, value, expected="more than 0")
