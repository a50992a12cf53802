"""Parquet with columns of terms beside N-Triples: would catch a term that a column changes or drops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.load_report import LoadReport
from kgreason.io.readers import load_files, load_stream
from kgreason.store.knowledge_base import KnowledgeBase
from tests.damaged_parquet import damage, flip_in_page

Row = tuple[str | None, ...]
XSD = "http://www.w3.org/2001/XMLSchema#"


def write(path: Path, names: Sequence[str], rows: Sequence[Row], kind: pa.DataType | None = None) -> Path:
    """A Parquet file of rows of texts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = [pa.array([row[at] for row in rows], pa.string()).cast(kind or pa.string()) for at in range(len(names))]
    pq.write_table(pa.table(columns, [*names]), path, row_group_size=3)
    return path


def quads(*paths: Path, columns: Sequence[str] | None = None, terms: str | None = None) -> set[tuple[str, ...]]:
    """What a load of paths gives: keys, with "" for the default graph."""
    dictionary = Dictionary()
    found = load_files(paths, dictionary, columns=columns, terms=terms).quads
    ids = [found.subject, found.predicate, found.object, found.graph]
    keys = [[dictionary.key(i) if i < len(dictionary) else "" for i in column.tolist()] for column in ids]
    return {*zip(*keys, strict=True)}


def key(term: ox.NamedNode | ox.Literal) -> str:
    """A plain term: an IRI without brackets, a literal without escapes."""
    if isinstance(term, ox.NamedNode):
        return term.value
    if term.language is not None:
        return f'"{term.value}"@{term.language}'
    return f'"{term.value}"' if term.datatype.value == f"{XSD}string" else f'"{term.value}"^^{term.datatype.value}'


TERMS = [
    *(ox.NamedNode(iri) for iri in ("http://e/o", "urn:x:é#ü", "http://e/%41?a=b&c", "http://[::1]/", "a:b\U0001f600")),
    *(ox.Literal(text) for text in ("", "x", 'a "b" \\n', "line\nbreak\r\t", "é\U0001f600", '"@en', '"^^a:b')),
    *(ox.Literal(text) for text in (" ", "\x01\x7f", "\\", "\x00")),
    *(ox.Literal(text, language="en-gb") for text in ("x", '"', "a@b")),
    *(ox.Literal(text, datatype=ox.NamedNode(f"{XSD}integer")) for text in ("1", "01", "x")),
    ox.Literal('say "1"^^<a:b>', datatype=ox.NamedNode("a:d")),
]


def test_every_kind_of_term_is_what_it_is_in_n_triples(tmp_path: Path) -> None:
    subject, predicate, graph = "<http://e/s>", "<http://e/p>", "<http://e/g>"
    rows: list[Row] = [(subject, predicate, str(term), graph if n % 2 else None) for n, term in enumerate(TERMS)]
    plain: list[Row] = [
        ("http://e/s", "http://e/p", key(term), "http://e/g" if n % 2 else None) for n, term in enumerate(TERMS)
    ]
    (tmp_path / "rows.nq").write_text("".join(f"{' '.join(filter(None, row))} .\n" for row in rows))
    wanted = quads(tmp_path / "rows.nq")

    assert len(wanted) == len(TERMS)
    assert quads(write(tmp_path / "a.parquet", "spog", rows)) == wanted
    assert quads(write(tmp_path / "b.parquet", "spog", plain)) == wanted
    assert quads(write(tmp_path / "c.parquet", ("Subject", "predicate", "OBJECT", "graph"), plain)) == wanted
    assert quads(write(tmp_path / "d.parquet", "abcd", plain), columns=tuple("abcd"), terms="plain") == wanted


@given(texts=st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=8), min_size=1, max_size=6))
def test_any_text_is_a_literal_in_both_forms(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("rows")
    wanted = {("a:s", "a:p", f'"{text}"', "") for text in texts}

    written: list[Row] = [("<a:s>", "<a:p>", str(ox.Literal(text))) for text in texts]
    plain: list[Row] = [("a:s", "a:p", f'"{text}"') for text in texts]
    assert quads(write(folder / "a.parquet", "spo", written)) == wanted
    assert quads(write(folder / "b.parquet", "spo", plain)) == wanted


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string()), pa.string_view()], ids=str
)
def test_text_of_any_type(kind: pa.DataType, tmp_path: Path) -> None:
    assert quads(write(tmp_path / "a.parquet", "spo", [("a:s", "a:p", '"x"')], kind)) == {("a:s", "a:p", '"x"', "")}


REFUSED: dict[str, tuple[list[Row], str]] = {
    "null subject": ([(None, "a:p", "a:o")], "row 1: the subject is null"),
    "null predicate": ([("a:s", "a:p", "a:o"), ("a:s", None, "a:o")], "row 2: the predicate is null"),
    "null object": ([("a:s", "a:p", "a:o")] * 7 + [("a:s", "a:p", None)], "row 8: the object is null"),
    "literal as subject": ([('"x"', "a:p", "a:o")], "row 1: the subject '\"x\"' is a literal"),
    "literal as predicate": ([("a:s", '"x"', "a:o")], "row 1: the predicate '\"x\"' is a literal"),
    "blank node as predicate": ([("a:s", "_:b", "a:o")], "row 1: the predicate '_:b' is a blank node"),
    "relative IRI": ([("a:s", "a:p", "o")], "row 1: the object 'o' is not a term: .*scheme"),
    "plain text": ([("a:s", "a:p", "Tom Smith")], "row 1: the object 'Tom Smith' is not a term"),
    "IRI with a blank": ([("a:s", "a:p", "a:b c")], "row 1: the object 'a:b c' is not a term"),
    "IRI with an escape": ([("a:s", "a:p", "a:\\u0041")], "row 1: the object .* is not a term"),
    "IRI in brackets among plain ones": ([("a:s", "a:p", "a:o"), ("<a:s>", "a:p", "a:o")], "row 2: the subject"),
    "plain IRI among others": ([("<a:s>", "<a:p>", "<a:o>"), ("a:s", "<a:p>", "<a:o>")], "row 2: the subject"),
    "empty": ([("a:s", "a:p", "")], "row 1: the object '' is not a term"),
    "more than a term": ([("<a:s>", "<a:p>", '<a:o> . <a:s> <a:p> "x"')], "row 1: the object .* is not a term"),
    "two lines": ([("<a:s>", "<a:p>", "<a:o> .\n<a:s> <a:p> <a:q>")], "row 1: the object .* is not a term"),
    "a comment": ([("<a:s>", "<a:p>", "<a:o> # x")], "row 1: the object .* is not a term"),
    "a literal that is not closed": ([("<a:s>", "<a:p>", '"x')], "row 1: the object .* is not a term"),
    "base direction": ([("<a:s>", "<a:p>", '"x"@en--up')], "row 1: the object .* is not a term"),
    "base direction, plain": ([("a:s", "a:p", '"x"@en--up')], "row 1: the object .* is not a term"),
    "triple term as a subject": ([("<<( <a:s> <a:p> <a:o> )>>", "<a:p>", "<a:o>")], "row 1: the subject .*<<"),
    "triple term of a literal": ([("a:s", "a:p", '<<( "s" <a:p> <a:o> )>>')], "row 1: the object .* is not a term"),
    "literal with an unknown suffix": ([("a:s", "a:p", '"x"en')], "row 1: the object .* is not a term"),
    "datatype in brackets in a plain literal": ([("a:s", "a:p", '"x"^^<a:b>')], "row 1: the object .* is not a term"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_row_that_is_no_triple_is_refused_with_its_number(name: str, tmp_path: Path) -> None:
    rows, message = REFUSED[name]
    path = write(tmp_path / "rows.parquet", "spo", rows)
    base = KnowledgeBase("none")
    before = len(base.dictionary)

    with pytest.raises(LoadError, match=f"rows.parquet: {message}") as caught:
        base.bulk_load(path)

    assert "\n" not in str(caught.value)
    assert len(base.dictionary) == before
    report = base.bulk_load(path, lenient=True)
    assert (report.triples, report.skipped) == (len(rows) - 1, 1)


def test_literal_as_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="row 2: the graph '\"g\"' is"):
        quads(write(tmp_path / "a.parquet", "spog", [("a:s", "a:p", "a:o", None), ("a:s", "a:p", "a:o", '"g"')]))


COLUMNS: dict[str, tuple[Sequence[str], Sequence[str] | None, str]] = {
    "no object": (("s", "p", "x"), None, "no column for the object among s, p, x"),
    "two for a place": (("s", "subject", "p", "o"), None, "s and subject may both be the subject"),
    "a name that is not there": (("a", "b", "c"), ("a", "b", "d"), "there is no column d"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_that_are_not_there_are_refused(name: str, tmp_path: Path) -> None:
    names, wanted, message = COLUMNS[name]

    with pytest.raises(LoadError, match=message):
        quads(write(tmp_path / "a.parquet", names, [("a:s",) * len(names)]), columns=wanted)


@pytest.mark.parametrize(("columns", "terms"), [(("a", "b"), None), ("spo", None), (None, "turtle")])
def test_options_that_make_no_sense_are_refused(
    columns: Sequence[str] | None, terms: str | None, tmp_path: Path
) -> None:
    with pytest.raises(LoadError, match="of a table"):
        quads(write(tmp_path / "a.parquet", "spo", []), columns=columns, terms=terms)


def test_column_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"s": pa.array([1]), "p": pa.array(["a:p"]), "o": pa.array(["a:o"])}), path)

    with pytest.raises(LoadError, match="the column s is of type int64"):
        quads(path)


def test_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 oops")

    with pytest.raises(LoadError, match=r"a\.parquet: not readable as Parquet"):
        quads(tmp_path / "a.parquet")


def test_parquet_is_known_by_its_content_or_by_the_format_given(tmp_path: Path) -> None:
    wanted = {("a:s", "a:p", "a:o", "")}

    assert quads(write(tmp_path / "a", "spo", [("a:s", "a:p", "a:o")])) == wanted
    assert load_files([tmp_path / "a"], Dictionary(), format="parquet").report.triples == 1


def test_no_rows_are_no_triples(tmp_path: Path) -> None:
    assert quads(write(tmp_path / "a.parquet", "spo", [])) == set()


def test_predicates_and_graphs_as_partitions(tmp_path: Path) -> None:
    write(tmp_path / "out/p=a%3Aq/g=__HIVE_DEFAULT_PARTITION__/x.parquet", "so", [("a:s", '"1"'), ("a:t", '"2"')])
    write(tmp_path / "out/p=a%3Ar/g=a%3Ag/y.parquet", "so", [("a:s", '"3"')])

    assert quads(tmp_path / "out") == {
        ("a:s", "a:q", '"1"', ""),
        ("a:t", "a:q", '"2"', ""),
        ("a:s", "a:r", '"3"', "a:g"),
    }


def test_labels_mean_the_same_in_a_file_and_something_else_in_another(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        write(tmp_path / name, "spo", [("_:x", "a:p", f'"{n}"') for n in range(9)])

    assert len({row[0] for row in quads(tmp_path)}) == 2


def test_report_and_progress_count_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", "spo", [("a:s", "a:p", f'"{n}"') for n in range(10)])
    seen: list[int] = []

    report: LoadReport = KnowledgeBase("none").bulk_load(path, progress=lambda _, count: seen.append(count))

    assert report.triples == 10
    assert seen[-1] == 10


def test_tags_keep_their_spelling(tmp_path: Path) -> None:
    rows: list[Row] = [("<a:s>", "<a:p>", '"x"@en-GB'), ("<a:s>", "<a:p>", '"a\\nb"@en-GB')]
    text = "".join(f"{' '.join(map(str, row))} .\n" for row in rows)
    dictionary = Dictionary()
    load_stream(text.encode(), dictionary, format="nt")

    assert {row[2] for row in quads(write(tmp_path / "a.parquet", "spo", rows))} == {'"x"@en-GB', '"a\nb"@en-GB'}
    plain: list[Row] = [("a:s", "a:p", '"x"@en-GB'), ("a:s", "a:p", '"a\nb"@en-GB')]
    assert {row[2] for row in quads(write(tmp_path / "b.parquet", "spo", plain))} == {'"x"@en-GB', '"a\nb"@en-GB'}


def test_page_with_another_checksum_is_refused(tmp_path: Path) -> None:
    rows = [(f"<a:s{n}>", "<a:p>", f'"{n}"') for n in range(100)]
    table = pa.table({name: [row[at] for row in rows] for at, name in enumerate("spo")})
    pq.write_table(table, tmp_path / "a.parquet", compression="none", write_page_checksum=True)
    path = damage(tmp_path, flip_in_page)

    with pytest.raises(LoadError, match=r"a\.parquet: .*checksum"):
        quads(path)
