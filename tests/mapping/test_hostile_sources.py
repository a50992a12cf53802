"""CSV and JSON of strangers, and what mappings of strangers ask of them: rows, rows in quarantine, or one error in one
line that names the file or the mapping.

Would catch an error of Spark's or of Python's in the place of ours, a hang, and a value that is not what the file has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pyarrow as pa
import pytest

from kgreason.errors import KGReasonError, LoadError, MappingError
from kgreason_mapping import quarantine_reasons as R
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.sources.csv_records import RecordReader
from kgreason_mapping.sources.json_paths import parse_steps
from tests.errors.hostile import DEEP, MOST_SECONDS, check
from tests.mapping.engines import Engine
from tests.mapping.rml import PREFIXES

LONG = 1 << 20
DOUBLE = "^^http://www.w3.org/2001/XMLSchema#double"
INTEGER = "^^http://www.w3.org/2001/XMLSchema#integer"
WIDE = 5000
DIGITS = b"9" * 1_000_000


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    begin = process_time()
    yield
    assert process_time() - begin < MOST_SECONDS


def objects(
    engine: Engine,
    folder: Path,
    name: str,
    content: bytes,
    *,
    reference: str = "rml:reference 'a'",
    subject: str = "rml:template 'http://example.com/{id}'",
    source: str | None = None,
) -> list[str]:
    """The objects that a mapping makes of a file, and the reasons of rows in quarantine, sorted."""
    (folder / name).write_bytes(content)
    mapping = folder / "hostile.ttl"
    mapping.write_text(
        f"{PREFIXES} <#m> rml:logicalSource [ rml:source {source or repr(name)} ]; rml:subjectMap [ {subject} ];"
        f" rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ {reference} ] ] ."
    )
    made = engine(mapping)
    return sorted([quad[2] for quad in made.quads] + [one.reason for one in made.quarantined])


def records(content: bytes, encoding: str = "UTF-8") -> list[bytes]:
    """The records of a file that is read from beginning to end."""
    pieces = content.split(b"\n")
    batch = pa.record_batch([pieces, ["file:/hostile.csv"] * len(pieces)], ["value", "file"])
    read = RecordReader(Dialect(), encoding).batches(iter([batch]))
    return [record for made in read for record in made.column(0).to_pylist()]


@pytest.mark.parametrize(
    ("encoding", "content"),
    {
        "line feeds in characters alone": ("utf-16", "id,a\n1,".encode("utf-16") + b"\x0a\x0a" * 500_000),
        "half a character at the end": ("utf-16-le", "id,a\n1,2\n".encode("utf-16-le")[:-1]),
        "quoted line feeds in characters": ("utf-16", ('id,"' + "\n\u0a0a" * 100_000 + '"').encode("utf-16")),
        "line ends of all kinds": ("UTF-8", b"\r\n\r\n\r" * 300_000),
        "quotation marks": ("UTF-8", b'"' * LONG),
        "quoted line ends": ("UTF-8", b'id,"' + b"\n" * 300_000 + b'"'),
        "fields": ("UTF-8", b'"",' * 1_000_000),
        "half a pair that is escaped": ("utf-7", b"id,a\n1,+2AA-\n"),
    }.values(),
)
def test_file_is_read_from_beginning_to_end(encoding: str, content: bytes) -> None:
    assert all(isinstance(record, bytes) for record in records(content, encoding))


@pytest.mark.parametrize(
    ("encoding", "content", "line"),
    {
        "quotation mark that is never closed": ("UTF-8", b'id,a\n1,"' + b"x\n" * 300_000, 2),
        "quotation mark at the end": ("UTF-8", b'id,a\n1,2\n"', 3),
        "half a pair": ("utf-16-le", "id,a\n\n1,".encode("utf-16-le") + b"\x00\xd8" + "\n".encode("utf-16-le"), 3),
        "not ASCII": ("ascii", b"id,a\n1,\xff\n", 2),
        "a codec with errors of its own": ("idna", b"id,a\n1,xn--\xff.\n", 1),
        "not UTF-7": ("utf-7", b"id,a\n1,+AA/\xff\n", 2),
    }.values(),
)
def test_file_is_refused_with_its_place(encoding: str, content: bytes, line: int) -> None:
    with pytest.raises(LoadError) as raised:
        records(content, encoding)

    assert (raised.value.path, raised.value.line) == ("/hostile.csv", line)
    check(raised.value)


@pytest.mark.parametrize(
    "path",
    ["", ".", "$.", "$..a", "$[", "$['a", "$['" + "a" * LONG, "$[99999999999999]", "$[" + "9" * 10_000 + "]", "$[-1]",
     "$" + "[" * DEEP, "$[?(@.a)]", "$.a b", "\0 ", "$[1e3]"],
    ids=lambda path: path[:12].replace("\0", "NUL"),
)  # fmt: skip
def test_path_is_refused(path: str) -> None:
    with pytest.raises(MappingError) as raised:
        parse_steps(path)

    check(raised.value)


def test_escapes_of_names() -> None:
    path = r"""$['a\n\t\/\'\"\\b']['\u0061\ud83d\ude00\'']"""
    assert parse_steps(path) == ("a\n\t/'\"\\b", "a\N{GRINNING FACE}'")
    with pytest.raises(MappingError, match="lone surrogate"):
        parse_steps(r"$['\ud83d']")


@pytest.mark.parametrize(("path", "place"), [("$.a b", 4), ("a..b", 2), ("$..a", 2), ("['a']x", 6)])
def test_path_is_refused_with_its_place(path: str, place: int) -> None:
    with pytest.raises(MappingError, match=f"at character {place}"):
        parse_steps(path)


def test_long_paths() -> None:
    assert parse_steps("$" + ".a" * DEEP) == ("a",) * DEEP
    assert parse_steps("a" * LONG) == ("a" * LONG,)


CSV_ROWS = {
    "too many fields": (b",".join([b"1"] * DEEP), R.FIELD_COUNT),
    "too many quoted fields": (b",".join([b'"1"'] * DEEP), R.FIELD_COUNT),
    "NUL": (b"1,\0", '"\0"'),
    "invalid UTF-8": (b"1,\xff", R.INVALID_UTF8),
    "surrogate": (b"1,\xed\xa0\x80", R.INVALID_UTF8),
    "byte order mark": ("\ufeff1,\ufeff".encode(), '"\ufeff"'),
    "digits": (b"1," + DIGITS, f'"{DIGITS.decode()}"'),
    "quotation marks": (b'1,"' + b'""' * LONG + b'"', '"' + '"' * LONG + '"'),
    "text behind a quotation mark": (b'1,"a"b', R.MISPLACED_QUOTE),
    "long name": (b"x" * LONG + b",1", '"1"'),
}


def test_rows_of_csv(engine: Engine, tmp_path: Path) -> None:
    content = b"\n".join([b"id,a", *(row for row, _ in CSV_ROWS.values())])

    assert objects(engine, tmp_path, "a.csv", content) == sorted(made for _, made in CSV_ROWS.values())


@pytest.mark.parametrize("datatype", ["integer", "decimal", "double"])
def test_numbers_of_csv(datatype: str, engine: Engine, tmp_path: Path) -> None:
    kind = f"http://www.w3.org/2001/XMLSchema#{datatype}"
    content = b"id,a\n1," + DIGITS + b"\n1,1e999999999\n1,NaN\n1,Infinity\n"
    reference = f"rml:reference 'a'; rml:datatype xsd:{datatype}"
    found = objects(engine, tmp_path, "a.csv", content, reference=reference)

    good = [f'"{DIGITS.decode()}"^^{kind}']
    good += [f'"{text}"^^{kind}' for text in ("1e999999999", "NaN") if datatype == "double"]
    assert found == sorted([*good, *[R.ILL_TYPED] * (4 - len(good))])


def test_csv_with_thousands_of_columns(engine: Engine, tmp_path: Path) -> None:
    header = ",".join(["id", "a", *(f"c{n}" for n in range(WIDE))])
    content = f'{header}\n1,"x"{",y" * WIDE}\n2,z\n'.encode()

    reference = "rml:template '{a} {c4999}'; rml:termType rml:Literal"
    assert objects(engine, tmp_path, "a.csv", content, reference=reference) == sorted(['"x y"', R.FIELD_COUNT])
    with pytest.raises(LoadError, match="names the column 'b' twice"):
        objects(engine, tmp_path, "a.csv", b"id" + b",b,a" * DEEP + b"\n")


JSON_LINES = {
    "deep arrays": (b"[" * DEEP + b"]" * DEEP, R.MALFORMED_JSON),
    "deep objects": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, R.MALFORMED_JSON),
    "nearly too deep": (b'{"id":1,"a":' + b'{"a":' * 900 + b"1" + b"}" * 901, R.NOT_SCALAR),
    "many names": (b'{"id":1,"a":4' + b"".join(b',"k%d":1' % n for n in range(DEEP)) + b"}", f'"4"{INTEGER}'),
    "same name": (b'{"id":1,"a":1,"a":2}', R.MALFORMED_JSON),
    "not a number": (b'{"id":1,"a":NaN}', R.MALFORMED_JSON),
    "infinity": (b'{"id":1,"a":Infinity}', R.MALFORMED_JSON),
    "beyond a double": (b'{"id":1,"a":1e999}', f'"INF"{DOUBLE}'),
    "far beyond a double": (b'{"id":1,"a":-' + b"9" * 900 + b"}", f'"-INF"{DOUBLE}'),
    "digits": (b'{"id":1,"a":' + DIGITS + b"}", R.MALFORMED_JSON),
    "NUL": (b'{"id":1,"a":"\0"}', R.MALFORMED_JSON),
    "escaped NUL": (b'{"id":1,"a":"\\u0000"}', '"\0"'),
    "surrogate": (b'{"id":1,"a":"\xed\xa0\x80"}', R.INVALID_UTF8),
    "escaped surrogate": (b'{"id":1,"a":"\\ud800"}', R.MALFORMED_JSON),
    "invalid UTF-8": (b'{"id":1,"a":"\xff"}', R.INVALID_UTF8),
    "byte order mark": ('\ufeff{"id":1,"a":1}'.encode(), R.MALFORMED_JSON),
    "NULs": (b"\0" * LONG, R.MALFORMED_JSON),
    "cut": (b'{"id":', R.MALFORMED_JSON),
    "long text": (b'{"id":1,"a":"' + b"x" * LONG + b'"}', f'"{"x" * LONG}"'),
}


def test_lines_of_json(engine: Engine, tmp_path: Path) -> None:
    content = b"\n".join([b"", *(line for line, _ in JSON_LINES.values())])

    assert objects(engine, tmp_path, "a.jsonl", content) == sorted(made for _, made in JSON_LINES.values())


ASKED = {
    "open quotation mark": ("a.csv", b'id,a\n1,"x\n', {}, ("a.csv:2", "never closed")),
    "open header": ("a.csv", b'id,"a\n', {}, ("a.csv:1", "never closed")),
    "NULs": ("a.csv", b"\0" * 100_000, {}, ("hostile.ttl", "triples map #m", "no column")),
    "header that is not UTF-8": ("a.csv", "id,a\n".encode("utf-16"), {}, ("a.csv", "not valid UTF-8")),
    "document that is not UTF-8": (
        "a.csv", b"\xff\n", {"source": "[ csvw:url 'a.csv'; csvw:dialect [ csvw:encoding 'ascii' ] ]"},
        ("a.csv:1", "not ascii"),
    ),
    "pattern": ("a.csv", b"", {"source": "'a[.csv'"}, ("a[.csv",)),
    "NUL in a location": ("a.csv", b"", {"source": r"'a\u0000.csv'"}, (r"a\x00.csv", "no such file")),
    "long location": ("a.csv", b"", {"source": f"'{'x' * 10_000}.csv'"}, ("x.csv", "no such file")),
    "path": ("a.jsonl", b"{}", {"reference": "rml:reference '$..a'"}, ("hostile.ttl", "triples map #m", "JSONPath")),
    "wildcards": (
        "a.jsonl", b"{}", {"reference": f"rml:reference '${'.*' * 21}'"}, ("hostile.ttl", "more than 20 wildcards")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_source_or_mapping_is_refused_with_its_place(name: str, engine: Engine, tmp_path: Path) -> None:
    file, content, options, said = ASKED[name]
    with pytest.raises(KGReasonError) as raised:
        objects(engine, tmp_path, file, content, **options)

    check(raised.value)
    assert all(part in str(raised.value) for part in said)


def test_most_that_a_mapping_may_ask(engine: Engine, tmp_path: Path) -> None:
    subject = f"rml:template 'http://example.com/{'{id}' * 100}'"
    reference = f"rml:reference '${'.*' * 20}'"

    assert objects(engine, tmp_path, "a.jsonl", b'{"id": 1}', subject=subject, reference=reference) == []


def test_mapping_that_is_not_utf_8(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "hostile.ttl").write_bytes(b"<a:s> <a:p> '\xff' .")
    with pytest.raises(MappingError) as raised:
        engine(tmp_path / "hostile.ttl")

    check(raised.value, "hostile.ttl")
