"""Commands under watch: ``python -m tests.cli.watched FOLDER < COMMANDS``, lists of arguments as JSON.

For each command its exit status, what it wrote to stdout and stderr, and what it reached for: sockets that are
connected, names that are looked up, processes that are started, files that are opened outside of FOLDER, of Python's
own folders and of this project's. All of that fails. Caught is what goes through Python, in any thread.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

_OUTWARD: Final = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")
_STARTED: Final = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")
_FILES: Final = ("open", "os.remove", "os.rename", "os.mkdir", "os.symlink", "os.truncate", "sqlite3.connect")
_SYSTEM: Final = (
    "/proc/",
    "/sys/",
    "/dev/null",
    "/dev/urandom",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/usr/lib",
    "/lib",
)


def watch(folder: Path) -> list[str]:
    """Begin to watch, which cannot be ended; the list of what is reached for from now on."""
    project = Path(__file__).resolve().parents[2]
    own = {sys.prefix, sys.base_prefix, *sys.path, str(project), str(folder)}
    inside = tuple(os.path.join(os.path.realpath(path), "") for path in own if path)
    reached: list[str] = []

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        is_bad = event in _OUTWARD or event in _STARTED
        if event in _FILES and isinstance(arguments[0], str | bytes | os.PathLike):
            given = os.fsdecode(arguments[0]).removeprefix("file://").partition("?")[0]
            is_own = given.startswith(_SYSTEM) or given == ":memory:"
            is_bad = not is_own and not os.path.join(os.path.realpath(given), "").startswith(inside)
        if is_bad:
            reached.append(f"{event}: {arguments!r:.200}")
            raise PermissionError("the test forbids this")

    sys.addaudithook(hook)
    return reached


def run(arguments: list[str], reached: list[str]) -> list[object]:
    """Run one command."""
    from kgreason.cli import main

    sys.argv = ["kgreason", *arguments]
    status: object = 0
    reached.clear()
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    with redirect_stdout(out), redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as end:
            status = end.code
    out.flush()
    return [status, written.getvalue().decode(), err.getvalue(), list(reached)]


if __name__ == "__main__":
    commands = json.load(sys.stdin)
    reached = watch(Path(sys.argv[1]))
    json.dump([run(command, reached) for command in commands], sys.stdout)
