"""Loading in bulk, beside pyoxigraph and rdflib: ``python -m tests.benchmarks.loading``.

LUBM(10,0) as N-Triples (plain, gzip, Zstandard) and as encoded triples, and a copy ten times as large: nine times the
same universities under other names are added. Every contestant runs in processes of its own; of several runs the
fastest counts, and beside its time the processor time that it took, which tells more when the machine is busy.
Loading is over when a read can begin: relations are sorted, indexes are built. The peak is what the process had
at its worst, less what it had with an empty store.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.papers import table
from tests.shared_data import shared, unpacked

COPIES = 9
Numbers = dict[str, float]
HEAD = (
    "| triples | time | triples a second | processor time for each | peak bytes for each | "
    "times the speed of Oxigraph's bulk_load in memory | the same by processor time"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table: what is measured on which form of the data, how often, and whether on the large copy."""

    title: str
    contestant: str
    form: str
    runs: int = 3
    large: bool = True


ENTRIES = (
    Entry("kgreason, N-Triples", "kgreason", "nt"),
    Entry("kgreason, N-Triples, gzip", "kgreason", "nt.gz"),
    Entry("kgreason, N-Triples, Zstandard", "kgreason", "nt.zst"),
    Entry("kgreason, encoded triples", "kgreason", "encoded"),
    Entry("pyoxigraph, bulk_load in memory", "oxigraph_memory", "nt"),
    Entry("pyoxigraph, bulk_load on disk", "oxigraph_disk", "nt"),
    Entry("pyoxigraph, parser only", "oxigraph_parser", "nt"),
    Entry("rdflib, parser and memory store", "rdflib", "nt", runs=1, large=False),
    Entry("numpy copies and sorts as many ids", "numpy_limit", "nt"),
)


def prepare(folder: Path, large: bool) -> Path:
    """The data in all forms; gives the folder with them."""
    target = folder / ("large" if large else "small")
    target.mkdir()
    plain = target / "data.nt"
    original = unpacked("lubm/lubm10.nt.bz2").read_bytes()
    with plain.open("wb") as out:
        out.write(original)
        for number in range(COPIES if large else 0):
            out.write(original.replace(b".University", b".Copy%dUniversity" % number))
    with plain.open("rb") as source, gzip.open(target / "data.nt.gz", "wb", compresslevel=6) as packed:
        shutil.copyfileobj(source, packed, 1 << 22)
    import pyarrow

    with plain.open("rb") as source, pyarrow.output_stream(str(target / "data.nt.zst"), compression="zstd") as packed:
        shutil.copyfileobj(source, packed, 1 << 22)
    command = [sys.executable, "-m", "kgreason", "load", str(plain), "-o", str(target / "data.encoded")]
    subprocess.run(command, check=True, capture_output=True)
    return target


def run(contestant: str, *arguments: str) -> Numbers:
    """The numbers of one contestant, from a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.loading_contestants", contestant, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{contestant} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def best(entry: Entry, folder: Path) -> Numbers:
    """The fastest of several runs, with the least processor time and the least peak of all of them."""
    print(f"{entry.title}, {folder.name} ...", file=sys.stderr)
    runs = [run(entry.contestant, str(folder / f"data.{entry.form}")) for _ in range(entry.runs)]
    return {name: min(each[name] for each in runs) for name in runs[0]}


def row(entry: Entry, numbers: Numbers, peer: Numbers) -> list[str]:
    """Triples a second, processor time and bytes for each, and how many times a peer's speed."""
    triples = numbers["triples"]
    return [
        entry.title,
        f"{triples:,.0f}",
        f"{numbers['seconds']:.3g} s",
        f"{triples / numbers['seconds'] / 1e6:.3g} M",
        f"{numbers['processor'] / triples * 1e9:,.0f} ns",
        f"{numbers['peak'] / triples:,.0f}",
        f"{peer['seconds'] / numbers['seconds'] * triples / peer['triples']:.3g}",
        f"{peer['processor'] / numbers['processor'] * triples / peer['triples']:.3g}",
    ]


def closure(folder: Path) -> str:
    """What loading and materialising under owl-rl takes, as a sentence."""
    numbers = run("kgreason_closure", str(folder / "data.nt"), str(shared("lubm/univ-bench.owl")))
    return (
        f"Loaded and materialised under owl-rl: {numbers['triples']:,.0f} triples from {numbers['explicit']:,.0f} in "
        f"{numbers['seconds']:.3g} s ({numbers['loading']:.3g} s of it loading; processor time "
        f"{numbers['processor']:.3g} s), {numbers['peak'] / 1e9:.3g} GB at the peak, "
        f"{numbers['peak'] / numbers['triples']:.0f} bytes for each."
    )


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="leave the copy that is ten times as large out")
    parser.add_argument("--runs", type=int, help="how often each contestant runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for large in (False, True)[: 1 if options.small else 2]:
            folder = prepare(Path(work), large)
            entries = [entry for entry in ENTRIES if entry.large or not large]
            if options.runs:
                entries = [Entry(e.title, e.contestant, e.form, min(e.runs, options.runs), e.large) for e in entries]
            found = {entry.title: best(entry, folder) for entry in entries}
            peer = found["pyoxigraph, bulk_load in memory"]
            size = f"LUBM(10,0){' and nine copies' if large else ''}"
            print(f"### Loading {size}\n\n{table(HEAD, [row(e, found[e.title], peer) for e in entries])}\n", flush=True)
            print(f"{size}, loaded and materialised under owl-rl ...", file=sys.stderr)
            print(closure(folder) + "\n", flush=True)
            shutil.rmtree(folder)
    print(f"Measured on {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}.")


if __name__ == "__main__":
    main()
