"""A standalone cluster of Spark on loopback: a master and workers as processes, killed for certain at the end.

A process can have one Spark context only, and the one of the tests is local; so what is to run on the cluster runs in a
process of its own (`Cluster.run`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pyspark

_SPARK = Path(pyspark.__file__).parent
_LOOPBACK = "127.0.0.1"
_PATIENCE = 60.0
_DIE_WITH_PARENT = 1
QUICK_START: Final = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote "
    "-XX:ReservedCodeCacheSize=480m -XX:-UseCodeCacheFlushing"
)
"""Options of Java for small jobs: compiling well, and verifying Spark's classes, take longer than running them."""


@dataclass
class Cluster:
    """A running cluster; each worker has one core. `settings` of Spark are for all drivers."""

    url: str
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, code: str, *arguments: str, timeout: float = 400) -> subprocess.CompletedProcess[str]:
        """Run Python in a process whose `spark_session(sys.argv[1])` is on the cluster; `arguments` come after that."""
        command = [sys.executable, "-c", code, self.url, *arguments]
        return subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, timeout=timeout, check=False
        )

    def start(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        """The same, without waiting for its end."""
        command = [sys.executable, "-c", code, self.url, *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=self.environment(), stdout=pipe, stderr=pipe, text=True, preexec_fn=_die_with_parent
        )

    def environment(self) -> dict[str, str]:
        """What a driver needs to know."""
        settings = {
            "executor.memory": "512m",
            "executor.extraJavaOptions": QUICK_START,
            "driver.memory": "512m",
            "sql.shuffle.partitions": "4",
            # A few thousand rows: compiling the plans in each of three processes takes longer than running them.
            "sql.codegen.wholeStage": "false",
            "sql.codegen.factoryMode": "NO_CODEGEN",
            # Where a worker was killed nothing comes back, and all are as near.
            "shuffle.io.retryWait": "500ms",
            "locality.wait": "0s",
            **self.settings,
        }
        options = " ".join(f"--conf 'spark.{name}={value}'" for name, value in settings.items())
        return {**_environment(), "PYSPARK_SUBMIT_ARGS": f"{options} pyspark-shell", "PYSPARK_PYTHON": sys.executable}

    def kill_worker(self, number: int) -> None:
        """Kill a worker with its executors, as a power cut would."""
        _kill(self.workers[number])


@contextmanager
def standalone_cluster(
    folder: Path, hosts: Sequence[str] = (_LOOPBACK, _LOOPBACK), settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Cluster]:
    """A cluster with a worker at each of some addresses of this machine; logs and working folders are in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    url = f"spark://{_LOOPBACK}:{port}"
    processes: list[subprocess.Popen[bytes]] = []
    try:
        address = ["--host", _LOOPBACK, "--port", str(port), "--webui-port", "0"]
        processes.append(_daemon("master.Master", address, folder / "master.log"))
        _wait_for("I have been elected leader", folder / "master.log", processes[0])
        cluster = Cluster(url, folder, settings)
        logs = [folder / f"worker{number}.log" for number in range(len(hosts))]
        for log, host in zip(logs, hosts, strict=True):
            options = ["--cores", "1", "--memory", "700m", "--host", host, "--webui-port", "0"]
            worker = _daemon("worker.Worker", [*options, "--work-dir", str(log.with_suffix(".work")), url], log)
            processes.append(worker)
            cluster.workers.append(worker)
        for log, worker in zip(logs, cluster.workers, strict=True):
            _wait_for("Successfully registered with master", log, worker)
        yield cluster
    finally:
        for process in processes:
            _kill(process)


def _daemon(name: str, arguments: list[str], log: Path) -> subprocess.Popen[bytes]:
    """A process in a session of its own, so that what it starts can be killed with it."""
    command = [str(_SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )


def _environment() -> dict[str, str]:
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    return {
        **mine,
        "SPARK_HOME": str(_SPARK),
        "SPARK_LOCAL_IP": _LOOPBACK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
        "SPARK_SUBMIT_OPTS": QUICK_START,
    }


def _die_with_parent() -> None:
    """Also when the tests are killed."""
    with suppress(OSError, AttributeError):  # Linux only
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _wait_for(message: str, log: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE
    while message not in log.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"Spark's cluster does not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return int(probe.getsockname()[1])
