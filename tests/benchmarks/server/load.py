"""Clients that ask without a pause, each on a connection of its own, and one that writes."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from threading import Event, Thread
from urllib.parse import urlencode

CLASSES, INSTANCES = 300, 30_000
_PAUSE = 0.1
"""Between two commits of the writer, in seconds."""


@dataclass
class Load:
    """What clients saw: the seconds of each request that was answered well, what the others were told, and the seconds
    of each commit."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    written: list[float] = field(default_factory=list)

    def quantile(self, share: float, of: Sequence[float] | None = None) -> float:
        """The time within which a share of the requests were answered."""
        times = sorted(self.seconds if of is None else of)
        return times[min(int(share * len(times)), len(times) - 1)] if times else 0.0


def data() -> str:
    """A tree of classes with members, as N-Triples: 90,300 triples, of which RDFS makes some 250,000."""
    lines = []
    for number in range(1, CLASSES):
        lines.append(
            f"<http://e/C{number}> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/C{number // 3}> ."
        )
    for number in range(INSTANCES):
        subject = f"<http://e/i{number}>"
        lines.append(f"{subject} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C{number % CLASSES}> .")
        lines.append(f"{subject} <http://e/near> <http://e/i{number * 7 % INSTANCES}> .")
        lines.append(f'{subject} <http://www.w3.org/2000/01/rdf-schema#label> "number {number}"@en .')
    return "\n".join([*lines, ""])


def query(chance: random.Random) -> str:
    """One of several queries, about something else each time: look-ups, joins, counts."""
    one, some = chance.randrange(INSTANCES), chance.randrange(CLASSES // 2, CLASSES)
    return chance.choice(
        (
            f"SELECT ?p ?o {{ <http://e/i{one}> ?p ?o }}",
            f"ASK {{ <http://e/i{one}> a <http://e/C1> }}",
            f"SELECT ?x ?l {{ ?x a <http://e/C{some}> ; <http://www.w3.org/2000/01/rdf-schema#label> ?l }} LIMIT 20",
            f"SELECT ?y ?c {{ <http://e/i{one}> <http://e/near>/<http://e/near> ?y . ?y a ?c }}",
            f"SELECT (COUNT(*) AS ?n) {{ ?x a <http://e/C{some}> }}",
        )
    )


def run(port: int, clients: int, seconds: float, token: str, path: str, update_path: str) -> Load:
    """Let so many clients ask a server for some time while one writes."""
    found, stop = Load(), Event()
    parts = [Load() for _ in range(clients)]
    threads = [Thread(target=_ask, args=(port, part, stop, number, path)) for number, part in enumerate(parts)]
    threads.append(Thread(target=_write, args=(port, found, stop, token, update_path)))
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    for part in parts:
        found.seconds += part.seconds
        found.errors += part.errors
    return found


def _ask(port: int, load: Load, stop: Event, seed: int, path: str) -> None:
    chance = random.Random(seed)
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Accept": "application/sparql-results+json"}
    while not stop.is_set():
        begun = time.perf_counter()
        try:
            connection.request("GET", f"{path}?{urlencode({'query': query(chance)})}", headers=headers)
            response = connection.getresponse()
            body = response.read()
        except OSError as error:
            load.errors.append(repr(error))
            connection.close()
            continue
        if response.status == 200:
            load.seconds.append(time.perf_counter() - begun)
        else:
            load.errors.append(f"{response.status} {body[:200]!r}")
    connection.close()


def _write(port: int, load: Load, stop: Event, token: str, path: str) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/sparql-update"}
    number = int(time.time())
    while not stop.wait(_PAUSE):
        number += 1
        begun = time.perf_counter()
        update = f"INSERT DATA {{ <http://e/new{number}> a <http://e/C{number % CLASSES}> }}"
        connection.request("POST", path, update, headers)
        response = connection.getresponse()
        body = response.read()
        if response.status < 300:
            load.written.append(time.perf_counter() - begun)
        else:
            load.errors.append(f"{response.status} {body[:200]!r}")
    connection.close()
