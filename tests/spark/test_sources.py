"""N-Triples and N-Quads on Spark: the terms that pyoxigraph gives, and a reason for each line that it refuses."""

from __future__ import annotations

import bz2
import gzip
import random
import re
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Row, SparkSession

from kgreason.errors import LoadError
from kgreason.rdf.keys import folded_key
from kgreason_spark.failures import clear_errors
from kgreason_spark.sources import line_faults as reasons
from kgreason_spark.sources.statement_rows import NTriplesFiles
from tests.spark.versions import broken_off
from tests.spark.written_output import Quad, parsed

VALID = r"""
<a:s> <a:p> <a:o> .
<a:s><a:p><a:o>.
<a:s> <a:p> <a:o> <a:g> .
<a:s> <a:p> <a:o> _:g.
_:b <a:p> _:b.c. # a comment
_:1 <a:p> _:b- .
_:é·‿ <a:p> "x"^^<a:d> <a:g> .
<a:s> <a:p> "x"@EN-us .
<a:s> <a:p> "x"@de-DE-u-co-phonebk .
<a:s> <a:p> "x"@zh-yue-Hant-HK-1994-x-abc .
<a:s> <a:p> "x" @i-klingon .
<a:s> <a:p> "x"@x-private .
<a:s> <a:p> "x"^^ <a:d> .
<a:s> <a:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .
<a:s> <a:p> "\t\b\n\r\f\"\'\\n" .
<a:s> <a:p> "\\\\u0041 \u0041\\\u00e9\U0001F600\u0000" .
<a:s> <a:p> "\\" .
<a:s> <a:p> "a^^<b>@c" .
<a:s> <a:p> "'a' <b> _:c . \"d\"" .
<a:s> <a:p> "" .
<a:\u00e9> <a:p\U0000002Fq> "x"^^<a:\u00e9> .
<http://[::1]:80/x> <http://u:p@h:8080/%20?q=/?#f> <urn:x:y> .
<http://> <http:///x> <a:> .
<a:é😀?q> <a+b-c.d:b> <a:/%41//> .
""".strip().splitlines()
INVALID = {
    '"x" <a:p> <a:o> .': reasons.SUBJECT_LITERAL,
    "<a:s> _:p <a:o> .": reasons.PREDICATE_NO_IRI,
    "<a:s> a <a:o> .": reasons.PREDICATE_NO_IRI,
    "<a:s> <a:p> <a:o>": reasons.NO_END,
    "<s> <a:p> <a:o> .": reasons.BAD_IRI,
    "<a:s> <a:p> <> .": reasons.BAD_IRI,
    "<a:%zz> <a:p> <a:o> .": reasons.BAD_IRI,
    "<a:[> <a:p> <a:o> .": reasons.BAD_IRI,
    "<http://h:8a/x> <a:p> <a:o> .": reasons.BAD_IRI,
    "<a://@x@y> <a:p> <a:o> .": reasons.BAD_IRI,
    "<a:x#y#z> <a:p> <a:o> .": reasons.BAD_IRI,
    r"<a:\u0020> <a:p> <a:o> .": reasons.BAD_IRI,
    "<http://a b> <a:p> <a:o> .": reasons.BAD_IRI,
    '<a:s> <a:p> "x"^^<d> .': reasons.BAD_IRI,
    "_:-b <a:p> <a:o> .": reasons.BAD_LABEL,
    '<a:s> <a:p> "x"@a .': reasons.BAD_TAG,
    '<a:s> <a:p> "x"@en-u .': reasons.BAD_TAG,
    '<a:s> <a:p> "x"@en-abcdefghi .': reasons.BAD_TAG,
    r'<a:s> <a:p> "\v" .': reasons.BAD_ESCAPE,
    r'<a:s> <a:p> "\uD83D\uDE00" .': reasons.BAD_ESCAPE,
    r'<a:s> <a:p> "\U00110000" .': reasons.BAD_ESCAPE,
    '<a:s> <a:p> "x .': reasons.UNCLOSED,
    "<a:s> <a:p> <a:o": reasons.UNCLOSED,
    '<a:s> <a:p> "x"@en--up .': reasons.DIRECTION,
    "<a:s> <a:p> <<( <a:s> _:p <a:o> )>> .": reasons.TRIPLE_TERM,
    '<a:s> <a:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .': reasons.NEEDS_TAG,
    "<a:s> <a:p> 1 .": reasons.OTHER,
    "<a:s> <a:p> <a:o> . <a:s> <a:p> <a:o> .": reasons.OTHER,
    "\x01<a:s>\x01<a:p>\x01\x01<a:o>\x01\x01": reasons.OTHER,
}


def read(spark: SparkSession, *paths: Path) -> list[Row]:
    """All rows of files."""
    return NTriplesFiles([str(path) for path in paths]).extract(spark).rows.collect()


def quad(row: Row) -> Quad:
    """The quad of a row, without scopes."""
    subject, predicate, object_, graph = (_unscoped(key) for key in row[:4])
    assert object_ is not None
    object_ = folded_key(object_)
    return subject, predicate, object_, graph


def _unscoped(key: str | None) -> str | None:
    return "_:" + key[18:] if key is not None and key.startswith("_:") else key


def test_statements(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "valid.nq"
    path.write_text("# comment\n\n" + "\r\n".join(VALID) + "\n \t# another", newline="")
    rows = read(spark, path)
    assert [row.reason for row in rows] == [None] * len(VALID)
    assert Counter(quad(row) for row in rows) == Counter(parsed(line.encode()) for line in VALID)


def test_reasons(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "invalid.nq"
    path.write_bytes("\n".join(INVALID).encode() + b'\n<a:s> <a:p> "\xff" .')
    assert [parsed(line.encode()) for line in INVALID] == [None] * (len(INVALID) - 1) + [None]
    rows = read(spark, path)
    assert {row.row: row.reason for row in rows if row.reason != reasons.NOT_UTF8} == INVALID
    assert len(rows) == len(INVALID) + 1
    assert all(row[:4] == (None,) * 4 and row.source == "invalid.nq" for row in rows)
    (tmp_path / "triples.nt").write_text("<a:s> <a:p> <a:o> <a:g> .")
    assert [row.reason for row in read(spark, tmp_path / "triples.nt")] == [reasons.GRAPH_IN_TRIPLES]


def test_random_lines_as_pyoxigraph(compiling_spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(5)
    pieces = [*'<>"\\_:@^.# %-u0041é/?[]😀', r"\u", r"\U000", "^^<a:d>", "@en", " . ", "<a:o>", "_:b", '"x"']
    lines = []
    for _ in range(6000):
        line = chance.choice(VALID)
        for _ in range(chance.randrange(1, 3)):
            start = chance.randrange(len(line) + 1)
            line = line[:start] + chance.choice(pieces) + line[start + chance.randrange(3) :]
        lines.append(line)
    (tmp_path / "random.nq").write_text("\n".join(lines), newline="")
    rows = read(compiling_spark, tmp_path / "random.nq")
    expected = {line: parsed(line.encode()) for line in lines if not line.lstrip(" \t").startswith("#")}
    refused = {row.row for row in rows if row.reason is not None}
    accepted = {quad(row) for row in rows if row.reason is None}
    assert refused == {line for line, wanted in expected.items() if wanted is None}
    assert accepted == {wanted for wanted in expected.values() if wanted is not None}
    assert len(refused) > 500
    assert len(accepted) > 500


def test_lines_of_rdf_1_2(spark: SparkSession, tmp_path: Path) -> None:
    """Malformed ones and one of RDF 1.1 among them, in two documents whose blank nodes are not each other's."""
    good = ['_:b <a:p> <<( _:b <a:q> "x\\n"@en-GB )>> <a:g> .', '_:b <a:p> "a" @ar--rtl .', '_:b <a:p> "<<("@de .',
            "_:b <a:p> _:b ."]  # fmt: skip
    bad = ['<a:s> <a:p> <<( "x" <a:q> <a:o> )>> .', '<a:s> <a:p> "a"@ar--up .',
           "<<( <a:s> <a:p> <a:o> )>> <a:p> <a:o> ."]  # fmt: skip
    for name in ("one.nq", "two.nq"):
        (tmp_path / name).write_text("\n".join([good[0], bad[0], good[1], *bad[1:], *good[2:]]))
    rows = read(spark, tmp_path)
    assert {row.row for row in rows if row.reason is not None} == {*bad}
    for name in ("one.nq", "two.nq"):
        own = [row for row in rows if row.source == name and row.reason is None]
        (blank,) = {row.subject for row in own}
        assert {(row.object, row.graph) for row in own} == {
            (f'<<( {blank} <a:q> "x\\n"@en-gb )>>', "a:g"), ('"a"@ar--rtl', None), ('"<<("@de', None), (blank, None)
        }  # fmt: skip
    assert len({row.subject for row in rows if row.reason is None}) == 2


@pytest.mark.parametrize("style", ["ntriples", "plain"])
def test_triple_terms_of_tables(spark: SparkSession, tmp_path: Path, style: str) -> None:
    inner = '<<( _:b <a:q> "x. )>> \\" <a:g>"@en-GB )>>'
    objects = [inner, f"<<( <a:s> <a:q> {inner} )>>", f"  {inner}\t" if style == "ntriples" else inner]
    more = [f"{inner} <a:g>", f"{inner} <a:g> . # )>>", f"{inner} {inner}", '<<( "s" <a:q> <a:o> )>>', "<<( <a:s> )>>"]
    subject, predicate = ("<a:s>", "<a:p>") if style == "ntriples" else ("a:s", "a:p")
    rows = [(subject, predicate, one) for one in [*objects, *more]] + [("<<( <a:s> <a:p> <a:o> )>>", predicate, inner)]
    pq.write_table(pa.table([*zip(*rows, strict=True)], ["s", "p", "o"]), tmp_path / "table.parquet")

    found = read(spark, tmp_path / "table.parquet")

    keys = [row.object for row in found if row.reason is None]
    (label,) = {re.sub(r".*(_:\w+) .*", r"\1", key) for key in keys}
    key = inner.replace("_:b", label).replace("en-GB", "en-gb")
    assert sorted(keys) == sorted([key, f"<<( <a:s> <a:q> {key} )>>", key])
    assert sum(row.reason is not None for row in found) == len(more) + 1


def test_line_breaks_in_terms_of_tables(spark: SparkSession, tmp_path: Path) -> None:
    """A literal of N-Triples has none, and what comes after one is not a statement of its own."""
    objects = ['"a\nb"', '"a"\n<a:s> <a:p> "b"', '"a\rb"', '"good"']
    columns = [["<a:s>"] * len(objects), ["<a:p>"] * len(objects), objects]
    pq.write_table(pa.table(columns, ["s", "p", "o"]), tmp_path / "table.parquet")

    found = read(spark, tmp_path / "table.parquet")

    assert [row.object for row in found if row.reason is None] == ['"good"']
    assert len(found) == len(objects)


def test_many_malformed_lines_among_good_ones_cost_no_more(spark: SparkSession, tmp_path: Path) -> None:
    lines = [f"<a:s> <a:p> <a:{number}> ." if number % 2 else f"<a:s> <a:p> <{number}> ." for number in range(20_000)]
    (tmp_path / "half.nt").write_text("\n".join(lines))

    rows = read(spark, tmp_path / "half.nt")

    assert {row.row for row in rows if row.reason is not None} == {*lines[::2]}
    assert {row.object for row in rows if row.reason is None} == {f"a:{number}" for number in range(1, 20_000, 2)}


def test_long_literal(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "long.nt").write_text('<a:s> <a:p> "\\n' + "y\\\\" * 450_000 + '\\u00e9" .')
    (row,) = read(spark, tmp_path / "long.nt")
    assert row.object == '"\n' + "y\\" * 450_000 + 'é"'


def test_blank_nodes_are_of_one_file(spark: SparkSession, tmp_path: Path) -> None:
    names = ["a b/{x}.nt", "a b/y,é*.nt", "c/{x}.nt"]
    for name in names:
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text("_:n <a:p> _:n .\n")
    rows = read(spark, tmp_path / "in")
    assert sorted(row.source for row in rows) == ["a%20b/%7Bx%7D.nt", "a%20b/y,é*.nt", "c/%7Bx%7D.nt"]
    assert all(row.subject == row.object for row in rows)
    assert len({row.subject for row in rows}) == 3
    # The same files, named one by one and in another order; and elsewhere.
    again = read(spark, *(tmp_path / "in" / name.replace("{", "\\{").replace("}", "\\}") for name in reversed(names)))
    (tmp_path / "in").rename(tmp_path / "elsewhere")
    assert {*rows} == {*again} == {*read(spark, tmp_path / "elsewhere")}


def test_compressions(spark: SparkSession, tmp_path: Path) -> None:
    line = b"<a:s> <a:%s> <a:o> .\n"
    (tmp_path / "plain.NT").write_bytes(line % b"plain")
    (tmp_path / "b.nt.gz").write_bytes(gzip.compress(line % b"gz"))
    (tmp_path / "c.ntriples.bz2").write_bytes(bz2.compress(line % b"bz2"))
    (tmp_path / "README.txt").write_text("not RDF")
    expected = ["a:bz2", "a:gz", "a:plain"]
    if not spark.version.startswith("3."):  # it needs a library of Hadoop's for Zstandard, which PyPI's has not
        (tmp_path / "d.nq.zst").write_bytes(pa.Codec("zstd").compress(line % b"zst", asbytes=True))
        expected.append("a:zst")
    assert sorted(row.predicate for row in read(spark, tmp_path)) == expected


def test_what_cannot_be_read(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r".*/missing: cannot be read: no such file or directory"):
        read(spark, tmp_path / "missing")
    with pytest.raises(LoadError, match="there are no N-Triples"):
        read(spark, tmp_path)
    (tmp_path / "data.nt.xz").write_bytes(b"")
    with pytest.raises(LoadError, match=r"data\.nt\.xz: neither"):
        read(spark, tmp_path)
    compressed = gzip.compress(random.Random(0).randbytes(100_000))
    (tmp_path / "cut off.nt.gz").write_bytes(compressed[:50_000])
    with pytest.raises(LoadError, match=broken_off(r".*/cut off\.nt\.gz")), clear_errors("test"):
        read(spark, tmp_path / "cut off.nt.gz")


@pytest.mark.parametrize("name", ["_a.nt", ".a.nt", "_a", "a.nt._COPYING_"])
def test_files_that_spark_passes_over_are_refused_where_they_are_named(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("<a:s> <a:p> <a:o> .\n")

    with pytest.raises(LoadError, match=rf"{re.escape(name)}: Spark passes over files with such a name"):
        read(spark, tmp_path / name)
    (tmp_path / "b.nt").write_text("<a:s> <a:p> <a:o> .\n")
    assert len(read(spark, tmp_path / "*")) == 1
