"""Servers on a port of this machine: in a thread of this process, or as the command in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx2
import uvicorn

from kgreason_rdflib import ReasoningStore
from kgreason_server import ServerOptions, application
from kgreason_server.running import bound, configured
from tests.server.conftest import WRITER

COMMAND = (sys.executable, "-c", "from kgreason.cli import main; main()")


class QuickServer(uvicorn.Server):
    """A server that looks each hundredth of a second, not each tenth, whether it is to stop."""

    async def main_loop(self) -> None:
        hundredths = 0
        while not await self.on_tick(hundredths // 10):
            hundredths += 1
            await asyncio.sleep(0.01)


@contextmanager
def served(store: ReasoningStore, **options: object) -> Iterator[str]:
    """A server in a thread; its address."""
    chosen = ServerOptions(**({"write_tokens": (WRITER,)} | options))  # type: ignore[arg-type]  # checked at run time
    server = QuickServer(configured(application(store, chosen), chosen))
    with bound("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            wait_until_ready(address)
            yield address
        finally:
            server.should_exit = True
            thread.join(20)
    assert not thread.is_alive()


@contextmanager
def command(*arguments: str | Path, port: int, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``kgreason serve`` in a process; its address, once it is ready, and the process."""
    line = [*COMMAND, "serve", *map(str, arguments), "--port", str(port)]
    process = subprocess.Popen(line, text=True, stderr=subprocess.PIPE, env=os.environ | environment)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_ready(address, process)
        yield address, process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def stopped(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Stop a process as a service manager does; its exit code and what it printed."""
    process.send_signal(signal.SIGTERM)
    _, printed = process.communicate(timeout=30)
    return process.returncode, printed


def wait_until_ready(address: str, process: subprocess.Popen[str] | None = None) -> None:
    """Wait for a server to open its store."""
    end = time.monotonic() + 120  # on a machine that is busy otherwise
    # One client, as each reads all certificates of the machine.
    with httpx2.Client(verify=False) as client:
        while time.monotonic() < end and (process is None or process.poll() is None):
            try:
                if client.get(f"{address}/readyz").status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.01)
    raise AssertionError(f"{address} is not ready")


def free_port() -> int:
    """A port that nothing listens on."""
    with bound("127.0.0.1", 0) as found:
        port: int = found.getsockname()[1]
        return port
