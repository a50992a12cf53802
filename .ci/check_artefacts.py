"""Builds the wheel and the sdist, and runs tests against what they install, in environments of their own.

    python .ci/check_artefacts.py PYTHON newest|lowest

PYTHON is the interpreter to test with; `lowest` installs the oldest version that pyproject.toml allows of each
dependency, `newest` the newest there is. The wheel is built from the sdist, so both are tested.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ("tests/rdflib_store", "tests/cli", "tests/examples/test_documentation.py")
NEED_MORE = (
    "--ignore=tests/cli/test_inferred.py",  # Spark writes what it reads
    "--deselect=tests/examples/test_documentation.py::test_paths_exist",  # files of the source
)
PAGES_NEED = "mapping,mcp,server"
WITH_THEM = (
    *("tests", "examples", "docs", "README.md", "Makefile", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"),
    "pyproject.toml",
)


def main(python: str, versions: str) -> None:
    """Build, install, test."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        run(sys.executable, "-m", "venv", str(here / "build"))
        run(here / "build/bin/pip", "install", "--quiet", "build")
        run(here / "build/bin/python", "-m", "build", "--outdir", str(here / "dist"), str(ROOT))
        (wheel,) = (here / "dist").glob("*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", flush=True)

        run(python, "-m", "venv", str(here / "venv"))
        bin = here / "venv/bin"
        constraints = here / "constraints.txt"
        constraints.write_text("\n".join(lowest_versions()) if versions == "lowest" else "", encoding="utf-8")
        run(bin / "pip", "install", "--quiet", str(wheel), "--constraint", str(constraints))
        run(bin / "kgreason", "--version")
        wanted = ("pytest", "pytest-xdist", "hypothesis", "sybil", "owlrl==7.6.2", "pandas<3", "polars")
        run(bin / "pip", "install", "--quiet", f"{wheel}[{PAGES_NEED}]", *wanted)

        copy = here / "tests"
        copy.mkdir()
        for name in WITH_THEM:
            source = ROOT / name
            shutil.copytree(source, copy / name) if source.is_dir() else shutil.copy(source, copy / name)
        environment = {**os.environ, "KGREASON_PROFILE": "quick", "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
        tests = (*TESTS, *NEED_MORE)
        run(bin / "python", "-m", "pytest", "--quiet", "--numprocesses=logical", *tests, cwd=copy, env=environment)


def lowest_versions() -> list[str]:
    """Constraints to the lowest version that pyproject.toml allows of each dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)", each) for each in project["dependencies"]]
    return [f"{match[1]}=={match[2]}" for match in found if match]


def run(*command: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run a command; its failure is that of this program."""
    arguments: Sequence[str] = [str(part) for part in command]
    print("+", " ".join(arguments), flush=True)
    if subprocess.run(arguments, cwd=cwd, env=env, check=False).returncode:
        sys.exit(f"failed: {' '.join(arguments)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
