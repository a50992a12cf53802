"""Large and hostile files for the slow loads. Each is written once into a folder, before the limit begins."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from itertools import chain, repeat
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

E: Final = "http://example.org/"
BLOCK: Final = 50_000


def _written(path: Path, blocks: Iterable[str]) -> Path:
    if not path.exists():
        with path.open("wb") if path.suffix != ".gz" else gzip.open(path, "wb", compresslevel=1) as stream:
            for block in blocks:
                stream.write(block.encode())
    return path


def _numbers(count: int) -> Iterable[range]:
    return (range(begin, begin + BLOCK) for begin in range(0, count, BLOCK))


def ntriples(folder: Path) -> Path:
    """Eight million triples."""
    lines = ("".join(f"<{E}x{i}> <{E}p> <{E}x{i * 7 % 9999991}> .\n" for i in some) for some in _numbers(8_000_000))
    return _written(folder / "large.nt", lines)


def packed(folder: Path) -> Path:
    """A hundred megabytes that are a few hundred gigabytes of comments: none of them a triple."""
    return _written(folder / "comments.nt.gz", repeat("# and on and on\n" * 65536, 4000))


def university(folder: Path) -> Path:
    """Four million triples of a million resources, with a schema that has much to say of them."""
    schema = [
        f"<{E}Person> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{E}Agent> .\n"
        f"<{E}knows> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#{kind}> .\n"
        for kind in ("TransitiveProperty", "SymmetricProperty")
    ]
    people = ("".join(
        f"<{E}x{i}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{E}Person> .\n<{E}x{i}> <{E}name> \"x{i}\" .\n"
        f"<{E}x{i}> <{E}knows> <{E}x{i * 7 % 9999991}> .\n<{E}x{i}> <{E}worksFor> <{E}y{i % 1000}> .\n" for i in some
    ) for some in _numbers(1_000_000))  # fmt: skip
    return _written(folder / "people.nt", chain(schema, people))


def turtle(folder: Path) -> Path:
    """Two million triples."""
    head = f"@prefix e: <{E}> .\n"
    lines = ("".join(f"e:x{i} e:p e:x{i * 7 % 9999991} .\n" for i in some) for some in _numbers(2_000_000))
    return _written(folder / "large.ttl", chain([head], lines))


def comments(folder: Path) -> Path:
    """Comments without end, packed."""
    return _written(folder / "comments.ttl.gz", repeat("# and on and on\n" * 65536, 4000))


def long_literal(folder: Path) -> Path:
    """One literal of 400 million characters."""
    text = "and on and on" * 100_000
    return _written(folder / "literal.ttl", chain([f'<{E}a> <{E}p> "'], repeat(text, 300), ['" .\n']))


def long_list(folder: Path) -> Path:
    """One list of a million members."""
    items = (" ".join(map(str, some)) + "\n" for some in _numbers(1_000_000))
    return _written(folder / "list.ttl", chain([f"<{E}a> <{E}p> ("], items, [") .\n"]))


def nested(folder: Path) -> Path:
    """Blank nodes half a million deep."""
    deep = 500_000
    return _written(folder / "nested.ttl", [f"<{E}a> <{E}p> ", f"[ <{E}p> " * deep, "1", "]" * deep, " .\n"])


def rdfxml(folder: Path) -> Path:
    """A million triples."""
    head = f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="{E}">\n'
    lines = ("".join(
        f'<rdf:Description rdf:about="{E}x{i}"><e:p rdf:resource="{E}x{i * 7}"/></rdf:Description>\n' for i in some
    ) for some in _numbers(1_000_000))  # fmt: skip
    return _written(folder / "large.rdf", chain([head], lines, ["</rdf:RDF>\n"]))


def jsonld(folder: Path) -> Path:
    """A million triples in one array."""
    lines = ("".join(
        f'{{"@id": "{E}x{i}", "{E}p": [{{"@id": "{E}x{i * 7}"}}]}},\n' for i in some
    ) for some in _numbers(1_000_000))  # fmt: skip
    return _written(folder / "large.jsonld", chain(["["], lines, [f'{{"@id": "{E}last"}}]']))


def jsonld_graph(folder: Path) -> Path:
    """The same behind a context, which comes last."""
    lines = ("".join(
        f'{{"@id": "e:x{i}", "e:p": [{{"@id": "e:x{i * 7}"}}]}},\n' for i in some
    ) for some in _numbers(1_000_000))  # fmt: skip
    end = f'{{"@id": "e:last"}}], "@context": {{"e": "{E}"}}}}'
    return _written(folder / "graph.jsonld", chain(['{"@graph": ['], lines, [end]))


def parquet(folder: Path) -> Path:
    """Eight million rows of three columns of text."""
    path = folder / "large.parquet"
    if not path.exists():
        schema = pa.schema([(name, pa.string()) for name in "spo"])
        with pq.ParquetWriter(path, schema) as writer:
            for some in _numbers(8_000_000):
                columns = [[f"{E}x{i}" for i in some], [f"{E}p"] * BLOCK, [f"{E}x{i * 7 % 9999991}" for i in some]]
                writer.write_table(pa.table(columns, schema))
    return path


LOADS: Final[list[tuple[str, Callable[[Path], Path], str | None]]] = [
    ("N-Triples, eight million", ntriples, None),
    ("Parquet, eight million", parquet, None),
    ("Turtle, two million", turtle, None),
    ("RDF/XML, a million", rdfxml, None),
    ("JSON-LD, a million", jsonld, None),
    ("JSON-LD, its context at the end", jsonld_graph, None),
    ("comments without end, packed N-Triples", packed, None),
    ("comments without end, packed Turtle", comments, None),
    ("one literal of 400 million characters", long_literal, None),
    ("a list of a million members", long_list, None),
    ("blank nodes, half a million deep", nested, None),
    ("kg-turtle, two million", turtle, "kg-turtle"),
    ("kg-xml, a million", rdfxml, "kg-xml"),
    ("kg-jsonld, a million", jsonld, "kg-jsonld"),
    ("kg-nt, eight million", ntriples, "kg-nt"),
]
