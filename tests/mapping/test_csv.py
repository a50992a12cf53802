"""CSV: the records that Python's csv module reads, from pieces of any size; faults are told with their place.

Would catch a line break in a quoted field that begins a new row, or a row that repeats the header and is lost.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kgreason.errors import LoadError
from kgreason_mapping import quarantine_reasons as R
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.sources.csv_records import RecordReader
from tests.mapping.engines import Engine, Fields
from tests.profiles import examples

STANDARD = Dialect()
HEADER = ["id", "text", "n"]


def read(
    engine: Engine,
    path: Path,
    dialect: Dialect = STANDARD,
    encoding: str | None = None,
    multiline: bool | None = None,
) -> tuple[list[Fields], list[str]]:
    """The fields of good rows, and the reasons of the others, both sorted."""
    good, reasons = engine.read_csv(path, dialect, encoding, multiline)
    return sorted(good), sorted(reasons)


def by_python(text: str, dialect: Dialect = STANDARD, skip: int = 1) -> list[Fields]:
    """The rows that Python's csv module reads, without the header, sorted."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_NONE if dialect.quote is None else csv.QUOTE_MINIMAL,
        doublequote=dialect.double_quote,
        escapechar=None if dialect.double_quote else "\\",
        strict=True,
    )
    return sorted(tuple(row) for row in [row for row in reader if row][skip:])


def written(rows: Sequence[Sequence[str]], **options: object) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, **options).writerows(rows)
    return out.getvalue()


FILES = {
    "line break in quotes": 'id,text,n\n1,"line one\nline two, with",3\n2,plain,5\n',
    "all line breaks in quotes": 'id,text,n\r\n1,"a\nb\r\nc\rd",3\r\n2,"\n",5\r\n',
    "doubled quotation marks": 'id,text,n\n1,"""a"", ""\n""",3\n2,"""""",5\n',
    "quotation mark inside of a field": 'id,text,n\n1,5"6,3\n2,a"b"c,5\n',
    "empty fields": 'id,text,n\n,,\n1,"",\n"","",""\n',
    "CR ends lines": 'id,text,n\r1,"a\rb",3\r2,c,5\r',
    "CRLF ends lines": "id,text,n\r\n1,a,3\r\n2,c,5\r\n",
    "lines end in several ways": "id,text,n\r\n1,a,3\n2,c,5\r3,d,7",
    "no line end at the end": 'id,text,n\n1,"a\nb",3',
    "header only": "id,text,n",
    "header with a line break": '"id","te\nxt","n"\n1,a,3\n',
    "rows that repeat the header": "id,text,n\n1,a,3\nid,text,n\nid,text,n\n",
    "rows that repeat the header after a line break": 'id,text,n\n1,"a\nid,text,n\n",3\nid,text,n\n',
    "blank lines": '\n\nid,text,n\n\n1,"\n\n",3\n\n',
    "byte order mark": '\ufeffid,text,n\n1,"\ufeffa\n",3\n',
    "character of a byte order mark in a row": 'id,text,n\n\ufeff1,a,3\n2,\ufeff,5\n',
    "spaces belong to fields": 'id,text,n\n 1 , a , "b"\n',
    "other characters that end lines elsewhere": "id,text,n\n1,a\x0b\x0c\x1c\x85\u2028b,3\n",
    "one column": 'id\n1\n"a\nb"\n',
    "null characters": 'id,text,n\n1,\x00,"\x00\n"\n',
}


@pytest.mark.parametrize("name", FILES)
def test_records_of_a_file_are_those_that_python_reads(name: str) -> None:
    """As an executor reads a file from beginning to end; without Spark."""
    text = FILES[name]
    pieces = text.encode().split(b"\n")
    pieces = pieces[:-1] if text.endswith("\n") else pieces
    for size in (1, 3):
        batches = [pieces[start : start + size] for start in range(0, len(pieces), size)]
        arrow = (pa.record_batch([some, ["file:/a"] * len(some)], ["value", "file"]) for some in batches)
        made = pa.Table.from_batches(RecordReader(STANDARD, "UTF-8").batches(arrow))
        records = [one.decode() for one in made["value"].to_pylist()]
        fields = sorted(tuple(next(csv.reader(io.StringIO(one, newline="")))) for one in records[1:])
        assert fields == by_python(text.removeprefix("\ufeff"))


def test_files_are_read_as_python_reads_them(engine: Engine, tmp_path: Path) -> None:
    """All in one folder, in which some have line breaks in fields and some do not."""
    expected: list[Fields] = []
    for number, text in enumerate(text for text in FILES.values() if text.lstrip("\n\ufeff").startswith("id,text,n")):
        (tmp_path / f"{number}.csv").write_bytes(text.encode())
        expected += by_python(text.removeprefix("\ufeff"))

    for multiline in (None, True):
        assert read(engine, tmp_path, multiline=multiline) == (sorted(expected), [])


def test_header_with_a_line_break(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(FILES["header with a line break"].encode())

    assert read(engine, tmp_path / "a.csv") == ([("1", "a", "3")], [])


DIALECTS = {
    "semicolons and apostrophes": (Dialect(";", "'"), "id;text;n\n1;'a;''b\n';3\n"),
    "tabs": (Dialect("\t"), 'id\ttext\tn\n1\t"a\tb\n"\t3\n'),
    "pipes": (Dialect("|"), 'id|text|n\n1|"a|b"|3\n'),
    "carets and brackets": (Dialect("^", "]"), "id^text^n\n1^]a^]]b\n]^3\n"),
    "backslashes": (Dialect(double_quote=False), 'id,text,n\n1,"a\\"b\\\\\n\\n",3\n2,c\\,d,\\"\n'),
    "no quotation marks": (Dialect(quote=None), 'id,text,n\n1,"a,3\n2,b",5\n'),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_dialect_is_read_as_python_reads_it(engine: Engine, tmp_path: Path, name: str) -> None:
    dialect, text = DIALECTS[name]
    (tmp_path / "a.csv").write_bytes(text.encode())

    assert read(engine, tmp_path / "a.csv", dialect) == (by_python(text, dialect), [])


def test_dialect_without_header_with_comments_and_skipped_lines(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'made by "x\nid,text\n1,"a\n#b"\n# "c\n 2 , d\n')
    dialect = Dialect(header=False, skip_rows=1, comment="#", trim=True)

    assert read(engine, tmp_path / "a.csv", dialect) == ([("1", "a\n#b"), ("2", "d"), ("id", "text")], [])
    (tmp_path / "b.csv").write_bytes(b"1,a\n1,a\n")
    assert read(engine, tmp_path / "b.csv", Dialect(header=False)) == ([("1", "a")] * 2, [])


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "ISO-8859-1"])
def test_other_encoding(engine: Engine, tmp_path: Path, encoding: str) -> None:
    # A letter with the byte of a line feed before one with the byte zero: no line ends there.
    odd = "\u0a41\u0100" if encoding != "ISO-8859-1" else "é"
    text = f'id,text,n\r\n1,"{odd}\nx",3\n2,b,5'
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))

    assert read(engine, tmp_path / "a.csv", encoding=encoding) == (by_python(text), [])


def test_bytes_that_are_not_of_the_encoding(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("id,n\n1,2\n3,".encode("utf-16-le") + b"\x00\xd8,\x00")

    with pytest.raises(LoadError, match=r".*/a\.csv:3: not UTF-16LE"):
        read(engine, tmp_path / "a.csv", encoding="UTF-16LE")


def test_a_folder_where_one_file_has_a_line_break(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "a b,{c}"
    folder.mkdir()
    texts = {
        "é 1.csv": 'id,n\n1,"a\nb"\nid,n\n',
        "2.csv": "\ufeffid,n\n2,c\nid,n\n",
        "3.csv": "id,n\r\n3,d",
        "4.csv": "",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    (folder / "_SUCCESS").write_text("")
    (folder / "5.csv.gz").write_bytes(gzip.compress(b'id,n\n5,"e\nf"\n'))

    expected = [("1", "a\nb"), ("2", "c"), ("3", "d"), ("5", "e\nf"), ("id", "n"), ("id", "n")]
    assert read(engine, tmp_path / "a b,\\{c\\}") == (expected, [])


MALFORMED = {
    "left open": ('1,"a,3\n2,b,5\n', r".*/a\.csv:2: a quotation mark that is never closed"),
    "left open in the header": ("", r"the header has a quotation mark that is not closed|never closed"),
    "left open after line breaks": (
        '1,"x\ny",3\n\n2,b,"\n"\n3,c,5\n4,d,"',
        r".*/a\.csv:8: a quotation mark that is never closed",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_quotation_mark_that_is_never_closed(engine: Engine, tmp_path: Path, name: str) -> None:
    rows, message = MALFORMED[name]
    (tmp_path / "a.csv").write_text(("id,text,n\n" if rows else 'id,"text,n\n') + rows)

    with pytest.raises(LoadError, match=message) as raised:
        read(engine, tmp_path / "a.csv")
    assert "\n" not in str(raised.value)


def test_a_record_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgreason_mapping.sources import csv_records

    monkeypatch.setattr(csv_records, "MOST_CHARACTERS", 1000)
    batch = [[b'1,"' + b"x" * 600, b"y" * 600], ["file:/a.csv"] * 2]
    with pytest.raises(LoadError, match=r"/a\.csv:1: .* not closed for more than"):
        list(RecordReader(Dialect(), "UTF-8").batches(iter([pa.record_batch(batch, ["value", "file"])])))


def test_ragged_rows_and_text_behind_quotation_marks(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'id,text\n1,a,b\n2\n"3"x,a\n4,"b" \n5,\xff\n6,"\xff\n"\n7,"c\n"\n')

    reasons = [R.FIELD_COUNT] * 2 + [R.MISPLACED_QUOTE] * 2 + [R.INVALID_UTF8] * 2
    assert read(engine, tmp_path / "a.csv") == ([("7", "c\n")], sorted(reasons))


def test_headers_of_files_differ(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("id,a\n1,2\n")
    (tmp_path / "2.csv").write_text("id,b\n1,2\n")

    for multiline in (None, True, False):
        with pytest.raises(LoadError, match=r"/[12]\.csv: begins with 'id,[ab]' and not with the header 'id,[ab]'"):
            read(engine, tmp_path, multiline=multiline)


# Without shrinking: each example is several jobs of Spark.
RANDOM = settings(
    max_examples=examples(6),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
CELLS = st.text(st.sampled_from('ab,;"\'\\ \n\r\té#'), max_size=6)


@RANDOM
@given(
    tables=st.lists(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=6), min_size=8, max_size=16),
    delimiter=st.sampled_from(",;\t|"),
    # Python's writer leaves a carriage return bare unless lines end in one, and then does not read back what it wrote.
    style=st.sampled_from([("\n", csv.QUOTE_ALL), ("\r", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
    double=st.booleans(),
)
def test_random_tables_come_out_as_they_went_in(
    engine: Engine,
    tmp_path_factory: pytest.TempPathFactory,
    tables: list[list[tuple[str, str, str]]],
    delimiter: str,
    style: tuple[str, int],
    double: bool,
) -> None:
    """Several files at once, since a job of Spark costs more than what is in them."""
    folder = tmp_path_factory.mktemp("csv")
    dialect = Dialect(delimiter, double_quote=double)
    options = {"delimiter": delimiter, "lineterminator": style[0], "quoting": style[1]}
    if not double:
        options |= {"doublequote": False, "escapechar": "\\"}
    for number, table in enumerate(tables):
        text = written([HEADER, *table], **options)
        (folder / f"{number}.csv").write_bytes(text.encode())

    expected = sorted(row for table in tables for row in table)
    assert read(engine, folder, dialect) == (expected, [])


@RANDOM
@given(texts=st.lists(st.text(st.sampled_from('ab,,""\n\n\r')), min_size=20, max_size=40))
def test_random_text_is_read_as_python_reads_it_or_told(
    engine: Engine, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    """Python's module is lenient here: all its rows are there, as values or as rows that are told."""
    folder = tmp_path_factory.mktemp("csv")
    expected, refused = [], 0
    for number, text in enumerate(texts):
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
        with_mark = [row for row in csv.reader(io.StringIO(text + "\n\x01", newline="")) if row]
        if with_mark[-1] != ["\x01"]:  # a quotation mark is never closed
            continue
        (folder / f"{number}.csv").write_bytes(b"id,text\n" + text.encode())
        expected += [tuple(row) for row in rows if len(row) == 2]
        refused += sum(len(row) != 2 for row in rows)
    (folder / "last.csv").write_bytes(b"id,text\n")

    good, reasons = read(engine, folder)
    misplaced = reasons.count(R.MISPLACED_QUOTE)
    assert len(good) + len(reasons) == len(expected) + refused
    assert set(good) <= set(expected)
    assert len(expected) - len(good) <= misplaced
