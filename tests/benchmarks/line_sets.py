"""The set of triples that a run has written: ``python -m tests.benchmarks.line_sets FOLDER``.

Lines of N-Triples, or of encoded triples, as 128 bits each, sorted, without duplicates; prints how many there are and a
hash of all. Two outputs are the same set when both agree. At 60 million lines, sorting the lines themselves takes
longer than most of what is measured.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from kgreason.io.encoded.manifest import DICTIONARY, PREDICATE, TRIPLES

_BLOCK: Final = 16 << 20
_ROWS: Final = 1 << 18
_SEEDS: Final = (1, 2)
_NT_ENDINGS: Final = (".nt", ".nt.gz", ".txt.gz")


def digest_of(folder: Path) -> str:
    """The digest of what is in a folder, by a process of its own: what this one holds counts for what it starts."""
    own = [sys.executable, "-m", "tests.benchmarks.line_sets", str(folder)]
    return subprocess.run(own, capture_output=True, check=True, text=True).stdout.strip()


def digest(folder: Path) -> str:
    """How many distinct statements are in a folder, and a hash of their set."""
    encoded = (folder / "manifest.json").exists()
    lines = _encoded_statements(folder) if encoded else _written_statements(folder)
    hashes = [[some.hash(seed).to_numpy() for seed in _SEEDS] for some in lines]
    first, second = (np.concatenate(columns) for columns in zip(*hashes, strict=True))
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    new = np.ones(len(first), dtype=bool)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    content = hashlib.sha256(first[new])
    content.update(second[new])
    return f"{int(new.sum())} {content.hexdigest()}"


def _written_statements(folder: Path) -> Iterator[pl.Series]:
    """Lines without their ends, by batches."""
    # Checksums of Hadoop are hidden files beside the parts.
    paths = [one for one in folder.rglob("[!.]*") if one.name.endswith(_NT_ENDINGS)]
    layout = pa_csv.ReadOptions(column_names=["line"], block_size=_BLOCK)
    plain = pa_csv.ParseOptions(delimiter="\x01", quote_char=False)
    text = pa_csv.ConvertOptions(column_types={"line": pa.string()}, strings_can_be_null=False)
    for path in paths:
        for batch in pa_csv.open_csv(path, layout, plain, text):
            yield pl.Series(batch.column(0)).str.strip_chars_end(" .\r")


def _encoded_statements(folder: Path) -> Iterator[pl.Series]:
    """Numbers as the tokens of their terms, by batches."""
    files = sorted((folder / DICTIONARY).rglob("*.parquet"))
    terms = pl.concat([pl.read_parquet(path) for path in files]).sort("id").select("term")
    literal = pl.col("term").str.replace(r'(?s)^(.*"\^\^)([^"]*)$', "${1}<${2}>")
    iri = pl.concat_str(pl.lit("<"), "term", pl.lit(">"))
    tokens = terms.select(pl.when(pl.col("term").str.starts_with('"')).then(literal).otherwise(iri)).to_series()
    for path in sorted((folder / TRIPLES).rglob("*.parquet")):
        predicate = tokens[int(path.parent.name.removeprefix(PREDICATE))]
        for batch in pq.ParquetFile(path).iter_batches(_ROWS, columns=["subject", "object"]):
            subjects, objects = (tokens.gather(pl.Series(column)) for column in batch.columns)
            yield subjects + f" {predicate} " + objects


if __name__ == "__main__":
    print(digest(Path(sys.argv[1])))
