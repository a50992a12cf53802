"""The vectorised reader of N-Triples and N-Quads beside pyoxigraph: the same quads, or the same line refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import parse

from kgreason.io import ntriples_blocks as ntriples
from kgreason.io.ntriples_blocks import Block, MalformedLineError, Reading, read_block
from kgreason.io.parsed_documents import part_of
from kgreason.io.parts import Part
from kgreason.io.quads import DEFAULT_GRAPH
from tests.io.random_documents import documents
from tests.profiles import examples

TRIPLES, QUADS = Reading(False, "", False), Reading(True, "", False)
EXAMPLES = examples(400)


Wanted = Counter[tuple[str | None, ...]] | int | None


def rows(part: Part) -> Counter[tuple[str | None, ...]]:
    """The quads of a part as folded keys: pyoxigraph gives tags in lower case."""
    keys = part.column().keys.texts.to_pylist()
    quads = part.quads
    columns = (quads.subject, quads.predicate, quads.object)
    names = [None if graph == DEFAULT_GRAPH else keys[graph] for graph in quads.graph.tolist()]
    return Counter(zip(*([keys[i] for i in column.tolist()] for column in columns), names, strict=True))


def expected(data: bytes, reading: Reading) -> Wanted:
    """What pyoxigraph makes of the whole: its quads, the line that it refuses, None for a term that is a triple."""
    try:
        return rows(part_of(parse(input=data, format=reading.format)))
    except SyntaxError as error:
        return int(error.lineno or 0)
    except ValueError:
        return None


def result(data: bytes, reading: Reading) -> Block | MalformedLineError:
    """What the vectorised reader makes of the whole."""
    try:
        return read_block(data, reading)
    except MalformedLineError as error:
        return error


def same_verdict(data: bytes, reading: Reading) -> tuple[Wanted, Block | MalformedLineError]:
    """What both make of it: both read the same, or both refuse."""
    wanted, found = expected(data, reading), result(data, reading)
    if isinstance(found, Block):
        assert isinstance(wanted, Counter), "accepted"
        assert rows(found.part) == wanted
        assert found.lines == data.count(b"\n") + (not data.endswith(b"\n"))
        assert found.skipped == 0
    else:
        assert not isinstance(wanted, Counter), f"refused: {found.reason}"
        assert found.reason
        assert "\n" not in found.reason
    return wanted, found


def agrees(data: bytes, reading: Reading) -> None:
    """Both read the same, or both refuse the same line."""
    wanted, found = same_verdict(data, reading)
    # A carriage return alone is an end of line for pyoxigraph, and none for those who count lines; and a line
    # that breaks off is noticed by pyoxigraph in the next one.
    if isinstance(found, MalformedLineError) and isinstance(wanted, int) and b"\r" not in data.replace(b"\r\n", b""):
        assert wanted in (found.line + 1, found.line + 2)


TRICKY = [
    b'<a:s> <a:p> "x\ry" .\n',
    b'<a:s> <a:p> <a:o> .\r<a:s> <a:p> "x" .\n',
    b'<a:s> <a:p> "\\ud800" .\n',
    b'<a:s> <a:p> "\\ud83d\\ude00" .\n',
    b'<a:s> <a:p> "\\U00110000" .\n',
    b'<a:s> <a:p> "\\U0010FFFF\\uFFFF\\u0000" .\n',
    b'<a:s> <a:p> "\\x" .\n',
    b'<a:s> <a:p> "\xff" .\n',
    b'<a:s> <a:p> "a" "b" .\n',
    b'<a:s> <a:p> "a" <a:g> .\n',
    b'<a:s> <a:p> "a"^^<a:t> <a:g> .\n',
    b'<a:s> <a:p> "a <a:g>" .\n',
    b'<a:s> <a:p> "a <a:g>"^^<a:t> .\n',
    b'<a:s> <a:p> "a _:g" .\n',
    b'<a:s> <a:p> "a" . # .\n',
    b"<a:s> <a:p> <a:o> . # <a:g> .\n",
    b'<a:s> <a:p> "a" . # <a:g> .\n',
    b'<a:s> <a:p> "a"@en . # <a:g> .\n',
    b'<a:s> <a:p> "a"^^<a:t#> . # <a:g> .\n',
    b'<a:s> <a:p> "\\n" . # <a:g> .\n',
    b'<a:s> <a:p> "a"^^<a:t#u> <a:g> .\n',
    b"<a:s> <a:p> .\n",
    b"<a:s> .\n",
    b" .\n",
    b"<a:s> <a:p> <a:o>\n",
    b"<a:s> <a:p> <a:o> <a:g> <a:h> .\n",
    b"<a:s> _:p <a:o> .\n",
    b'"s" <a:p> <a:o> .\n',
    b'<a:s> <a:p> <a:o> "g" .\n',
    b" <a:s> <a:p> <a:o> .\n",
    b"<a:s> <a:p> <a:o> . <a:s> <a:p> <a:o> .\n",
    b"<a:s> <a:p> <a:o> .\x00\n",
    b"<a:s> <a:p> <a:o>\x01.\n",
    b"<a:s>\x0b<a:p> <a:o> .\n",
]


@pytest.mark.parametrize("data", TRICKY)
def test_tricky_lines(data: bytes) -> None:
    for reading in (TRIPLES, QUADS):
        agrees(data, reading)
        agrees(b"<a:s> <a:p> <a:o> .\n" + data + b"<a:s> <a:p> <a:o> .", reading)


IRIS = st.sampled_from(["<a:s>", "<http://e/p#x>", "<a:é>", "<no>", "<a: >", "<a:\\u0041>", "_:b"])
OBJECTS = st.sampled_from([
    *('"x"', '"a <b> c"', '""', '"x\ty"', '"x\\ty"', '"\\u0041"', '"x"@en', '"x"@EN', '"x"@en-GB', '"x"@en--ltr'),
    *('"1"^^<a:t>', '"x"^^<http://www.w3.org/2001/XMLSchema#string>', '"1"^^<no>', '"x"^^a', "1"),
    *(f'"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#{name}>' for name in ("langString", "HTML")),
    *("<<( <a:s> <a:p> <a:o> )>>", "<<( <a:s> <a:p> \"x\"@EN )>>", "<< <a:s> <a:p> <a:o> >>"),
])
SPACED = ["<<( {} {} {} )>>", "<<( {} {} {} )>>", "<<({} {} {})>>", "<<(  {} {}\t{} )>>", "<<( {} {} {} >>"]
TERMS = st.builds(str.format, st.sampled_from(SPACED), IRIS, IRIS, IRIS | OBJECTS)


@settings(max_examples=EXAMPLES)
@given(terms=st.lists(TERMS, min_size=1, max_size=3), end=st.sampled_from([" .", ".", " <a:g> .", " _:g .", " . # x"]))
def test_triple_terms(terms: list[str], end: str) -> None:
    data = "".join(f"<a:s> <a:p> {term}{end}\n" for term in terms).encode()
    for reading in (TRIPLES, QUADS):
        agrees(data, reading)
        for term in terms:
            agrees(f"<a:s> <a:p> {term}{end}\n".encode(), reading)


@settings(max_examples=EXAMPLES)
@given(documents(quads=False))
def test_triples(data: bytes) -> None:
    agrees(data, TRIPLES)


@settings(max_examples=EXAMPLES)
@given(documents(quads=True))
def test_quads(data: bytes) -> None:
    agrees(data, QUADS)


@settings(max_examples=EXAMPLES)
@given(documents(quads=False), documents(quads=True))
def test_lenient(triples: bytes, quads: bytes) -> None:
    for data, strict in ((triples, TRIPLES), (quads, QUADS)):
        block = read_block(data, replace(strict, lenient=True))
        each = [expected(line + b"\n", strict) for line in data.split(b"\n")]
        wanted: Counter[tuple[str | None, ...]] = Counter()
        for line in each:
            wanted += line if isinstance(line, Counter) else Counter()
        assert rows(block.part) == wanted
        assert block.skipped == sum(not isinstance(line, Counter) for line in each)


def test_blank_nodes_get_their_scope_on_both_ways() -> None:
    block = read_block('_:a <a:p> _:b .\n_:é <a:p> _:a.\n_:a <a:p> "_:a" .\n'.encode(), Reading(False, "x", False))
    assert set(rows(block.part)) == {
        ("_:xa", "a:p", "_:xb", None),
        ("_:xé", "a:p", "_:xa", None),
        ("_:xa", "a:p", '"_:a"', None),
    }


def test_terms_of_refused_lines_are_not_learnt() -> None:
    block = read_block(b'<a:s> <a:p> <a:o> .\n<a:lost> "lost" <a:gone> .\n', Reading(False, "", True))
    assert set(block.part.column().keys.listed()) == {"a:s", "a:p", "a:o"}
    assert block.skipped == 1


def test_plain_lines_need_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        b'<a:s> <a:p> <a:o> .\n<http://e/a> <http://e/%41p> "a b"@en .\n'
        b'_:b\t<a:p>\t"1"^^<a:t>\t.\r\n<a:s> <a:p> "a\\"\\u0041\\n" .\n'
        b'<a:s> <a:p> <<( <a:a> <a:b> <a:c> )>> .\n_:b <a:p> <<( <a:a> <a:b> "1"^^<a:t> )>> .\n'
    )
    agrees(text, TRIPLES)
    monkeypatch.setattr(ntriples, "parse", None)
    assert len(read_block(text, TRIPLES).part) == 6
    assert len(read_block(text + b"<a:s> <a:p> <a:o> <a:g> .\n<a:s> <a:p> \"x\" _:g .\n", QUADS).part) == 8


def test_a_triple_term_in_the_place_of_a_subject_is_refused() -> None:
    with pytest.raises(MalformedLineError) as caught:
        read_block(b"<a:s> <a:p> <a:o> .\n<<( <a:a> <a:b> <a:c> )>> <a:p> <a:o> .\n", TRIPLES)
    assert caught.value.line == 1
