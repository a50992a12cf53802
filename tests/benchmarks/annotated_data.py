"""Statements in the shape of Wikidata's, as RDF 1.2: each has a reifier with a rank, and one to three qualifiers.

The same each time for a number of statements. A twentieth is deprecated: reified and not asserted. Some reifiers have a
certainty that is itself annotated, so that there are triple terms inside of reified triples.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

NAMESPACE = "http://e/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
PROPERTIES, SOURCES, YEARS = 200, 1000, 400
SCHEMA = f"""PREFIX : <{NAMESPACE}>
PREFIX rdf: <{RDF}>
PREFIX rdfs: <{RDFS}>
:start rdfs:subPropertyOf :time . :end rdfs:subPropertyOf :time . :time rdfs:domain :Qualified .
:rank rdfs:domain :Statement . :source rdfs:range :Source . :Statement rdfs:subClassOf :Claim .
:Qualified rdfs:subClassOf :Claim .
"""
RULES = f"""PREFIX : <{NAMESPACE}>
PREFIX rdf: <{RDF}>
RULE :held {{ ?item :held ?value }} WHERE {{ << ?item :p3 ?value ~ ?claim >> :end ?year }}
RULE :preferred {{ ?item :best ?value }} WHERE {{ << ?item ?property ?value ~ ?claim >> :rank :preferred }}
RULE :disputed {{ ?one :against ?other }}
WHERE {{ ?one rdf:reifies <<( ?item :p1 ?value )>> ; :rank :deprecated .
         ?other rdf:reifies <<( ?item :p1 ?rival )>> ; :rank :preferred }}
"""
"""SPARQL-RL: what rules make of reified triples, found by their parts."""

QUERIES = {
    "statements of an item": "SELECT ?p ?o ?r ?rank { << :q7 ?p ?o ~ ?r >> :rank ?rank }",
    "qualifiers of an item's statements": "SELECT * { :q7 ?p ?o ~ ?r {| ?q ?v |} }",
    "statements about a value": "SELECT ?s ?year { << ?s :p2 :q3 ~ ?r >> :start ?year }",
    "triple terms by all parts": "SELECT ?r { ?s :p0 ?o . ?r rdf:reifies <<( ?s :p0 ?o )>> . ?r :source :source5 }",
    "claims of a source": "SELECT ?s ?o { ?r :source :source9 ; rdf:reifies <<( ?s ?p ?o )>> }",
    "reified and not asserted": """SELECT (COUNT(*) AS ?n)
        { ?r rdf:reifies <<( ?s :p4 ?o )>> FILTER NOT EXISTS { ?s :p4 ?o } }""",
    "ranks of a property": "SELECT ?rank (COUNT(*) AS ?n) { << ?s :p1 ?o ~ ?r >> :rank ?rank } GROUP BY ?rank",
    "long ones": "SELECT ?s { << ?s :p3 ?o ~ ?r >> :start ?y ; :end ?z FILTER(?z > ?y + 55) }",
    "parts by functions": """SELECT (COUNT(DISTINCT ?s) AS ?n)
        { ?r :rank :preferred ; rdf:reifies ?t BIND(SUBJECT(?t) AS ?s) }""",
    "claims about claims": """SELECT ?s ?how
        { ?m rdf:reifies <<( ?r :certainty ?c )>> ; :by ?how . ?r rdf:reifies <<( ?s :p0 ?o )>> }""",
    "all reified triples": "SELECT (COUNT(*) AS ?n) { ?r rdf:reifies <<( ?s ?p ?o )>> }",
    "all of them joined": "SELECT (COUNT(*) AS ?n) { << ?s ?p ?o ~ ?r >> :source ?x . ?s :p0 ?z }",
    "what rules made of them": "SELECT (COUNT(*) AS ?n) { ?s :best ?o ; a ?class . ?o :held ?v }",
}
"""Without their prologue."""
PROLOGUE = f"PREFIX : <{NAMESPACE}> PREFIX rdf: <{RDF}> "


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple with the local names of its parts, its reifier, and the rest of Turtle that is said of it."""

    subject: str
    property: str
    value: str
    reifier: str
    rank: str
    qualifiers: tuple[tuple[str, str], ...]

    @property
    def is_asserted(self) -> bool:
        """Whether it is true, and not only said."""
        return self.rank != "deprecated"


def statements(count: int, seed: int = 1) -> Iterator[Statement]:
    """So many of them, about a fifth as many items."""
    chance = random.Random(seed)
    items = max(10, count // 5)
    for number in range(count):
        kind = chance.random()
        rank = "deprecated" if kind < 0.05 else "preferred" if kind < 0.2 else "normal"
        qualifiers = [("source", f"source{chance.randrange(SOURCES)}")]
        if kind > 0.4:
            year = 1600 + chance.randrange(YEARS)
            qualifiers.append(("start", str(year)))
            if kind > 0.7:
                qualifiers.append(("end", str(year + chance.randrange(60))))
        yield Statement(
            f"q{chance.randrange(items)}",
            f"p{int(PROPERTIES ** chance.random()) - 1}",
            f"q{int(items ** chance.random())}",
            f"s{number}",
            rank,
            tuple(qualifiers),
        )


def ntriples(count: int) -> Iterator[str]:
    """Lines of N-Triples, with those of the schema left out."""
    for number, said in enumerate(statements(count)):
        triple = f"{iri(said.subject)} {iri(said.property)} {iri(said.value)}"
        reifier = iri(said.reifier)
        if said.is_asserted:
            yield f"{triple} .\n"
        yield f"{reifier} <{RDF}reifies> <<( {triple} )>> .\n{reifier} {iri('rank')} {iri(said.rank)} .\n"
        for name, value in said.qualifiers:
            yield f"{reifier} {iri(name)} {iri(value) if name == 'source' else year(value)} .\n"
        if number % 50 == 0:
            certainty = f"{reifier} {iri('certainty')} \"0.9\"^^<{XSD}decimal>"
            yield f"{certainty} .\n{iri('m' + said.reifier)} <{RDF}reifies> <<( {certainty} )>> .\n"
            yield f"{iri('m' + said.reifier)} {iri('by')} {iri('q1')} .\n"


def turtle(count: int) -> Iterator[str]:
    """The same graph in the syntax of annotations."""
    yield f"PREFIX : <{NAMESPACE}>\n"
    for number, said in enumerate(statements(count)):
        pairs = [f":rank :{said.rank}"]
        pairs += [f":{name} {':' + value if name == 'source' else value}" for name, value in said.qualifiers]
        if number % 50 == 0:
            pairs.append(f":certainty 0.9 ~ :m{said.reifier} {{| :by :q1 |}}")
        triple = f":{said.subject} :{said.property} :{said.value}"
        if said.is_asserted:
            yield f"{triple} ~ :{said.reifier} {{| {' ; '.join(pairs)} |}} .\n"
        else:
            yield f"<< {triple} ~ :{said.reifier} >> {' ; '.join(pairs)} .\n"


def iri(name: str) -> str:
    """A name of the namespace in full."""
    return f"<{NAMESPACE}{name}>"


def year(number: str) -> str:
    """An integer as N-Triples have it."""
    return f'"{number}"^^<{XSD}integer>'
