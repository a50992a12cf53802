"""Would catch a value of XML that is lost when a document is read in parts, and a document that reaches outside."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgreason.errors import MappingError
from kgreason_mapping.arrow import xml_batches
from kgreason_mapping.documents import parse_mapping
from tests.mapping.engines import ArrowEngine, Engine, Mapped
from tests.mapping.rml import PREFIXES

pytest.importorskip("lxml", reason="XML needs the extra `mapping`")

SHELVES = """<?xml version="1.0"?>
<lib xmlns:d="http://example.com/d"><name>L</name>
  <shelf id="a"><book id="1"><title>One <i>and</i> only</title><by>X</by><by>Y</by></book>
    <book id="2"><title/><d:note>n</d:note></book></shelf>
  <shelf id="b"><box><book id="3"><title>In a box</title></book></box><book id="4"><by>Z</by></book></shelf>
</lib>"""


def _mapped(engine: Engine, folder: Path, iterator: str, values: str, name: str = "a.xml") -> Mapped:
    objects = ", ".join(f"[ rml:predicate ex:p{n}; rml:objectMap [ rml:reference '''{one}''' ] ]"
                        for n, one in enumerate(values.split("|")))  # fmt: skip
    mapping = f"""<#m> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "{name}" ];
          rml:iterator "{iterator}"; rml:referenceFormulation [ a rml:XPathReferenceFormulation; rml:namespace
            [ rml:namespacePrefix "d"; rml:namespaceURL "http://example.com/d" ] ] ];
      rml:subjectMap [ rml:template "http://example.com/{{@id}}" ]; rml:predicateObjectMap {objects} ."""
    return engine(parse_mapping(PREFIXES + mapping, directory=folder))


def _values(made: Mapped) -> list[tuple[str, str, str]]:
    return sorted((s.rpartition("/")[2], p.rpartition("/")[2], o.strip('"')) for s, p, o, _ in made.quads)


@pytest.mark.parametrize(
    ("iterator", "values", "expected"),
    [
        ("/lib/shelf/book", "title|by",
         [("1", "p0", "One and only"), ("1", "p1", "X"), ("1", "p1", "Y"), ("2", "p0", ""), ("4", "p1", "Z")]),
        ("/lib/shelf/book", "d:note", [("2", "p0", "n")]),
        ("/lib/*/book", "count(by)", [("1", "p0", "2"), ("2", "p0", "0"), ("4", "p0", "1")]),
        ("//book", "../@id", [("1", "p0", "a"), ("2", "p0", "a"), ("4", "p0", "b")]),
        ("/lib/shelf/book", "/lib/name", [("1", "p0", "L"), ("2", "p0", "L"), ("4", "p0", "L")]),
        ("/lib/shelf[2]//book", "title/text()", [("3", "p0", "In a box")]),
        ("/lib/shelf", "@id|book/@id", [("a", "p0", "a"), ("a", "p1", "1"), ("a", "p1", "2"), ("b", "p0", "b"),
                                        ("b", "p1", "4")]),
        ("/none/shelf", "@id", []),
        ("/lib/shelf/book", "concat(by, ' ', /lib/name)",
         [("1", "p0", "X L"), ("2", "p0", " L"), ("4", "p0", "Z L")]),
        ("/lib/shelf/book", "@id[. = /lib/shelf/@id or /lib/name = 'L']|concat('a','b,/c')",
         [("1", "p0", "1"), ("1", "p1", "ab,/c"), ("2", "p0", "2"), ("2", "p1", "ab,/c"), ("4", "p0", "4"),
          ("4", "p1", "ab,/c")]),
        ("/lib/shelf/book", "preceding ::name", [("1", "p0", "L"), ("2", "p0", "L"), ("4", "p0", "L")]),
        ("/lib/shelf[2]", "0.0000001|1 div 0|number(@id)|1000000000000000000000000|0.5",
         [("b", "p0", "0.0000001"), ("b", "p1", "Infinity"), ("b", "p2", "NaN"), ("b", "p3", "1" + "0" * 24),
          ("b", "p4", "0.5")]),
    ],
)  # fmt: skip
def test_values_of_nodes(
    engine: Engine, tmp_path: Path, iterator: str, values: str, expected: list[tuple[str, str, str]]
) -> None:
    (tmp_path / "a.xml").write_text(SHELVES)
    made = _mapped(engine, tmp_path, iterator, values)
    assert _values(made) == expected
    assert made.quarantined == []


@pytest.mark.parametrize(
    ("iterator", "value", "expected"),
    [
        ("/lib/shelf/@id", ".", ["a", "b"]),
        ("//name/text()", "normalize-space(.)", ["L"]),
        ("//name/text()", "@id", []),
        ("//comment()", ".", ["c"]),
        ("/lib", "comment()", ["c"]),
        ("/lib", "processing-instruction()", ["data"]),
        ("/lib", "namespace::*", ["http://example.com/d", "http://www.w3.org/XML/1998/namespace"]),
    ],
)
def test_nodes_that_are_no_elements(
    engine: Engine, tmp_path: Path, iterator: str, value: str, expected: list[str]
) -> None:
    (tmp_path / "a.xml").write_text(SHELVES.replace("<name>", "<!--c--><?pi data?><name>"))
    mapping = f"""<#m> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "a.xml" ];
        rml:iterator "{iterator}"; rml:referenceFormulation rml:XPath ]; rml:subjectMap [ rml:constant ex:s ];
      rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference "{value}" ] ] ."""
    made = engine(parse_mapping(PREFIXES + mapping, directory=tmp_path))
    assert sorted(o.strip('"') for _, _, o, _ in made.quads) == expected


@pytest.mark.parametrize(
    ("iterator", "value", "message"),
    [
        ("count(//shelf)", "@id", "the iterator 'count.//shelf.' has a value"),
        ("string(//name)", "@id", "the iterator 'string.//name.' has a value"),
        ("//shelf/@id", "../book", "leads out of a node that is no element"),
    ],
)
def test_an_iterator_that_gives_no_rows_is_refused(
    engine: Engine, tmp_path: Path, iterator: str, value: str, message: str
) -> None:
    (tmp_path / "a.xml").write_text(SHELVES)
    with pytest.raises(MappingError, match=message):
        _mapped(engine, tmp_path, iterator, value)


def test_a_document_read_in_parts_gives_what_the_whole_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_batches, "_NODES", 7)
    books = "".join(f'<book id="{n}"><title>t{n}</title>{"<by>q</by>" * (n % 3)}</book> text ' for n in range(100))
    with gzip.open(tmp_path / "a.xml.gz", "wt") as file:
        file.write(f"<lib><!-- book -->{books}</lib>")
    engine = ArrowEngine()
    in_parts = _mapped(engine, tmp_path, "/lib/book", "title|by", "a.xml.gz")
    whole = _mapped(engine, tmp_path, "/lib/book[true()]", "title|by", "a.xml.gz")
    assert _values(in_parts) == _values(whole)
    assert len(in_parts.quads) == 100 + 99
    assert in_parts.rows == {"a.xml.gz": 100}


@pytest.mark.parametrize("iterator", ["/lib/shelf", "//shelf"])
@pytest.mark.parametrize("text", ["\n", "<lib><shelf id='a'>", "<lib>&undeclared;</lib>", "<lib>\x00</lib>", "{}"])
def test_a_malformed_document_is_in_quarantine(engine: Engine, tmp_path: Path, iterator: str, text: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    made = _mapped(engine, tmp_path, iterator, "@id")
    assert made.reasons == {"malformed XML": 1}
    assert made.quads == []


@pytest.mark.parametrize("iterator", ["/lib/shelf", "//shelf"])
@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY e SYSTEM "secret.txt">', '<!ENTITY e SYSTEM "file:///etc/passwd">',
        '<!ENTITY e SYSTEM "http://127.0.0.1:9/x">', '<!ENTITY % e SYSTEM "secret.dtd"> %e;',
        '<!ENTITY a "0123456789"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">' + "".join(
            f'<!ENTITY {y} "{f"&{x};" * 10}">' for x, y in zip("bcdfghi", "cdfghie", strict=True)),
    ],
)  # fmt: skip
def test_a_document_loads_nothing_and_does_not_explode(
    engine: Engine, tmp_path: Path, iterator: str, declared: str
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "secret.dtd").write_text('<!ENTITY e "secret">')
    (tmp_path / "a.xml").write_text(f'<!DOCTYPE lib [{declared}]><lib><shelf id="a"><n>&e;</n></shelf></lib>')
    made = _mapped(engine, tmp_path, iterator, "n")
    assert all("secret" not in o and "root:" not in o and len(o) < 1_000 for _, _, o, _ in made.quads)
    assert made.rows == {"a.xml": 1}


@pytest.mark.parametrize("path", ["a[", "unknown:b", "document('x')", "a/"])
def test_what_is_no_xpath_is_refused(engine: Engine, tmp_path: Path, path: str) -> None:
    (tmp_path / "a.xml").write_text(SHELVES)
    with pytest.raises(MappingError, match="not an XPath"):
        _mapped(engine, tmp_path, "/lib/shelf", path.replace("'", '"'))


def test_a_row_in_quarantine_is_its_node(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<lib><shelf id=""><n>1</n></shelf></lib>')
    made = _mapped(engine, tmp_path, "/lib/shelf", "n")
    assert [one.row for one in made.quarantined] == ['{"text":"<shelf id=\\"\\"><n>1</n></shelf>"}']


def test_an_empty_file_is_no_document(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.xml").write_text("<lib><shelf id='a'><n>1</n></shelf></lib>")
    (tmp_path / "parts" / "b.xml").write_text("")
    made = _mapped(engine, tmp_path, "/lib/shelf", "n", "parts")
    assert (_values(made), made.quarantined) == ([("a", "p0", "1")], [])
