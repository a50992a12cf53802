"""Everything about maintenance: ``python -m tests.benchmarks.maintenance [--quick] [--limit SECONDS]``.

Tables 1 and 2 of Hu et al. 2019, DYRE's setting, and the latency of single changes, one after another, as Markdown.
The full run takes an hour or more, nearly all of it the plain baselines; the quick one takes two minutes.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import subprocess
import sys


def main() -> None:
    """Run the parts, each in processes of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each phase of a baseline")
    options = parser.parse_args()
    cores = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"Measured on {datetime.date.today()}, {cores}.\n", flush=True)
    quick = ["--quick"] if options.quick else []
    size = ["--size", "1" if options.quick else "10"]
    parts = {"papers": [*quick, "--limit", str(options.limit)], "dynamic": size, "latency": size}
    failed = []
    for name, arguments in parts.items():
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}", *arguments], check=False).returncode:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
