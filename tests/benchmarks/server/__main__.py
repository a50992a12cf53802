"""``python -m tests.benchmarks.server [SECONDS [SERVER ...]]``: one row for each server and number of clients."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.benchmarks.server.endpoints import TOKEN, kgreason, oxigraph, rdflib_endpoint
from tests.benchmarks.server.load import run
from tests.benchmarks.usage import show_help

CLIENTS = (1, 8, 64)
SERVERS = {"kgreason": kgreason, "rdflib-endpoint": rdflib_endpoint, "oxigraph": oxigraph}
_PORT = 8461


def main(seconds: float = 10.0, *names: str) -> None:
    """Print the table, and the most common errors."""
    heads = "server", "clients", "requests/s", "median", "99 %", "processor", "errors", "commits, median", "memory"
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    said: dict[str, Counter[str]] = {}
    for number, start in enumerate(SERVERS[name] for name in names or SERVERS):
        with tempfile.TemporaryDirectory() as folder, start(Path(folder), _PORT + number) as endpoint:
            run(endpoint.port, 1, min(2.0, seconds), TOKEN, endpoint.path, endpoint.update_path)
            for clients in CLIENTS:
                before, spent = endpoint.megabytes, endpoint.processor_seconds
                load = run(endpoint.port, clients, seconds, TOKEN, endpoint.path, endpoint.update_path)
                spent, done = endpoint.processor_seconds - spent, len(load.seconds)
                cells = [
                    endpoint.name, str(clients), f"{done / seconds:,.0f}",
                    *(f"{1000 * load.quantile(share):,.1f} ms" for share in (0.5, 0.99)),
                    f"{1000 * spent / max(done, 1):.2f} ms", str(len(load.errors)),
                    f"{len(load.written)}, {1000 * load.quantile(0.5, load.written):,.1f} ms",
                    f"{before:,.0f}, {endpoint.megabytes:,.0f} MB",
                ]  # fmt: skip
                print(f"| {' | '.join(cells)} |", flush=True)
                said.setdefault(endpoint.name, Counter()).update(load.errors)
    for name, errors in said.items():
        for text, count in errors.most_common(3):
            print(f"{name}: {count} times {text}")


if __name__ == "__main__":
    show_help(__doc__)
    main(*map(float, sys.argv[1:2]), *sys.argv[2:])
