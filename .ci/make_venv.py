"""Makes a virtual environment with pip in it: ``python3 make_venv.py DIRECTORY``.

Plain ``python3 -m venv`` does that nearly everywhere. Debian's python3 comes without ensurepip (it is in the
package python3-venv), so where that is missing pip is taken from the system, from bootstrap.pypa.io or PyPI.
Only the standard library is used, because nothing else is there yet.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

TIMEOUT = 60
PIP_ON_PYPI = "https://pypi.org/pypi/pip/json"


def main(directory: str) -> int:
    """Returns 0 when `directory` holds an environment with a working pip."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may well have an older Python
        print(f"kgreason needs Python 3.11 or newer, this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    target = Path(directory)
    python = target / "bin" / "python"
    if run(sys.executable, "-m", "venv", "--clear", directory) and has_pip(python):
        return 0
    print("python3 has no ensurepip (Debian: package python3-venv); getting pip another way", file=sys.stderr)
    if not run(sys.executable, "-m", "venv", "--clear", "--without-pip", directory):
        return failed(target, "python3 -m venv does not work")
    sources: list[Callable[[Path], bool]] = [pip_of_the_system, pip_by_bootstrap, pip_from_pypi]
    if any(source(python) and has_pip(python) for source in sources):
        return 0
    return failed(target, "no way to get pip worked")


def pip_of_the_system(python: Path) -> bool:
    """With the pip of the Python that runs this, if it has one."""
    return run(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "pip")


def pip_by_bootstrap(python: Path) -> bool:
    """With the script that the makers of pip publish for this."""
    with tempfile.TemporaryDirectory() as scratch:
        script = Path(scratch) / "get-pip.py"
        if not download("https://bootstrap.pypa.io/get-pip.py", script):
            return False
        return run(str(python), str(script), "--quiet")


def pip_from_pypi(python: Path) -> bool:
    """With pip's own wheel, which can be run as it is."""
    with tempfile.TemporaryDirectory() as scratch:
        description = Path(scratch) / "pip.json"
        if not download(PIP_ON_PYPI, description):
            return False
        files = json.loads(description.read_text(encoding="utf-8"))["urls"]
        wheel_address = next(file["url"] for file in files if file["packagetype"] == "bdist_wheel")
        # Mirrors of PyPI give addresses relative to the page.
        address = urljoin(PIP_ON_PYPI, wheel_address)
        wheel = Path(scratch) / address.rsplit("/", 1)[1]
        return download(address, wheel) and run(str(python), f"{wheel}/pip", "install", "--quiet", str(wheel))


def download(address: str, target: Path) -> bool:
    """Copies what is at `address` into a file."""
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    except OSError as error:
        print(f"{address}: {error}", file=sys.stderr)
        return False
    return True


def run(*command: str) -> bool:
    """Runs a command in silence."""
    quiet = subprocess.DEVNULL
    return subprocess.run(command, check=False, stdout=quiet, stderr=quiet).returncode == 0


def has_pip(python: Path) -> bool:
    """Whether pip works there."""
    return python.exists() and run(str(python), "-m", "pip", "--version")


def failed(target: Path, reason: str) -> int:
    """Says what to do, and leaves nothing half made behind."""
    shutil.rmtree(target, ignore_errors=True)
    print(f"cannot make {target}: {reason}; on Debian `apt install python3-venv` helps", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
