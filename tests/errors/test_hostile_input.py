"""Input of strangers in every format: an answer, or one error in one line, and the store as before.

Would catch an error of Python's or of a library's own in the place of ours, a hang, and half a load.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from rdflib import Graph

from kgreason import KGReasonError
from tests.errors.hostile import DEEP, DIGITS, IRI, Content, check
from tests.profiles import IS_THOROUGH

pytestmark = pytest.mark.slow

LONG = 17 << 20
LONG_NAME = LONG if IS_THOROUGH else 3 << 20
"""Pyoxigraph's time for these grows with the square of their length."""
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="{IRI}">'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))

TURTLE: dict[str, Content] = {
    "deep brackets": "<a:s> <a:p> " + "[ <a:p> " * DEEP + "1" + " ]" * DEEP + " .",
    "deep lists": "<a:s> <a:p> " + "( " * DEEP + ")" * DEEP + " .",
    "open brackets": "<a:s> <a:p> " + "[ <a:p> " * DEEP,
    "deep quoted triples": "<< " * DEEP + "<a:s> <a:p> <a:o>" + " >>" * DEEP + " <a:p> 1 .",
    "long prefix": f"@prefix {'p' * LONG_NAME}: <a:> .",
    "number": f"<a:s> <a:p> {DIGITS}, {DIGITS}.{DIGITS}, {DIGITS}e{DIGITS} .",
    "many prefixes": "".join(f"@prefix p{n}: <a:{n}> .\n" for n in range(DEEP)) + "p1:a p2:b p3:c .",
}
LINES: dict[str, Content] = {
    "long literal": f'<a:s> <a:p> "{"x" * LONG}" .\n',
    "long literal that is open": f'<a:s> <a:p> "{"x" * LONG}',
    "long IRI": f"<a:{'x' * LONG}> <a:p> <a:o> .\n",
    "long IRI that is open": f"<a:{'x' * LONG}",
    "long blank node": f"_:{'x' * LONG_NAME} <a:p> <a:o> .\n",
    "long language tag": f'<a:s> <a:p> "x"@{"a" * LONG} .\n',
    "long comment": f"#{'x' * LONG}",
    "escapes": f'<a:s> <a:p> "{chr(92)}{"u0041" * 10}{chr(92) * 9}" .\n',
    "escaped surrogate": r'<a:s> <a:p> "\ud800" .',
    "escaped surrogate in an IRI": r"<a:\ud800> <a:p> <a:o> .",
    "escape beyond Unicode": r'<a:s> <a:p> "\U7fffffff" .',
    "surrogate": b'<a:s> <a:p> "\xed\xa0\x80" .',
    "invalid UTF-8": b'<a:s> <a:p> "\xff\xfe" .\n',
    "invalid UTF-8 in an IRI": b"<a:\xff> <a:p> <a:o> .\n",
    "cut UTF-8": '<a:s> <a:p> "é'.encode()[:-1],
    "overlong UTF-8": b'<a:s> <a:p> "\xc0\x80" .\n',
    "NUL": '<a:s> <a:p> "a\0b" .\n',
    "NUL in an IRI": "<a:\0> <a:p> <a:o> .\n",
    "NULs": b"\0" * 100_000,
    "UTF-16": '<a:s> <a:p> "x" .\n'.encode("utf-16"),
    "integer": f'<a:s> <a:p> "{DIGITS}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n',
    "double": f'<a:s> <a:p> "1e{DIGITS}"^^<http://www.w3.org/2001/XMLSchema#double> .\n',
    "date": f'<a:s> <a:p> "{DIGITS}-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .\n',
    "duration": f'<a:s> <a:p> "P{DIGITS}Y"^^<http://www.w3.org/2001/XMLSchema#duration> .\n',
    "one line without end": "<a:s> " * 100_000,
    "many errors": "x\n" * 100_000,
}
RDF_XML: dict[str, Content] = {
    "deep elements": XML + "<e:a><e:b>" * DEEP,
    "deep and closed": XML + "<e:a><e:b>" * DEEP + "</e:b></e:a>" * DEEP + "</rdf:RDF>",
    "billion laughs": f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>{XML}<e:a><e:p>&l11;</e:p></e:a></rdf:RDF>',
    "laughs in an attribute": f'<!DOCTYPE x [<!ENTITY l0 "a:b">{LAUGHS}]>{XML}<e:a rdf:about="&l11;"/></rdf:RDF>',
    "quadratic entity": f'<!DOCTYPE x [<!ENTITY a "{"x" * 100_000}">]>{XML}<e:a>{"&a;" * 10_000}</e:a></rdf:RDF>',
    "entity of itself": f'<!DOCTYPE x [<!ENTITY a "&a;">]>{XML}<e:a><e:p>&a;</e:p></e:a></rdf:RDF>',
    "external entity": f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>{XML}<e:a><e:p>&a;</e:p></e:a></rdf:RDF>',
    "parameter entity": f'<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;]>{XML}</rdf:RDF>',
    "external subset": f'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x">{XML}</rdf:RDF>',
    "long text": f"{XML}<e:a><e:p>{'x' * LONG}</e:p></e:a></rdf:RDF>",
    "long name": f"{XML}<e:{'x' * LONG}/></rdf:RDF>",
    "long attribute": f'{XML}<e:a rdf:about="a:{"x" * LONG}"/></rdf:RDF>',
    "many attributes": XML + "<e:a " + " ".join(f'e:a{n}="1"' for n in range(20_000)) + "/></rdf:RDF>",
    "NUL": f"{XML}<e:a><e:p>\0</e:p></e:a></rdf:RDF>",
    "character": f"{XML}<e:a><e:p>&#xD800;&#x0;&#x7fffffff;</e:p></e:a></rdf:RDF>",
    "invalid UTF-8": XML.encode() + b"<e:a><e:p>\xff</e:p></e:a></rdf:RDF>",
    "unknown encoding": '<?xml version="1.0" encoding="x-none"?>' + XML + "</rdf:RDF>",
    "UTF-7": b'<?xml version="1.0" encoding="UTF-7"?>' + XML.encode() + b"</rdf:RDF>",
    "cut": XML + "<e:a><e:p>x",
    "parseType": XML + '<e:a><e:p rdf:parseType="Literal">' + "<b>" * DEEP,
}
JSON_LD: dict[str, Content] = {
    "deep arrays": '{"a:p": ' + "[" * DEEP,
    "deep objects": '{"a:p": ' * DEEP + "1" + "}" * DEEP,
    "deep lists": '{"a:p": ' + '{"@list": [' * DEEP + "]}" * DEEP + "}",
    "deep contexts": '{"@context": ' + '{"@context": ' * DEEP,
    "remote context": '{"@context": "http://127.0.0.1:9/x", "@id": "a:s"}',
    "file context": '{"@context": "file:///etc/passwd", "@id": "a:s"}',
    "context of itself": '{"@context": {"a": {"@id": "a"}, "b": "c", "c": "b"}, "b": 1}',
    "number": f'{{"@id": "a:s", "a:p": [{DIGITS}, {DIGITS}.5, 1e{DIGITS}, -0.0]}}',
    "surrogate": r'{"@id": "a:s", "a:p": "\ud800"}',
    "surrogate in a name": r'{"@id": "a:\udfff", "a:p": 1}',
    "NUL": '{"@id": "a:s", "a:p": "\0"}',
    "invalid UTF-8": b'{"@id": "a:s", "a:p": "\xff"}',
    "long text": '{"@id": "a:s", "a:p": "' + "x" * LONG + '"}',
    "same name": '{"@id": "a:s", ' + '"a:p": 1, ' * DEEP + '"a:p": 2}',
    "cut": '{"@id": "a:s", "a:p": ',
    "empty": "",
}
FORMATS: dict[str, dict[str, Content]] = {
    "nt": LINES,
    "nq": {name: LINES[name] for name in ("long literal", "long IRI", "surrogate", "NULs", "many errors")},
    "ttl": {**LINES, **TURTLE},
    "trig": {**TURTLE, "deep graphs": "<a:g> { " * DEEP},
    "n3": {**TURTLE, "deep formulas": "<a:s> <a:p> " + "{ " * DEEP},
    "xml": RDF_XML,
    "jsonld": JSON_LD,
}
PARSERS = {"nq": "nquads", "xml": "xml"}
SAME_PARSER = ("trig", "n3")
"""Formats that the parser of Turtle reads, with some more grammar."""


def marks(format: str, name: str) -> tuple[pytest.MarkDecorator, ...]:
    """What Turtle shows for others need not be shown in each run."""
    return (pytest.mark.thorough,) if format in SAME_PARSER and name in TURTLE and "brackets" not in name else ()


CASES = [
    pytest.param(format, content, id=f"{format}-{name}", marks=marks(format, name))
    for format in FORMATS
    for name, content in FORMATS[format].items()
]


@pytest.mark.parametrize(("format", "content"), CASES)
def test_file_is_read_or_refused_as_a_whole(graph: Graph, tmp_path: Path, format: str, content: Content) -> None:
    path = tmp_path / f"hostile.{format}"
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    try:
        graph.store.bulk_load(path, format="xml" if format == "xml" else None)
    except KGReasonError as error:
        check(error, path.name)
        assert len(graph) == 1
    list(graph)


@pytest.mark.again
@pytest.mark.parametrize(("format", "content"), CASES)
def test_document_is_parsed_or_refused_as_a_whole(graph: Graph, format: str, content: Content) -> None:
    try:
        graph.parse(data=content, format=f"kg-{PARSERS.get(format, format)}", publicID=IRI)
    except KGReasonError as error:
        check(error)
        assert len(graph) == 1
    list(graph)


@pytest.mark.parametrize("cut", [1, 5, 12, 40])
@pytest.mark.parametrize("format", ["nt", "ttl", "xml", "jsonld"])
def test_compressed_file_that_breaks_off_is_refused(graph: Graph, tmp_path: Path, format: str, cut: int) -> None:
    path = tmp_path / f"hostile.{format}.gz"
    path.write_bytes(gzip.compress(b"".join(b"<a:%d> <a:p> <a:o> .\n" % n for n in range(1000)))[:-cut])

    with pytest.raises(KGReasonError) as raised:
        graph.store.bulk_load(path)

    check(raised.value, path.name)
    assert len(graph) == 1
