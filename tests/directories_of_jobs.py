"""Directories as Spark, Hadoop, Hive and kgreason leave them, with what is in them: one table for every way in.

Each case writes files, and says how many triples and blank nodes a store then has, or what refuses it. A chain of blank
nodes runs through the parts: a label that means another node in each part makes more nodes than there are.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

UUID: Final = "0a1b2c3d-0123-4567-89ab-0123456789ab"
CHAIN: Final = 40
"""How many links the chain has, over one node more."""


def links(part: int, parts: int) -> str:
    """Every so many-th link of the chain, and as many triples with a literal, in N-Triples."""
    some = range(part, CHAIN, parts)
    return "".join(
        f'_:a{i} <http://e/p> _:a{i + 1} .\n<http://e/s{i}> <http://e/q> "v{i}\\n\\"é\\""@en-GB .\n' for i in some
    )


def spark(number: int, ending: str = "txt") -> str:
    """The name that Spark gives a part."""
    return f"part-{number:05d}-{UUID}-c000.{ending}"


def parts(
    name: Callable[[int], str], pack: Callable[[bytes], bytes] = bytes, count: int = 4, mark: bool = True
) -> dict[str, bytes]:
    """The chain in so many parts, and ``_SUCCESS``."""
    files = {name(number): pack(links(number, count).encode()) for number in range(count)}
    return files | ({"_SUCCESS": b""} if mark else {})


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


def table(rows: Mapping[str, list[str | None]]) -> bytes:
    """A Parquet file of string columns."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({name: pa.array(column, pa.string()) for name, column in rows.items()}), sink)
    return bytes(sink.getvalue())


def chain_table(part: int, count: int, plain: bool) -> bytes:
    """Some links of the chain as a table."""
    some = range(part, CHAIN, count)
    predicate = "http://e/p" if plain else "<http://e/p>"
    columns = {"s": [f"_:a{i}" for i in some], "p": [predicate for _ in some], "o": [f"_:a{i + 1}" for i in some]}
    return table({**columns})


@dataclass(frozen=True)
class Directory:
    """Files by their paths, and what a store has once they are loaded."""

    files: Mapping[str, bytes]
    triples: int = 2 * CHAIN
    nodes: int = CHAIN + 1
    refused: str | None = None
    """What the error matches where the directory is refused; `triples` and `nodes` then come with `unfinished`."""
    lines_only: bool = True
    """Whether all of it is N-Triples or N-Quads."""

    def write(self, directory: Path) -> Path:
        """Make the directory; a path that ends in ``/`` is an empty folder."""
        directory.mkdir(parents=True)
        for name, content in self.files.items():
            path = directory / name
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                path.write_bytes(content)
        return directory


TEXT: Final = parts(spark)
GZIP: Final = parts(lambda number: spark(number, "txt.gz"), gzip.compress)
CHECKSUMS: Final = {f".{name}.crc": b"crc\0\0\0\2\0" for name in (*GZIP, "_SUCCESS")}
OURS: Final = parts(lambda number: f"part-{number:05d}.nt.gz", gzip.compress, mark=False)
TURTLE: Final = {
    f"part-{number:05d}.ttl": f"@prefix e: <http://e/> .\n_:a{number} e:p _:a{number + 1}; e:q [] .\n".encode()
    for number in range(4)
}
ROWS: Final = {spark(n, "snappy.parquet"): chain_table(n, 4, plain=False) for n in range(4)} | {"_SUCCESS": b""}
PLAIN_ROWS: Final = {spark(n, "snappy.parquet"): chain_table(n, 4, plain=True) for n in range(4)} | {"_SUCCESS": b""}

DIRECTORIES: Final[Mapping[str, Directory]] = {
    "text of Spark": Directory(TEXT),
    "text of Spark in gzip, with checksums": Directory(GZIP | CHECKSUMS),
    "empty parts": Directory(TEXT | {spark(7): b"", spark(8, "txt.gz"): gzip.compress(b"")}),
    "no parts": Directory({"_SUCCESS": b""}, 0, 0),
    "one empty part": Directory({"_SUCCESS": b"", spark(0): b""}, 0, 0),
    "parts renamed to .nt.gz, some twice": Directory(
        {name.replace("txt", "nt"): content for name, content in GZIP.items()}
        | {"part-empty.nt": b"", "part-dup.nt.gz": gzip.compress(links(1, 4).encode())}
    ),
    "parts by saveAsTextFile": Directory(parts(lambda number: f"part-{number:05d}")),
    "parts by saveAsTextFile in gzip": Directory(parts(lambda number: f"part-{number:05d}.gz", gzip.compress)),
    "parts by Hadoop": Directory(parts(lambda number: f"part-r-{number:05d}")),
    "parts by Hadoop, deflated": Directory(
        parts(lambda number: f"part-m-{number:05d}.deflate", zlib.compress), lines_only=False
    ),
    "parts in gzip whose names do not say so": Directory(
        parts(lambda number: f"part-{number:05d}", gzip.compress), lines_only=False
    ),
    "partitions of Hive": Directory(
        below("dt=2026", parts(spark, mark=False)) | below("dt=2026/h=1", parts(spark, mark=False)) | {"_SUCCESS": b""}
    ),
    "partitions of Hive, each with its own success": Directory(below("dt=2026", TEXT) | below("dt=2025", TEXT)),
    "parts by kgreason": Directory(OURS),
    "parts by kgreason with graphs": Directory(
        {f"part-0000{n}.nq": f"_:a{n} <http://e/p> _:a{n + 1} <http://e/g> .\n".encode() for n in range(4)}, 4, 5
    ),
    "quads in text": Directory(
        {spark(n): f"_:a{n} <http://e/p> _:a{n + 1} _:g .\n".encode() for n in range(4)} | {"_SUCCESS": b""}, 4, 5
    ),
    "a byte order mark in each part": Directory(
        {name: b"\xef\xbb\xbf" + content if content else content for name, content in TEXT.items()}
    ),
    "parts in Turtle": Directory(TURTLE, 8, 9, lines_only=False),
    "Turtle in text": Directory(
        {spark(n): content for n, content in enumerate(TURTLE.values())} | {"_SUCCESS": b""}, 8, 9, lines_only=False
    ),
    "two jobs": Directory(below("a", TEXT) | below("b", TEXT), 3 * CHAIN, 2 * CHAIN + 2),
    "files that are documents of their own": Directory(
        {f"{name}.nt": links(0, 1).encode() for name in "ab"}, 3 * CHAIN, 2 * CHAIN + 2
    ),
    "a job beside a file": Directory(OURS | {"more.nt": b"_:a0 <http://e/p> _:a1 .\n"}, 2 * CHAIN + 1, CHAIN + 3),
    "what counts as nothing": Directory(
        OURS
        | {"_a.nt": b"oops", ".b.nt": b"oops", "c.nt.crc": b"oops", "_logs/d.nt": b"oops", ".git/e.nt": b"oops"}
        | {"_committed_1": b"oops", "_delta_log/0.json": b"{}", "readme.md": b"oops", "._SUCCESS.crc": b"oops"}
    ),
    "parts of Spark without success": Directory(
        {name: content for name, content in TEXT.items() if name != "_SUCCESS"}, refused="_SUCCESS"
    ),
    "parts in gzip without success": Directory(
        {name: content for name, content in GZIP.items() if name != "_SUCCESS"}, refused="_SUCCESS"
    ),
    "parts of Hadoop without success": Directory(
        parts(lambda number: f"part-r-{number:05d}", mark=False), refused="_SUCCESS"
    ),
    "one partition without success": Directory(
        below("dt=2026", TEXT) | {f"dt=2025/{spark(0)}": b""}, refused="_SUCCESS"
    ),
    "a job that still runs": Directory(
        TEXT | below("_temporary/0/_temporary/attempt_1", {spark(9): b"oops"}), refused="_temporary"
    ),
    "an empty folder of a job that still runs": Directory(OURS | {"_temporary/0/": b""}, refused="_temporary"),
    "a killed job of kgreason": Directory(
        OURS | below("_work-0123456789ab/content", {"part-00000.nt": b"oops"}), refused="_work-0123456789ab"
    ),
    "encoded triples without a manifest": Directory(
        {"dictionary/part-00000.parquet": b"", "triples/predicate=0/part-00000.parquet": b"", "a.nt": b""},
        refused=r"manifest\.json",
        triples=-1,
        lines_only=False,
    ),
    "text that is no RDF": Directory(
        {spark(0): b"hello world\n", "_SUCCESS": b""}, refused=r"part-00000.*hello world", triples=-1
    ),
    "a table of something else in CSV": Directory(
        {spark(0, "csv"): b"a,b\n1,2\n", "_SUCCESS": b""}, refused=r"part-00000.*csv", triples=-1
    ),
    "a malformed line": Directory(
        TEXT | {spark(5): b"<http://e/s> <http://e/p> <http://e/o> .\n<http://e/s> oops .\n"},
        refused=r"part-00005-.*:2:14: ",
        triples=-1,
    ),
    "a part that breaks off": Directory(
        GZIP | {spark(5, "txt.gz"): gzip.compress(links(0, 1).encode())[:-12]}, refused="part-00005", triples=-1
    ),
    "a job of something else": Directory({"_SUCCESS": b"", "a.bin": b"x"}, refused="no RDF files", triples=-1),
    "nothing": Directory({}, refused="no RDF files", triples=-1),
    "a table of terms": Directory(ROWS, CHAIN, lines_only=False),
    "a table of plain terms": Directory(PLAIN_ROWS, CHAIN, lines_only=False),
    "a table with partitions by predicate": Directory(
        {
            f"p=http%3A%2F%2Fe%2F{name}/{spark(0, 'parquet')}": table({"s": [f"_:{name}", "_:x"], "o": ["_:y"] * 2})
            for name in ("p", "q")
        }
        | {"_SUCCESS": b""},
        4,
        4,
        lines_only=False,
    ),
    "a table of something else": Directory(
        {spark(0, "parquet"): table({"a": ["1"], "b": ["2"]}), "_SUCCESS": b""},
        refused=r"parquet: there is no column for the subject",
        triples=-1,
        lines_only=False,
    ),
}
