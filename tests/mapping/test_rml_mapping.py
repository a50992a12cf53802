"""Mapping documents that cannot be used: one clear error that names the triples map and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.errors import LoadError, MappingError
from kgreason_mapping.documents import parse_mapping, read_mapping
from kgreason_mapping.documents.mapping_model import Reference
from kgreason_mapping.documents.string_templates import TemplateSyntaxError, parse_template
from tests.mapping.engines import Engine
from tests.mapping.rml import PREFIXES, mapping_text

SOURCE = "rml:logicalSource [ rml:source 'a.csv' ]"
SUBJECT = "rml:subjectMap [ rml:template 'http://ex.org/{id}' ]"


def _object(object_map: str) -> str:
    return f"<#m> {SOURCE}; {SUBJECT}; rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ {object_map} ] ] ."


BAD = {
    "no logical source": (f"<#m> {SUBJECT} .", "it has no logical source"),
    "two logical sources": (f"<#m> {SOURCE}, [ rml:source 'b.csv' ]; {SUBJECT} .", "two logical sources"),
    "source without a path": (f"<#m> rml:logicalSource [ rml:source [] ]; {SUBJECT} .", "no rml:path"),
    "no source": (f"<#m> rml:logicalSource []; {SUBJECT} .", "no rml:source"),
    "formulation": (f"<#m> rml:logicalSource [ rml:source 'a.html'; rml:referenceFormulation rml:CSS3 ]; "
    f"{SUBJECT} .", "XPath or Parquet"),
    "namespace": (f"<#m> rml:logicalSource [ rml:source 'a.xml'; rml:iterator '/a'; rml:referenceFormulation "
    f"[ a rml:XPathReferenceFormulation; rml:namespace [ rml:namespacePrefix 'a' ] ] ]; {SUBJECT} .",
    "lacks its prefix"),
    "two queries": (f"<#m> rr:logicalTable [ rr:sqlQuery 'SELECT 1', 'SELECT 2' ]; {SUBJECT} .", "more than one table"),
    "no query": (f"<#m> rml:logicalSource [ rml:source <#db>; rml:referenceFormulation rml:SQL2008Query ]; {SUBJECT} .",
                 "no table and no query"),
    "SQL version": (f"<#m> rr:logicalTable [ rr:tableName 't'; rr:sqlVersion rr:SQL1066 ]; {SUBJECT} .", "SQL1066"),
    "archive": (
        f"<#m> rml:logicalSource [ rml:source [ rml:path 'a.zip'; rml:compression rml:zip ] ]; {SUBJECT} .", "unpack",
    ),
    "dialect": (
        f"<#m> rml:logicalSource [ rml:source [ csvw:url 'a'; csvw:dialect [ csvw:delimiter ';;' ] ] ]; {SUBJECT} .",
        "one character",
    ),
    "property of a dialect": (
        f"<#m> rml:logicalSource [ rml:source [ csvw:url 'a'; csvw:dialect [ csvw:skipColumns 2 ] ] ]; {SUBJECT} .",
        "'2' for csvw:skipColumns, which is not supported",
    ),
    "value of a dialect": (
        f"<#m> rml:logicalSource [ rml:source [ csvw:url 'a'; csvw:dialect [ csvw:trim 'x' ] ] ]; {SUBJECT} .",
        "'x' for csvw:trim",
    ),
    "encoding": (
        f"<#m> rml:logicalSource [ rml:source [ rml:path 'a'; rml:encoding rml:UTF-99 ] ]; {SUBJECT} .", "unknown",
    ),
    "no subject map": (f"<#m> {SOURCE}; rml:predicateObjectMap [ rml:predicate ex:p; rml:object ex:o ] .", "has none"),
    "two subject maps": (f"<#m> {SOURCE}; {SUBJECT}; rml:subject ex:s .", "has 2"),
    "literal subject": (f"<#m> {SOURCE}; rml:subjectMap [ rml:reference 'a'; rml:termType rml:Literal ] .", "literal"),
    "constant literal subject": (f"<#m> {SOURCE}; rml:subject 's' .", "makes a literal"),
    "blank node as predicate": (
        f"<#m> {SOURCE}; {SUBJECT}; rml:predicateObjectMap [ rml:object ex:o;"
        " rml:predicateMap [ rml:reference 'a'; rml:termType rml:BlankNode ] ] .", "makes a blank node",
    ),
    "blank node as constant": (f"<#m> {SOURCE}; rml:subject [] .", "cannot be a blank node"),
    "literal graph": (f"<#m> {SOURCE}; rml:subjectMap [ rml:reference 'a'; rml:graph 'g' ] .", "cannot be a graph"),
    "class that is no IRI": (f"<#m> {SOURCE}; rml:subjectMap [ rml:reference 'a'; rml:class 'C' ] .", "not an IRI"),
    "no predicate": (f"<#m> {SOURCE}; {SUBJECT}; rml:predicateObjectMap [ rml:object ex:o ] .", "has no predicate"),
    "no object": (f"<#m> {SOURCE}; {SUBJECT}; rml:predicateObjectMap [ rml:predicate ex:p ] .", "has no object"),
    "two expressions": (_object("rml:reference 'a'; rml:constant 'b'"), "has 2"),
    "no expression": (_object("rml:termType rml:IRI"), "has 0"),
    "unknown term type": (_object("rml:reference 'a'; rml:termType rml:Iri"), "not a term type"),
    "language and datatype": (_object("rml:reference 'a'; rml:language 'en'; rml:datatype xsd:date"), "both"),
    "datatype of an IRI": (_object("rml:reference 'a'; rml:termType rml:IRI; rml:datatype xsd:date"), "no literals"),
    "language tag": (_object("rml:reference 'a'; rml:language 'a-english'"), "not a language tag"),
    "language of a constant IRI": (_object("rml:constant ex:a; rml:language 'en'"), "beside the constant"),
    "language of a typed constant": (_object("rml:constant 1; rml:language 'en'"), "expected a constant that is"),
    "literal datatype": (_object("rml:reference 'a'; rml:datatype 'date'"), "cannot be a datatype"),
    "nested braces": (_object("rml:template 'a{{b}}'"), "at character 3"),
    "open brace": (_object("rml:template 'a{b'"), "not closed"),
    "closed brace": (_object("rml:template 'ab}'"), "at character 3"),
    "backslash": (_object(r"rml:template 'a\\b'"), "at character 2"),
    "unknown parent": (_object("rml:parentTriplesMap <#other>"), "is not a triples map"),
    "no join condition": (
        _object("rml:parentTriplesMap <#n>") + f" <#n> rml:logicalSource [ rml:source 'b.csv' ]; {SUBJECT} .",
        "needs a join condition",
    ),
    "half a join condition": (_object("rml:parentTriplesMap <#m>; rml:joinCondition [ rml:child 'a' ]"), "one parent"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_mapping_names_the_triples_map_and_the_reason(name: str) -> None:
    mapping, reason = BAD[name]
    with pytest.raises(MappingError, match=reason) as raised:
        parse_mapping(PREFIXES + mapping)
    assert raised.value.triples_map == "#m"
    assert "\n" not in str(raised.value)


def test_a_document_that_is_no_mapping() -> None:
    with pytest.raises(MappingError, match="has no triples map"):
        parse_mapping(PREFIXES + "ex:a ex:b ex:c .")
    with pytest.raises(MappingError, match="the mapping:2:9: "):
        parse_mapping("<a> <b> <c> .\n<a> <b> .")
    with pytest.raises(MappingError, match=r"no such file\.ttl: cannot be read: "):
        read_mapping("no such file.ttl")


def test_templates() -> None:
    assert parse_template(r"a\{\}\\{b c}{\{d\}}").parts == ("a{}\\", Reference("b c"), Reference("{d}"))
    with pytest.raises(TemplateSyntaxError):
        parse_template("{}")


BAD_OVER_DATA = {
    "unknown column": ("'http://ex.org/{nix}'", "no column 'nix'; it has id, name"),
    "invalid IRIs": ("'http://ex.org/ {id}'", "makes no valid IRIs"),
    "relative IRIs": ("'{id}'", "there is no base IRI"),
}


@pytest.mark.parametrize("name", BAD_OVER_DATA)
def test_a_mapping_that_does_not_fit_its_source(name: str, engine: Engine, tmp_path: Path) -> None:
    template, reason = BAD_OVER_DATA[name]
    (tmp_path / "a.csv").write_text("id,name\n1,x\n")
    mapping = parse_mapping(
        f"{PREFIXES} <#m> {SOURCE}; rml:subjectMap [ rml:template {template} ] .", directory=tmp_path
    )
    with pytest.raises(MappingError, match=reason) as raised:
        engine(mapping)
    assert raised.value.triples_map == "#m"


@pytest.mark.parametrize("path", ["$.a[?(@.b)]", "$..a", "$.a[1:2]", "$.a]", "$.a b", "a b.c"])
def test_a_path_that_has_no_meaning_for_a_row(path: str, engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"t": []}')
    text = mapping_text(f'<#m> rml:logicalSource %t; rml:subjectMap [ rml:reference "{path}" ] .', "json")
    with pytest.raises(MappingError, match="is not a JSONPath"):
        engine(parse_mapping(text, directory=tmp_path))


def test_a_name_with_spaces_is_a_path(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"t": [{"Country Code": "http://example.com/BO"}]}')
    subject = "rml:subjectMap [ rml:reference 'Country Code'; rml:class ex:C ]"
    text = mapping_text(f"<#m> rml:logicalSource %t; {subject} .", "json")
    (quad,) = engine(parse_mapping(text, directory=tmp_path)).quads
    assert quad[0] == "http://example.com/BO"


def test_sources_that_cannot_be_read(engine: Engine, tmp_path: Path) -> None:
    def error(source: str) -> str:
        with pytest.raises((LoadError, MappingError)) as raised:
            engine(
                parse_mapping(f"{PREFIXES} <#m> rml:logicalSource [ {source} ]; {SUBJECT} .", directory=tmp_path),
            )
        return str(raised.value)

    (tmp_path / "twice.csv").write_text("id,x,ID\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "a.dat").write_text("id\n")
    parts = tmp_path / "parts.csv"
    parts.mkdir()
    (parts / "1.csv").write_text("id,a\n1,2\n")
    (parts / "2.csv").write_text("id,b\n1,2\n")
    assert "no such file or directory" in error("rml:source 'none.csv'")
    assert "names the column 'id' twice" in error("rml:source 'twice.csv'")
    assert "there is no header" in error("rml:source 'empty.csv'")
    assert "neither the mapping nor the name tells the format" in error("rml:source 'a.dat'")
    assert "and not with the header" in error("rml:source 'parts.csv'")
    utf16 = "rml:source [ rml:path 'a.json'; rml:encoding rml:UTF-16 ]; rml:referenceFormulation rml:JSONPath"
    assert "JSON is in UTF-8" in error(utf16)
    assert "no input is named 't'" in error("rr:tableName 't'")


def test_a_constant_mapping_needs_no_source(engine: Engine) -> None:
    mapping = parse_mapping(PREFIXES + "<#m> rml:subjectMap [ rml:constant ex:s; rml:class ex:C ] .")
    made = engine(mapping)
    assert [quad[0] for quad in made.quads] == ["http://example.com/s"]
