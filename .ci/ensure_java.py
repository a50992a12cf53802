"""Sees to a Java that Spark can run on: ``python3 ensure_java.py``.

Where there is none, root gets one from Debian's packages; anybody else is told what to install. Only the standard
library is used, because nothing else may be there yet.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = 17
# Debian 12 has the first, Debian 13 the second; without a display the headless ones do.
PACKAGES = ("openjdk-17-jre-headless", "openjdk-21-jre-headless")


def main() -> int:
    """Returns 0 when there is a Java that is new enough."""
    if version() >= OLDEST:
        return 0
    apt = shutil.which("apt-get")
    if "JAVA_HOME" not in os.environ and apt is not None and os.geteuid() == 0:
        print(f"Spark needs Java {OLDEST} or newer; installing it from Debian's packages", file=sys.stderr)
        run(apt, "update", "--quiet", "--quiet")
        for package in PACKAGES:
            if run(apt, "install", "--quiet", "--quiet", "--yes", "--no-install-recommends", package):
                break
        if version() >= OLDEST:
            return 0
    found = f"JAVA_HOME={os.environ['JAVA_HOME']} has" if "JAVA_HOME" in os.environ else "there is"
    print(
        f"Spark needs Java {OLDEST} or newer, and {found} {version() or 'none'}: apt-get install {PACKAGES[0]}",
        file=sys.stderr,
    )
    return 1


def version() -> int:
    """The major version of the Java that Spark would take, 0 when there is none."""
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home) / "bin" / "java") if home else "java"
    try:
        shown = subprocess.run([command, "-version"], check=False, capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', shown)
    return int(found.group(1)) if found else 0


def run(*command: str) -> bool:
    """Runs a command in silence."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = subprocess.DEVNULL
    ended = subprocess.run(command, check=False, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
    return ended.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
