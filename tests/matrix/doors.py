"""Ways into a store: each takes a graph over one, terms, and a folder for files, and adds a triple for each term."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pyoxigraph
from rdflib import Dataset, Graph, URIRef

from kgreason import ReasoningStore
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.model import Term, TripleTerm
from kgreason.store.quad_export import explicit_quads
from kgreason_oxigraph import import_database
from tests.matrix.format_documents import FORMATS, P, hextuples, json_ld, lines, rdf_xml, trig, trix, turtle
from tests.matrix.terms import E, ntriples, to_rdflib

Door: TypeAlias = Callable[[Graph, Mapping[str, Term], Path], None]


def store_of(graph: Graph) -> ReasoningStore:
    assert isinstance(graph.store, ReasoningStore)
    return graph.store


def triples(terms: Mapping[str, Term]) -> list[tuple]:
    return [(URIRef(f"{E}s{number}"), URIRef(P), to_rdflib(term)) for number, term in enumerate(terms.values())]


def add(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    for triple in triples(terms):
        graph.add(triple)


def add_many(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    graph.addN((*triple, graph) for triple in triples(terms))


def insert_data(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    graph.update("INSERT DATA { " + lines({name: ntriples(term) for name, term in terms.items()}) + " }")


def insert_where(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    rows = " ".join(
        f"(<{E}s{number}> {ntriples(term) if ntriples(term)[:2] != '_:' else 'UNDEF'})"
        for number, term in enumerate(terms.values())
    )
    graph.update(f"INSERT {{ ?s <{P}> ?o }} WHERE {{ VALUES (?s ?x) {{ {rows} }} BIND(COALESCE(?x, BNODE()) AS ?o) }}")


def parser(format: str, write: Callable[[Mapping[str, Term]], str]) -> Door:
    def parse(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
        graph.parse(data=write(terms).encode(), format=format)

    return parse


def of_file(ending: str, write: Callable[[Mapping[str, Term]], str], pack: Callable[[bytes], bytes] = bytes) -> Door:
    def load(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
        path = folder / f"data.{ending}"
        path.write_bytes(pack(write(terms).encode()))
        store_of(graph).bulk_load(path)

    return load


def zstd(data: bytes) -> bytes:
    return pa.compress(data, codec="zstd", asbytes=True)


def encoded(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    other = Graph(store=ReasoningStore(rules="none"))
    FILES["many.nt"](other, terms, folder)
    write_store(other, folder / "encoded")
    store_of(graph).bulk_load(folder / "encoded")


def write_store(graph: Graph, path: Path) -> None:
    """The explicit triples of a store as encoded triples."""
    base = store_of(graph).knowledge_base
    quads = explicit_quads(base)
    columns = (quads.subject, quads.predicate, quads.object, quads.graph)
    write_encoded(path, base.dictionary, *columns, DEFAULT_GRAPH)


def parquet(style: str) -> Door:
    """Parquet of three columns of strings, as another tool writes it."""

    def load(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
        plain = style == "plain"
        subjects = [f"{E}s{number}" if plain else f"<{E}s{number}>" for number in range(len(terms))]
        objects = [plain_text(term) if plain else ntriples(term) for term in terms.values()]
        predicates = [P if plain else f"<{P}>"] * len(terms)
        path = folder / "data.parquet"
        pq.write_table(pa.table({"s": subjects, "p": predicates, "o": objects}), path)
        store_of(graph).bulk_load(path)

    return load


def plain_text(term: Term) -> str:
    """A term without brackets and escapes."""
    text = ntriples(term)
    if isinstance(term, TripleTerm):
        return text
    if text[0] == "<":
        return text[1:-1]
    lexical = getattr(term, "lexical", "")
    end = text[text.rindex('"') + 1 :] if text[0] == '"' and term.language else ""
    if text[0] == '"' and term.datatype:
        end = f"^^{term.datatype}"
    return f'"{lexical}"{end}' if text[0] == '"' else text


def reopened(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    """What a directory held that was closed and opened again."""
    other = Dataset(store=ReasoningStore(rules="none"))
    other.open(str(folder / "store"), create=True)
    add(other, terms, folder)
    other.close()
    again = Dataset(store=ReasoningStore(rules="none"))
    again.open(str(folder / "store"))
    for triple in again.triples((None, None, None)):
        graph.add(triple)
    again.close()


def from_oxigraph(graph: Graph, terms: Mapping[str, Term], folder: Path) -> None:
    text = lines({name: ntriples(term) for name, term in terms.items()})
    store = pyoxigraph.Store(str(folder / "database"))
    store.load(text.encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    store.flush()
    del store
    import_database(folder / "database", store_of(graph).knowledge_base)


_TEXT: Final = FORMATS["nt"]
# Not "n3": rdflib's parser of N3 asks for a store with formulas, of which there are none in RDF.
RDFLIB: Final[dict[str, Door]] = {
    **{f"rdflib {name}": parser(name, _TEXT) for name in ("nt", "nt11", "nquads")},
    "rdflib turtle": parser("turtle", FORMATS["ttl"]),
    "rdflib trig": parser("trig", FORMATS["trig"]),
    "rdflib xml": parser("xml", rdf_xml),
    "rdflib json-ld": parser("json-ld", json_ld),
    "rdflib trix": parser("trix", trix),
    "rdflib hext": parser("hext", hextuples),
}
KG: Final[dict[str, Door]] = {
    **{f"kg-{name}": parser(f"kg-{name}", _TEXT) for name in ("nt", "nquads")},
    **{f"kg-{name}": parser(f"kg-{name}", FORMATS["ttl"]) for name in ("turtle", "n3")},
    "kg-trig": parser("kg-trig", FORMATS["trig"]),
    "kg-xml": parser("kg-xml", rdf_xml),
    "kg-jsonld": parser("kg-jsonld", json_ld),
}
PACKED: Final = {".gz": gzip.compress, ".zst": zstd, ".bz2": bz2.compress, ".xz": lzma.compress}
FILES: Final[dict[str, Door]] = {
    **{ending: of_file(ending, write) for ending, write in FORMATS.items()},
    **{
        ending + end: of_file(ending + end, FORMATS[ending], pack)
        for ending in ("many.nt", "nq", "ttl", "rdf")
        for end, pack in PACKED.items()
    },
}
OTHERS: Final[dict[str, Door]] = {
    "add": add,
    "addN": add_many,
    "INSERT DATA": insert_data,
    "INSERT": insert_where,
    "encoded Parquet": encoded,
    "Parquet of N-Triples": parquet("ntriples"),
    "Parquet of plain terms": parquet("plain"),
    "reopened": reopened,
    "Oxigraph": from_oxigraph,
}
DOORS: Final = {**OTHERS, **RDFLIB, **KG, **{f"bulk_load {name}": door for name, door in FILES.items()}}

__all__ = ["DOORS", "Door", "store_of", "trig", "turtle", "write_store"]
