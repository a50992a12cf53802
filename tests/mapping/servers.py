"""A PostgreSQL to ask: that of ``$KGREASON_POSTGRESQL``, or one of our own for as long as the tests run."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket

import pytest


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a database in which tests may do anything; the test is skipped where there is no PostgreSQL."""
    if given := os.environ.get("KGREASON_POSTGRESQL"):
        yield given
        return
    programs = {name: shutil.which(name) for name in ("initdb", "pg_ctl", "psql")}
    if None in programs.values():
        pytest.skip("no PostgreSQL: KGREASON_POSTGRESQL may name a database, or initdb and pg_ctl be on the path")
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="kg-postgresql-"))
    if owner is not None:
        shutil.chown(folder, owner)
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    ran = {"user": owner, "check": True, "capture_output": True, "cwd": folder, "timeout": 60}
    try:
        subprocess.run(["initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres", "--no-sync"], **ran)
        subprocess.run(["pg_ctl", "-D", folder / "data", "-o", options, "-l", folder / "log", "-w", "start"], **ran)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run(["pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"], **{**ran, "check": False})
        shutil.rmtree(folder, ignore_errors=True)


def run_sql(url: str, script: str) -> None:
    """Run statements after everything that was there has been dropped."""
    begin = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
    subprocess.run(
        ["psql", "-q", "-v", "ON_ERROR_STOP=1", url], input=f"{begin}\n{script}", text=True, check=True,
        capture_output=True, timeout=60,
    )  # fmt: skip


def _owner() -> str | None:
    """Who runs the server: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
