"""Rows and terms that cannot be triples: each in quarantine with its reason, and all that is good beside it kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgreason.rdf.vocabulary import XSD_INTEGER
from kgreason_mapping import quarantine_reasons as R
from kgreason_mapping.documents import parse_mapping
from tests.mapping.engines import Engine, Mapped
from tests.mapping.rml import PREFIXES

MAPPING = """
<#thing> rml:logicalSource @SOURCE;
  rml:subjectMap [ rml:reference 'id'; rml:graphMap [ rml:reference 'graph' ] ];
  rml:predicateObjectMap [ rml:predicate ex:ok; rml:object ex:yes ],
    [ rml:predicate ex:iri; rml:objectMap [ rml:reference 'iri'; rml:termType rml:IRI ] ],
    [ rml:predicate ex:dept; rml:objectMap [ rml:template 'http://example.com/dept/{dept}' ] ],
    [ rml:predicateMap [ rml:reference 'property' ]; rml:object 'value' ],
    [ rml:predicate ex:born; rml:objectMap [ rml:reference 'born'; rml:datatype xsd:date ] ],
    [ rml:predicate ex:byte; rml:objectMap [ rml:reference 'byte'; rml:datatype xsd:byte ] ],
    [ rml:predicate ex:label; rml:objectMap [ rml:reference 'label'; rml:languageMap [ rml:reference 'lang' ] ] ],
    [ rml:predicate ex:typed; rml:objectMap [ rml:reference 'label'; rml:datatypeMap [ rml:reference 'type' ] ] ] .
"""

COLUMNS = ("id", "graph", "iri", "dept", "property", "born", "byte", "label", "lang", "type")
GOOD = {
    "id": "http://ex.org/s", "graph": "http://ex.org/g", "iri": "http://[::1]:80/%41?a#b", "dept": "d1",
    "property": "http://ex.org/p", "born": "2020-02-29", "byte": "-128", "label": "word", "lang": "en",
    "type": "http://www.w3.org/2001/XMLSchema#token",
}  # fmt: skip

BAD_TERMS = [
    ("id", "http://ex.org/a b", R.INVALID_IRI, "subject: http://ex.org/a b"),
    ("id", "", R.EMPTY_VALUE, "subject: "),
    ("id", "no/scheme", R.RELATIVE_IRI, "subject: no/scheme"),
    ("graph", "http://ex.org/<g>", R.INVALID_IRI, "graph: http://ex.org/<g>"),
    ("iri", "http://ex.org/%zz", R.INVALID_IRI, "object of <http://example.com/iri>: http://ex.org/%zz"),
    ("iri", "http://ex.org/a#b#c", R.INVALID_IRI, "object of <http://example.com/iri>: http://ex.org/a#b#c"),
    ("iri", "page.html", R.RELATIVE_IRI, "object of <http://example.com/iri>: page.html"),
    ("dept", "", R.EMPTY_VALUE, "object of <http://example.com/dept>: http://example.com/dept/"),
    ("property", "http://ex.org/{p}", R.INVALID_IRI, "predicate (computed predicate): http://ex.org/{p}"),
    ("born", "2021-02-29", R.ILL_TYPED, 'object of <http://example.com/born>: "2021-02-29"^^http://www.w3.org/2001/XMLSchema#date'),
    ("born", "29.2.2020", R.ILL_TYPED, 'object of <http://example.com/born>: "29.2.2020"^^http://www.w3.org/2001/XMLSchema#date'),
    ("byte", "128", R.ILL_TYPED, 'object of <http://example.com/byte>: "128"^^http://www.w3.org/2001/XMLSchema#byte'),
    ("lang", "a-english", R.INVALID_LANGUAGE, 'object of <http://example.com/label>: "word"@a-english'),
    ("type", "http://ex.org/a|b", R.INVALID_DATATYPE, 'object of <http://example.com/typed>: "word"^^http://ex.org/a|b'),
    ("type", "http://www.w3.org/2001/XMLSchema#integer", R.ILL_TYPED,
     'object of <http://example.com/typed>: "word"^^http://www.w3.org/2001/XMLSchema#integer'),
]  # fmt: skip

TRIPLES_OF_A_GOOD_ROW = 8


def run(engine: Engine, mapping: str, directory: Path) -> Mapped:
    """What a mapping makes of the files in a folder."""
    return engine(parse_mapping(PREFIXES + mapping, directory=directory))


def csv_source(name: str) -> str:
    return f"[ rml:source '{name}'; rml:referenceFormulation rml:CSV ]"


@pytest.fixture(scope="module")
def bad_terms(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Mapped:
    """A good row and a row for each bad term, whose subjects tell the rows apart."""
    directory = tmp_path_factory.mktemp("terms")
    lines = [",".join(COLUMNS), ",".join(GOOD.values())]
    for number, (column, value, _, _) in enumerate(BAD_TERMS):
        row = {**GOOD, "id": f"http://ex.org/{number}", column: value}
        lines.append(",".join(f'"{row[one]}"' for one in COLUMNS))
    (directory / "things.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run(engine, MAPPING.replace("@SOURCE", csv_source("things.csv")), directory)


@pytest.mark.parametrize("number", range(len(BAD_TERMS)), ids=[f"{one[0]}={one[1]}" for one in BAD_TERMS])
def test_a_bad_term_is_in_quarantine_and_takes_only_its_own_triples_along(bad_terms: Mapped, number: int) -> None:
    column, value, reason, detail = BAD_TERMS[number]
    found = [one for one in bad_terms.quarantined if one.detail == detail]
    assert [(one.reason, one.source, one.triples_map) for one in found] == [(reason, "things.csv", "#thing")]
    assert f'"{column}":"{value}"' in found[0].row
    kept = [one for one in bad_terms.quads if one[0] == f"http://ex.org/{number}"]
    lost = {"id": TRIPLES_OF_A_GOOD_ROW, "graph": TRIPLES_OF_A_GOOD_ROW}.get(column, 1)
    assert len(kept) == TRIPLES_OF_A_GOOD_ROW - lost


def test_a_good_row_makes_all_its_triples(bad_terms: Mapped) -> None:
    kept = {(p, o, g) for s, p, o, g in bad_terms.quads if s == GOOD["id"]}
    assert len(kept) == TRIPLES_OF_A_GOOD_ROW
    assert {graph for _, _, graph in kept} == {GOOD["graph"]}
    assert ("http://example.com/typed", '"word"^^' + GOOD["type"], GOOD["graph"]) in kept


def test_nothing_is_uncounted(bad_terms: Mapped) -> None:
    assert bad_terms.rows == {"things.csv": len(BAD_TERMS) + 1}
    expected = [reason for _, _, reason, _ in BAD_TERMS]
    assert bad_terms.reasons == {reason: expected.count(reason) for reason in expected}
    assert bad_terms.without_subject == {}
    assert len(bad_terms.quarantined) == len(BAD_TERMS)


SIMPLE = """<#m> rml:logicalSource @SOURCE; rml:subjectMap [ rml:template 'http://ex.org/{id}' ];
  rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference 'name' ] ] ."""


def test_malformed_csv_rows(engine: Engine, tmp_path: Path) -> None:
    good = b'1,a\n2,"b, ""c"""\n\n3,5"6\n'
    bad = {
        b"4": R.FIELD_COUNT,
        b"5,a,b": R.FIELD_COUNT,
        b'6,"a"b': R.MISPLACED_QUOTE,
        b"7,\xff": R.INVALID_UTF8,
    }
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfid,name\n" + good + b"\r\n".join(bad))
    made = run(engine, SIMPLE.replace("@SOURCE", csv_source("a.csv")), tmp_path)
    assert {(s, o) for s, _, o, _ in made.quads} == {
        ("http://ex.org/1", '"a"'), ("http://ex.org/2", '"b, "c""'), ("http://ex.org/3", '"5"6"'),
    }  # fmt: skip
    assert sorted(one.reason for one in made.quarantined) == sorted(bad.values())
    assert all(one.triples_map is None and one.row.startswith('{"text":"') for one in made.quarantined)
    assert made.rows == {"a.csv": 7}
    assert made.reasons == {R.FIELD_COUNT: 2, R.MISPLACED_QUOTE: 1, R.INVALID_UTF8: 1}


def test_malformed_json_lines_and_values_that_are_none(engine: Engine, tmp_path: Path) -> None:
    lines = [
        b'{"id": 1, "name": "a"}',
        b'{"id": 2, "name": ',
        b'{"id": 3, "id": 4}',
        b'{"id": {"x": 1}, "name": "c"}',
        b'{"id": 5, "name": {"x": 1}}',
        b'{"id": 6, "name": ["d", "e"]}',
        b'{"name": "nobody"}',
        b'{"id": 7, "name": "\xff"}',
    ]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    source = "[ rml:source 'a.jsonl'; rml:referenceFormulation rml:JSONPath ]"
    made = run(engine, SIMPLE.replace("@SOURCE", source), tmp_path)
    assert {(s, o) for s, _, o, _ in made.quads} == {("http://ex.org/1", '"a"')}
    assert made.reasons == {R.MALFORMED_JSON: 2, R.NOT_SCALAR: 3, R.INVALID_UTF8: 1}
    assert made.without_subject == {"#m": 1}
    assert made.rows == {"a.jsonl": 8}


def test_a_malformed_document_is_one_row(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text('{"x": [{"id": 1, "name": "a"}]}')
    (tmp_path / "bad.json").write_text('{"x": [{"id": 1, "name": "a"}')
    source = "[ rml:source '*.json'; rml:referenceFormulation rml:JSONPath; rml:iterator '$.x[*]' ]"
    made = run(engine, SIMPLE.replace("@SOURCE", source), tmp_path)
    assert len(made.quads) == 1
    assert [(one.reason, one.source) for one in made.quarantined] == [(R.MALFORMED_JSON, "*.json")]


def test_values_that_joins_cannot_compare(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "of": {"x": 2}}\n{"id": 2, "of": 1}\n')
    source = "[ rml:source 'a.jsonl'; rml:referenceFormulation rml:JSONPath ]"
    mapping = f"""<#m> rml:logicalSource {source}; rml:subjectMap [ rml:template 'http://ex.org/{{id}}' ];
      rml:predicateObjectMap [ rml:predicate ex:of; rml:objectMap [
        rml:parentTriplesMap <#m>; rml:joinCondition [ rml:child 'of'; rml:parent 'id' ] ] ] ."""
    made = run(engine, mapping, tmp_path)
    assert [(s, o) for s, _, o, _ in made.quads] == [("http://ex.org/2", "http://ex.org/1")]
    assert [(one.reason, one.detail) for one in made.quarantined] == [(R.NOT_SCALAR, 'join condition: {"x":2}')]


def test_a_line_feed_at_the_end_is_seen(engine: Engine, tmp_path: Path) -> None:
    """Where a regular expression ends in a dollar sign, it may follow."""
    row = {"id": "1\n", "iri": "http://ex.org/a\n", "n": "5\n", "tag": "en\n"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    mapping = """<#m> rml:logicalSource [ rml:source 'a.jsonl'; rml:referenceFormulation rml:JSONPath ];
      rml:subjectMap [ rml:template 'http://ex.org/{id}' ]; rml:predicateObjectMap
        [ rml:predicate ex:blank; rml:objectMap [ rml:reference 'id'; rml:termType rml:BlankNode ] ],
        [ rml:predicate ex:iri; rml:objectMap [ rml:reference 'iri'; rml:termType rml:IRI ] ],
        [ rml:predicate ex:n; rml:objectMap [ rml:reference 'n'; rml:datatype xsd:integer ] ],
        [ rml:predicate ex:tag; rml:objectMap [ rml:reference 'n'; rml:languageMap [ rml:reference 'tag' ] ] ] ."""
    made = run(engine, mapping, tmp_path)
    assert [(s, o) for s, _, o, _ in made.quads] == [("http://ex.org/1%0A", "_:1_0A")]
    assert sorted(one.reason for one in made.quarantined) == sorted((R.INVALID_IRI, R.ILL_TYPED, R.INVALID_LANGUAGE))


def test_a_long_iri_takes_no_stack(engine: Engine, tmp_path: Path) -> None:
    iri = "http://ex.org/" + "a%20" * 100_000
    (tmp_path / "a.csv").write_text(f"id\n{iri}\n")
    mapping = f"<#m> rml:logicalSource {csv_source('a.csv')}; rml:subjectMap [ rml:reference 'id'; rml:class ex:C ] ."
    assert [quad[0] for quad in run(engine, mapping, tmp_path).quads] == [iri]


def test_every_reason_is_tested() -> None:
    elsewhere = {
        R.FIELD_COUNT, R.OPEN_QUOTE, R.MISPLACED_QUOTE, R.INVALID_UTF8, R.MALFORMED_JSON, R.MALFORMED_XML, R.NOT_SCALAR,
        R.FUNCTION_INPUT,
    }  # fmt: skip
    assert {reason for _, _, reason, _ in BAD_TERMS} | elsewhere == set(R.REASONS) - {R.LARGE_JSON}


def test_an_array_or_an_object_where_a_value_is_referred_to(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "name": [1, 2]}\n{"id": [3], "name": "x"}\n{"id": 4, "name": []}\n')
    source = "[ rml:source 'a.jsonl'; rml:referenceFormulation rml:JSONPath ]"
    made = run(engine, SIMPLE.replace("@SOURCE", source), tmp_path)
    assert made.quads == []
    assert made.reasons == {R.NOT_SCALAR: 3}
    name = "object of <http://example.com/p>: "
    details = {one.detail.replace('"', "") for one in made.quarantined}
    assert details == {f"{name}[1,2]", f"{name}[]", "subject: http://ex.org/%5B3%5D"}
    assert quads_of_elements(engine, source, tmp_path) == {'"1"^^' + XSD_INTEGER, '"2"^^' + XSD_INTEGER, '"x"'}


def quads_of_elements(engine: Engine, source: str, directory: Path) -> set[str]:
    """The objects when the mapping refers to the elements, or to a value where there is one."""
    mapping = SIMPLE.replace("@SOURCE", source).replace("rml:template 'http://ex.org/{id}'", "rml:constant ex:s")
    mapping = mapping.replace("rml:reference 'name' ]", "rml:reference 'name[*]' ], [ rml:reference 'name' ]")
    return {quad[2] for quad in run(engine, mapping, directory).quads}
