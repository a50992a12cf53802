"""Mapping documents of strangers: a mapping, or one error in one line that names the file and the place in it.

Would catch an error of Python's or of a library's own in the place of ours, and a hang.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

from kgreason.errors import MappingError
from kgreason_mapping.documents import Mapping, read_mapping
from tests.errors.hostile import DEEP, MOST_SECONDS, Content, check

pytestmark = pytest.mark.slow

LONG = 10 << 20
MANY = 10_000
LESS_DEEP = 10_000
PREFIXES = """
@prefix rml: <http://w3id.org/rml/> .
@prefix csvw: <http://www.w3.org/ns/csvw#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/> .
"""
SOURCE = "rml:logicalSource [ rml:source 'a.csv' ]"
SUBJECT = "rml:subjectMap [ rml:template 'http://example.org/{id}' ]"


def document(*statements: str) -> str:
    return PREFIXES + "\n".join(statements)


def with_source(source: str) -> str:
    return document(f"<#m> rml:logicalSource [ rml:source {source} ]; {SUBJECT} .")


def with_dialect(dialect: str) -> str:
    return with_source(f"[ csvw:url 'a'; csvw:dialect [ {dialect} ] ]")


def with_object(object_map: str, *more: str) -> str:
    pairs = f"rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap {object_map} ]"
    return document(f"<#m> {SOURCE}; {SUBJECT}; {pairs} .", *more)


def parents(names: list[str]) -> Iterator[str]:
    """Triples maps of which each is the parent of the one before."""
    for name, parent in pairwise(names):
        pairs = f"rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:parentTriplesMap <#{parent}> ] ]"
        yield f"<#{name}> {SOURCE}; {SUBJECT}; {pairs} ."


USABLE: dict[str, str] = {
    "cyclic parents": document(*parents([*(f"m{n}" for n in range(100)), "m0"])),
    "parent of itself": with_object("[ rml:parentTriplesMap <#m> ]"),
    "chain of parents": document(*parents([f"m{n}" for n in range(5000)]), f"<#m4999> {SOURCE}; {SUBJECT} ."),
    "many blank nodes": document(
        f"<#m> {SOURCE}; {SUBJECT} .",
        *("<#m> rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:termType rml:BlankNode ] ] ." * MANY,),
    ),
    "many other statements": document(f"<#m> {SOURCE}; {SUBJECT} .", *(f"<#x{n}> ex:p {n} ." for n in range(MANY))),
    "long template": with_object(f"[ rml:template '{'x' * LONG}{{a}}' ]"),
    "template of escapes": with_object("[ rml:template '" + r"\\{" * 500_000 + "' ]"),
    "NUL in a template": with_object(r"[ rml:template 'a\u0000{b}' ]"),
    "language of itself": with_object("<#o>", "<#o> rml:reference 'a'; rml:languageMap <#o> ."),
    "join condition of itself": with_object(
        "[ rml:parentTriplesMap <#m>; rml:joinCondition <#j> ]",
        "<#j> rml:childMap <#j>; rml:parentMap <#j>; rml:reference 'a' .",
    ),
    "source of itself": document(f"<#m> rml:logicalSource <#m>; rml:source <#m>; {SUBJECT} ."),
}
UNUSABLE: dict[str, Content] = {
    "deep blank nodes": with_object("[ rml:objectMap " * DEEP + "1" + " ]" * DEEP),
    "deep predicate-object maps": document(
        f"<#m> {SOURCE}; {SUBJECT}; rml:predicateObjectMap "
        + "[ rml:predicate ex:p; rml:object ex:o; rml:predicateObjectMap " * LESS_DEEP
        + "1"
        + " ]" * LESS_DEEP
        + " ."
    ),
    "deep datatypes": with_object("[ rml:reference 'a'; rml:datatypeMap " * LESS_DEEP + "1" + " ]" * LESS_DEEP),
    "deep join conditions": with_object(
        "[ rml:parentTriplesMap <#m>; rml:joinCondition "
        + "[ rml:childMap " * LESS_DEEP
        + "1"
        + " ]" * LESS_DEEP
        + " ]"
    ),
    "deep lists": document(f"<#m> {SOURCE}; rml:subjectMap " + "( " * LESS_DEEP + ")" * LESS_DEEP + " ."),
    "open blank nodes": document("<#m> rml:subjectMap " + "[ rml:a " * DEEP),
    "datatype of itself": with_object("<#o>", "<#o> rml:reference 'a'; rml:datatypeMap <#o> ."),
    "template of many references": with_object(f"[ rml:template '{'{a}' * 500_000}' ]"),
    "long template with a brace": with_object(f"[ rml:template '{'x' * LONG}}}' ]"),
    "many open braces": with_object("[ rml:template '" + "{" * LONG + "' ]"),
    "surrogate in a template": with_object(r"[ rml:template '\ud800{a}' ]"),
    "template that is an IRI": with_object("[ rml:template ex:a ]"),
    "reference that is a node": with_object("[ rml:reference [] ]"),
    "subject map that is a number": document(f"<#m> {SOURCE}; rml:subjectMap 1 ."),
    "source that is a number": document(f"<#m> rml:logicalSource 1; {SUBJECT} ."),
    "parent that is text": with_object("[ rml:parentTriplesMap 'm' ]"),
    "constant that is a triple": with_object("[ rml:constant <<( <a:s> <a:p> <a:o> )>> ]"),
    "class that is a number": document(f"<#m> {SOURCE}; rml:subjectMap [ rml:reference 'a'; rml:class 1 ] ."),
    "long language": with_object(f"[ rml:reference 'a'; rml:language '{'a-' * 1_000_000}' ]"),
    "NUL in a language": with_object(r"[ rml:reference 'a'; rml:language 'a\u0000' ]"),
    "delimiter that ends lines": with_dialect(r"csvw:delimiter '\n'"),
    "delimiter that quotes": with_dialect("csvw:delimiter '\"'"),
    "delimiter that escapes": with_dialect(r"csvw:delimiter '\\'; csvw:doubleQuote false"),
    "quotation mark that ends lines": with_dialect(r"csvw:quoteChar '\r'"),
    "quotation mark that escapes": with_dialect(r"csvw:quoteChar '\\'; csvw:doubleQuote false"),
    "number of lines": with_dialect(f"csvw:skipRows {'9' * 1_000_000}"),
    "NUL in an encoding": with_source(r"[ rml:path 'a'; rml:encoding 'utf\u00008' ]"),
    "long encoding": with_source(f"[ rml:path 'a'; rml:encoding '{'x' * LONG}' ]"),
    "encoding of bytes": with_source("[ rml:path 'a'; rml:encoding 'hex' ]"),
    "encoding of text": with_source("[ rml:path 'a'; rml:encoding 'rot13' ]"),
    "encoding of nothing": with_source("[ rml:path 'a'; rml:encoding 'undefined' ]"),
    "long name": document(f"<#{'m' * LONG}> {SOURCE} ."),
    "many subject maps": document(f"<#m> {SOURCE} .", "<#m> rml:subjectMap [ rml:reference 'a' ] ." * MANY),
    "nothing": b"",
    "NULs": b"\0" * 100_000,
    "UTF-16": document(f"<#m> {SOURCE}; {SUBJECT} .").encode("utf-16"),
    "invalid UTF-8": document(f"<#m> {SOURCE} .").encode() + b"<#m> rml:subject '\xff' .",
    "surrogate": document(f"<#m> {SOURCE}; rml:subject '\ud800' ."),
    "byte order mark in the middle": document(f"<#m> \ufeff {SOURCE}; {SUBJECT} ."),
    "line end in a name": document(rf"<#m\u000a> {SOURCE}; {SUBJECT} ."),
    "another language": '<?xml version="1.0"?><rdf/>',
}


def read(path: Path, content: Content) -> Mapping:
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    begin = process_time()
    try:
        return read_mapping(path)
    finally:
        assert process_time() - begin < MOST_SECONDS


@pytest.mark.parametrize("name", USABLE)
def test_document_is_read(name: str, tmp_path: Path) -> None:
    assert read(tmp_path / "hostile.ttl", USABLE[name]).triples_maps


@pytest.mark.parametrize("name", UNUSABLE)
def test_document_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    with pytest.raises(MappingError) as raised:
        read(tmp_path / "hostile.ttl", UNUSABLE[name])

    check(raised.value, "hostile.ttl")
