"""The files by which a server is deployed: would catch an option or a path that there is not."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from kgreason.cli.app import app

FOLDER = Path(__file__).parents[2] / "examples" / "server"
FILES = ("Containerfile", "compose.yaml", "kgreason.service")


@pytest.mark.parametrize("name", FILES)
def test_options_are_those_of_the_command(name: str) -> None:
    known = {option for each in get_command(app).commands["serve"].params for option in each.opts}
    lines = (FOLDER / name).read_text().splitlines()
    used = re.findall(r"--[a-z-]+", " ".join(each for each in lines if re.search(r"CMD|command|ExecStart", each)))

    assert {"--port", "--host"} & {*used}
    assert {*used} <= known


def test_container_is_not_root_and_says_whether_it_is_well() -> None:
    text = (FOLDER / "Containerfile").read_text()

    instructions = [line.split()[0] for line in text.splitlines() if re.match(r"[A-Z]+ ", line)]
    assert {"USER", "VOLUME", "HEALTHCHECK", "STOPSIGNAL"} <= {*instructions}
    assert instructions.index("USER") < instructions.index("ENTRYPOINT")
    assert "-slim" in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_unit_is_one_of_systemd(tmp_path: Path) -> None:
    unit = tmp_path / "kgreason.service"
    text = (FOLDER / "kgreason.service").read_text()
    unit.write_text(text.replace("/opt/kgreason/bin/kgreason", shutil.which("true") or "/bin/true"))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False, timeout=60
    )

    assert "kgreason.service" not in done.stderr, done.stderr
