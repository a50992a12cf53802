"""``python -m tests.benchmarks.server [SECONDS]``: one row for each server and number of clients."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.server.endpoints import TOKEN, kgreason, rdflib_endpoint
from tests.benchmarks.server.load import run

CLIENTS = (1, 8, 64)
_PORT = 8461


def main(seconds: float = 10.0) -> None:
    """Print the table."""
    print("| server | clients | requests/s | median | 99 % | errors | commit, median | memory before and after |")
    print("|---|---|---|---|---|---|---|---|")
    for number, start in enumerate((kgreason, rdflib_endpoint)):
        with tempfile.TemporaryDirectory() as folder, start(Path(folder), _PORT + number) as endpoint:
            run(endpoint.port, 1, min(2.0, seconds), TOKEN, endpoint.path, endpoint.update_path)
            for clients in CLIENTS:
                before = endpoint.megabytes
                load = run(endpoint.port, clients, seconds, TOKEN, endpoint.path, endpoint.update_path)
                after = endpoint.megabytes
                cells = [
                    endpoint.name, str(clients), f"{len(load.seconds) / seconds:,.0f}",
                    *(f"{1000 * load.quantile(share):,.1f} ms" for share in (0.5, 0.99)), str(load.errors),
                    f"{1000 * load.quantile(0.5, load.written):,.1f} ms", f"{before:,.0f}, {after:,.0f} MB",
                ]  # fmt: skip
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
