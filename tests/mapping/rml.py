"""Cases of mappings: small tables, a mapping over them, and the triples or the error that come of it.

A mapping writes `%name` for a logical source over the table `name`, which the tests hand in as CSV and as JSON.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, DefaultGraph, NamedNode, RdfFormat, parse
from pyoxigraph import Literal as OxLiteral
from pyoxigraph import Quad as OxQuad

from kgreason.access import NOTHING, Access
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.model import BlankNode as Blank
from kgreason_mapping.documents import parse_mapping
from tests.mapping.engines import Engine, Quad

BASE = "http://example.com/"

PREFIXES = """
@prefix rml: <http://w3id.org/rml/> .
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix old: <http://semweb.mmlab.be/ns/rml#> .
@prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix csvw: <http://www.w3.org/ns/csvw#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix ex: <http://example.com/> .
"""

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A mapping over tables; `expected` is TriG, where `^^INT` is dropped for CSV, whose values are all text."""

    name: str
    tables: Mapping[str, Rows]
    mapping: str
    expected: str
    formats: tuple[str, ...] = ("csv", "json")
    base: str | None = field(default=BASE)


def write_tables(tables: Mapping[str, Rows], directory: Path, form: str) -> None:
    """Each table as a CSV file, or as a JSON document with an array of its name."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        path = directory / f"{name}.{form}"
        if form == "json":
            path.write_text(json.dumps({name: list(rows)}, ensure_ascii=False), encoding="utf-8")
            continue
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]) if rows else ["Name"])
            writer.writeheader()
            writer.writerows(rows)


def mapping_text(mapping: str, form: str) -> str:
    """The mapping as Turtle over tables of a format."""

    def source(found: re.Match[str]) -> str:
        name = found[1]
        kind = "CSV" if form == "csv" else f'JSONPath; rml:iterator "$.{name}[*]"'
        null = 'rml:null ""; ' if form == "csv" else ""
        path = f'[ {null}rml:root rml:MappingDirectory; rml:path "{name}.{form}" ]'
        return f"[ rml:referenceFormulation rml:{kind}; rml:source {path} ]"

    return PREFIXES + re.sub(r"%(\w+)", source, mapping)


def case_quads(engine: Engine, case: Case, form: str, directory: Path) -> list[Quad]:
    """The quads of a case; a row in quarantine fails it."""
    write_tables(case.tables, directory, form)
    made = engine(parse_mapping(mapping_text(case.mapping, form), directory=directory), base=case.base)
    assert not made.quarantined
    return made.quads


def dataset(quads: Iterable[Sequence[str | None]]) -> Dataset:
    """Quads of dictionary keys as a canonical dataset: equal up to the names of blank nodes."""
    made = Dataset(OxQuad(*(_ox(key) for key in quad)) for quad in quads)
    made.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return made


def expected_dataset(text: str, form: str) -> Dataset:
    """The quads that a case expects of a format."""
    integers = "" if form == "csv" else "^^xsd:integer"
    made = Dataset(parse(input=PREFIXES + text.replace("^^INT", integers), format=RdfFormat.TRIG))
    made.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return made


def quads_of(
    engine: Engine,
    mapping: str,
    inputs: Mapping[str, Any] | None = None,
    *,
    directory: Path | None = None,
    base: str | None = BASE,
    access: Access = NOTHING,
) -> set[Quad]:
    """The quads that a mapping makes, of which none may be in quarantine."""
    made = engine(parse_mapping(PREFIXES + mapping), inputs=inputs, directory=directory, base=base, access=access)
    assert made.quarantined == []
    return set(made.quads)


def _ox(key: str | None) -> Any:
    if key is None:
        return DefaultGraph()
    match term_of(key):
        case IRI(value):
            return NamedNode(value)
        case Blank(label):
            return BlankNode(label)
        case Literal(lexical, datatype, language):
            kind = NamedNode(datatype) if datatype is not None else None
            return OxLiteral(lexical, datatype=kind, language=language.lower() if language else None)
