"""W3C's suites of RDF parsers, over `bulk_load` and over the ``kg-`` parsers of rdflib.

They are looked for in ``w3c-rdf-tests`` of the shared data (a folder, or the archive in it), and first of all in the
folder that the environment variable ``KGREASON_W3C_TESTS`` names, which has clones of two repositories:

    git clone https://github.com/w3c/rdf-tests && git clone https://github.com/w3c/json-ld-api
    KGREASON_W3C_TESTS=$PWD python -m pytest tests/conformance/test_parser_suites.py

A case is a document, and what it says in N-Triples or N-Quads, or whether it is to be accepted. A refused one must
raise an error of kgreason and leave nothing behind. Cases of JSON-LD 1.0, and those not normative, are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyoxigraph as ox
from rdflib import Dataset

from kgreason import ReasoningStore
from kgreason.errors import KGReasonError
from kgreason.io.readers import load_files
from tests.conformance import sparql_results as results
from tests.conformance.suite import Suite, skip_list
from tests.shared_data import shared_root, unpacked

SUITES = {
    "n-triples": ("N-Triples 1.1", "rdf11/rdf-n-triples"),
    "n-quads": ("N-Quads 1.1", "rdf11/rdf-n-quads"),
    "turtle": ("Turtle 1.1", "rdf11/rdf-turtle"),
    "trig": ("TriG 1.1", "rdf11/rdf-trig"),
    "rdf-xml": ("RDF/XML 1.1", "rdf11/rdf-xml"),
    "n-triples-1.2": ("N-Triples 1.2", "rdf12/rdf-n-triples/syntax"),
    "n-triples-1.2-c14n": ("N-Triples 1.2, canonical", "rdf12/rdf-n-triples/c14n"),
    "n-quads-1.2": ("N-Quads 1.2", "rdf12/rdf-n-quads/syntax"),
    "n-quads-1.2-c14n": ("N-Quads 1.2, canonical", "rdf12/rdf-n-quads/c14n"),
    "turtle-1.2-syntax": ("Turtle 1.2, syntax", "rdf12/rdf-turtle/syntax"),
    "turtle-1.2": ("Turtle 1.2", "rdf12/rdf-turtle/eval"),
    "trig-1.2-syntax": ("TriG 1.2, syntax", "rdf12/rdf-trig/syntax"),
    "trig-1.2": ("TriG 1.2", "rdf12/rdf-trig/eval"),
    "rdf-xml-1.2": ("RDF/XML 1.2", "rdf12/rdf-xml/eval"),
    "json-ld": ("JSON-LD 1.1 to RDF", "toRdf"),
}
FORMATS = {".nt": "nt", ".nq": "nquads", ".ttl": "turtle", ".trig": "trig", ".rdf": "xml", ".jsonld": "json-ld"}
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
RDFT = "http://www.w3.org/ns/rdftest#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
ARCHIVE = "w3c-rdf-tests/w3c-rdf-tests.tar.xz"
JSON_LD_BASE = "https://w3c.github.io/json-ld-api/tests/"


@dataclass(frozen=True)
class Case:
    """A document, the IRI that it is read from, and a file of what it says: None where only being accepted counts."""

    name: str
    document: Path
    base: str
    refused: bool
    result: Path | None


Read = Callable[[Case], list[ox.Quad]]


def suites() -> dict[str, Suite]:
    """The suites that are there, each for both ways of reading."""
    listed = skip_list("parsers-skip.txt")
    found = {}
    for key, (name, folder) in SUITES.items():
        where = _folder(folder)
        if where is None:
            continue
        cases = list(_json_ld_cases(where) if key == "json-ld" else _cases(where))
        for read in (bulk_loaded, parsed):
            way = "bulk_load" if read is bulk_loaded else "kg- parsers"
            runs = {f"{key}/{case.name}": partial(passes, case, read) for case in cases}
            found[f"{key}-{read.__name__}"] = Suite(f"{name}, {way}", runs, listed)
    return found


def _folder(name: str) -> Path | None:
    inside = Path("tests") if name == "toRdf" else Path("rdf") / name
    candidates = []
    if clones := os.environ.get("KGREASON_W3C_TESTS"):
        candidates.append(Path(clones) / ("json-ld-api" if name == "toRdf" else "rdf-tests"))
    root = shared_root()
    if root is not None:
        candidates.append(root / "w3c-rdf-tests")
        if (root / ARCHIVE).exists():
            candidates.append(unpacked(ARCHIVE))
    return next((path / inside for path in candidates if (path / inside).is_dir()), None)


def _cases(folder: Path) -> Iterator[Case]:
    # Manifests are Turtle without a blank in them that matters: each entry is a resource with a few literal facts.
    home = "https://manifest.example/"
    graph = ox.Dataset(results.quads_of(folder / "manifest.ttl", home))

    def value(subject: results.Term, predicate: str) -> results.Term | None:
        return next((q.object for q in graph.quads_for_subject(subject) if q.predicate.value == predicate), None)

    (manifest,) = {quad.subject for quad in graph if quad.predicate.value == f"{MF}entries"}
    assumed = value(manifest, f"{MF}assumedTestBase")
    node = value(manifest, f"{MF}entries")
    while node is not None and node.value != f"{RDF}nil":
        entry = value(node, f"{RDF}first")
        node = value(node, f"{RDF}rest")
        kind = value(entry, f"{RDF}type").value.removeprefix(RDFT)
        document = value(entry, f"{MF}action").value.removeprefix(home)
        result = value(entry, f"{MF}result")
        yield Case(
            name=entry.value.rpartition("#")[2],
            document=folder / document,
            base=(home if assumed is None else assumed.value) + document,
            refused="Negative" in kind,
            result=_result(folder / document, None if result is None else folder / result.value.removeprefix(home)),
        )


def _result(document: Path, result: Path | None) -> Path | None:
    """N-Triples and N-Quads are what they say: pyoxigraph reads them here, and columns of ours in the store."""
    return document if document.suffix in (".nt", ".nq") else result


def _json_ld_cases(folder: Path) -> Iterator[Case]:
    for entry in json.loads((folder / "toRdf-manifest.jsonld").read_text())["sequence"]:
        options = entry.get("option", {})
        if options.get("specVersion") == "json-ld-1.0" or options.get("normative") is False:
            continue
        yield Case(
            name=entry["@id"].lstrip("#"),
            document=folder / entry["input"],
            base=options.get("base", JSON_LD_BASE + entry["input"]),
            refused="jld:NegativeEvaluationTest" in entry["@type"],
            result=folder / entry["expect"] if "expect" in entry else None,
        )


# -- running ---------------------------------------------------------------------------------------------------


def passes(case: Case, read: Read) -> bool:
    """Whether a case comes out as it should."""
    if case.refused:
        try:
            read(case)
        except KGReasonError:
            return True
        return False
    found = read(case)
    return case.result is None or results.same_quads(found, results.quads_of(case.result, case.base))


def bulk_loaded(case: Case) -> list[ox.Quad]:
    """The quads of a document that was loaded as `bulk_load` does it, with the base that the case is about."""
    store = ReasoningStore(rules="none")
    dataset = Dataset(store=store)
    options = {"format": FORMATS[case.document.suffix], "base": case.base}
    try:
        store.load(lambda dictionary: load_files([case.document], dictionary, **options))
    except KGReasonError:
        assert not len(dataset)
        raise
    return results.quads_in(dataset)


def parsed(case: Case) -> list[ox.Quad]:
    """The quads of a document that one of the parsers for rdflib read."""
    dataset = Dataset(store=ReasoningStore(rules="none"))
    try:
        dataset.parse(case.document, format=f"kg-{FORMATS[case.document.suffix]}", publicID=case.base)
    except KGReasonError:
        assert not len(dataset)
        raise
    return results.quads_in(dataset)
