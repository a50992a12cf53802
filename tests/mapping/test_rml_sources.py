"""Where rows come from beside plain CSV and JSON documents: JSON lines, dialects, encodings, vocabularies."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import pytest

from kgreason.errors import LoadError, OptionError
from kgreason_mapping.documents import parse_mapping
from tests.mapping.engines import Engine
from tests.mapping.rml import PREFIXES, quads_of

S, P = "http://ex.org/1", "http://example.com/p"
VALUE = "rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference '@' ] ] ."
SUBJECT = "rml:subjectMap [ rml:template 'http://ex.org/{id}' ]"


def _mapping(source: str, reference: str = "name") -> str:
    return f"<#m> rml:logicalSource [ {source} ]; {SUBJECT}; " + VALUE.replace("@", reference)


def test_rml_of_before_the_community_group(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text('{"people": [{"id": 1, "name": "Ada"}]}')
    mapping = """<#m> old:logicalSource [ old:source 'people.json'; old:referenceFormulation ql:JSONPath;
      old:iterator '$.people[*]' ];
      rr:subjectMap [ rr:template 'http://ex.org/{id}' ];
      rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ old:reference 'name';
        old:languageMap [ rr:constant 'en' ] ] ] ."""
    assert quads_of(engine, mapping, directory=tmp_path) == {(S, P, '"Ada"@en', None)}


def test_json_lines_compressed_and_in_parts(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1, "name": "a"}\n\n'))
    assert quads_of(engine, _mapping("rml:source 'a.jsonl.gz'"), directory=tmp_path) == {
        (S, P, '"a"', None)
    }
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part-0.json").write_text('{"id": 1, "name": "a"}\n{"id": 1, "name": "b"}\n')
    source = "rml:source 'parts'; rml:referenceFormulation rml:JSONPath"
    made = quads_of(engine, _mapping(source), directory=tmp_path)
    assert {object_ for _, _, object_, _ in made} == {'"a"', '"b"'}


def test_dialects_nulls_and_names_of_csv_columns(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id;my.name `x`\n1;'a;b'\n2;NULL\n3;\n")
    source = """rml:source [ csvw:url 'a.csv'; csvw:null 'NULL'; csvw:dialect [ csvw:delimiter ';';
      csvw:quoteChar "'" ] ];
      rml:referenceFormulation rml:CSV"""
    made = quads_of(engine, _mapping(source, "my.name `x`"), directory=tmp_path)
    assert made == {(S, P, '"a;b"', None), ("http://ex.org/3", P, '""', None)}
    (tmp_path / "b.csv").write_text("made by x\nid|name\n1|'a\\'|b\n'\n# 2|c\n")
    source = """rml:source [ csvw:url 'b.csv'; csvw:dialect [ csvw:delimiter '|'; csvw:quoteChar "'"; csvw:header true;
      csvw:doubleQuote false; csvw:skipRows 1; csvw:commentPrefix '#'; csvw:trim true; csvw:encoding 'utf-8' ] ]"""
    assert quads_of(engine, _mapping(source), directory=tmp_path) == {(S, P, '"a\'|b"', None)}
    (tmp_path / "a.tsv").write_text('id\t__row\n1\t"x"\n')
    assert quads_of(engine, _mapping("rml:source 'a.tsv'", "__row"), directory=tmp_path) == {
        (S, P, '"x"', None)
    }


def test_fields_over_several_lines_and_other_encodings(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes('id,name\n1,"é\nx"\n2,b,c\n'.encode("utf-16"))
    source = "rml:source [ rml:path 'a.csv'; rml:encoding rml:UTF-16 ]"
    made = engine(parse_mapping(PREFIXES + _mapping(source)), directory=tmp_path)
    assert made.quads == [(S, P, '"é\nx"', None)]
    assert [one.reason for one in made.quarantined] == ["CSV row with too many or too few fields"]


def test_inputs_take_the_place_of_what_the_mapping_names(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.csv"
    path.write_text("id,name\n1,a\n")
    mapping = _mapping("rml:source [ rml:path 'people.csv' ]; rml:referenceFormulation rml:CSV")
    assert quads_of(engine, mapping, {"people.csv": path}) == {(S, P, '"a"', None)}


def test_two_iterators_over_one_file_count_together(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"x": [{"id": 1}, {"id": 2}], "y": [{"id": 3}]}')
    maps = (
        f"<#{name}> rml:logicalSource [ rml:source 'a.json'; rml:iterator '$.{name}[*]' ]; {SUBJECT} ." for name in "xy"
    )
    made = engine(parse_mapping(PREFIXES + " ".join(maps), directory=tmp_path))
    assert made.rows == {"a.json": 3}


PEOPLE = """ex:m rml:logicalSource [ rml:source "people.csv" ] ;
    rml:subjectMap [ rml:template "http://e/{id}" ; rml:class ex:P ] ."""


def test_an_input_that_is_nothing_to_read_is_refused(engine: Engine) -> None:
    with pytest.raises(OptionError, match=r"the input for 'people\.csv' is a list"):
        quads_of(engine, PEOPLE, {"people.csv": [{"id": 1}]})


def test_an_input_of_another_name_is_told(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"directory; no input is named 'people\.csv', but 'poeple\.csv'"):
        quads_of(engine, PEOPLE, {"poeple.csv": "a.csv"}, directory=tmp_path)


def test_the_name_in_the_mapping_tells_the_format_of_an_input_whose_name_does_not(
    engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / "2026-11").mkdir()
    (tmp_path / "2026-11" / "part-0").write_text("id\n1\n")

    assert {s for s, *_ in quads_of(engine, PEOPLE, {"people.csv": str(tmp_path / "2026-11" / "*")})} == {"http://e/1"}


@pytest.mark.parametrize("name", ["a[1].csv", "a{1,2}.csv", "a*.csv", "a (1)?.jsonl", "a[1].json", "a[1].xml"])
def test_a_file_is_read_by_its_name_where_that_is_a_pattern_too(engine: Engine, tmp_path: Path, name: str) -> None:
    contents = {"csv": "id\n1\n", "jsonl": '{"id": 1}\n', "json": '[{"id": 1}]', "xml": "<r><x><id>1</id></x></r>"}
    iterators = {"json": "; rml:iterator '$[*]'", "xml": "; rml:iterator '/r/x'"}
    suffix = name.rpartition(".")[2]
    (tmp_path / name).write_text(contents[suffix])
    (tmp_path / f"ab (1)c.{suffix}").write_text(contents[suffix].replace("1", "2"))
    iterator = iterators.get(suffix, "")
    mapping = f"""ex:m rml:logicalSource [ rml:source "{name}"{iterator} ] ;
        rml:subjectMap [ rml:template "http://e/{{id}}" ; rml:class ex:P ] ."""

    assert [s for s, *_ in quads_of(engine, mapping, {}, directory=tmp_path)] == ["http://e/1"]


@pytest.mark.parametrize("content", ['[{"id": 1}]', "", " \n"], ids=["rows", "nothing", "blanks"])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_byte_order_mark_before_json_is_no_part_of_it(
    engine: Engine, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_bytes(codecs.BOM_UTF8 + content.encode())
    mapping = f"""ex:m rml:logicalSource [ rml:source "{name}"; rml:iterator '$[*]' ] ;
        rml:subjectMap [ rml:template "http://e/{{id}}" ; rml:class ex:P ] ."""

    expected = {"http://e/1"} if "1" in content else set()
    assert {s for s, *_ in quads_of(engine, mapping, directory=tmp_path)} == expected
