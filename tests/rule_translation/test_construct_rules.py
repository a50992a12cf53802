"""Would catch a CONSTRUCT whose rules derive something else than the query gives.

Random patterns are asked of Oxigraph and rdflib. They differ in paths of no step from literals and in BIND inside of
EXISTS, where one of them has to agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pyoxigraph
import rdflib
from rdflib import Graph

from kgreason import ReasoningStore, UnsafeRuleError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.program.safety import check_safety
from kgreason.rule_translation.construct_rules import construct_rules
from kgreason.rule_translation.rule_graph import TranslationError
from kgreason.rule_translation.ways import Way
from tests.facade import EX
from tests.profiles import examples

VARIABLES = ["?a", "?b", "?c", "?d"]
PREFIXES = {"": EX}


class Patterns:
    """Random groups of SPARQL."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def query(self) -> str:
        group = self.group(2)
        used = [variable for variable in VARIABLES if variable in group] or [":n1"]
        heads = " . ".join(f"{self.some(*used)} :out{n} {self.some(*used, ':n1')}" for n in range(2))
        return f"CONSTRUCT {{ {heads} }} WHERE {{ {group} }}"

    def some(self, *choices: str) -> str:
        return self.random.choice(choices)

    def group(self, depth: int) -> str:
        parts = [self.triple() for _ in range(self.random.randint(1, 2))]
        for _ in range(self.random.randint(0, 2)):
            parts.append(self.part(depth))
        return " ".join(parts)

    def triple(self) -> str:
        verb = self.some(":p", ":q", ":p", ":p/:q", ":p|:q", "^:p", ":p+", ":q*", ":q?", "a")
        subject = self.some(*VARIABLES, ":n1", "_:x" if self.random.random() < 0.1 else "?a")
        return f"{subject} {verb} {self.some(*VARIABLES, ':n2', '3')} ."

    def part(self, depth: int) -> str:
        inner = self.group(depth - 1) if depth else self.triple()
        variable = self.some(*VARIABLES)
        return self.some(
            f"OPTIONAL {{ {inner} }}",
            f"{{ {inner} }} UNION {{ {self.triple()} }}",
            f"MINUS {{ {inner} }}",
            f"FILTER NOT EXISTS {{ {inner} }}",
            f"FILTER EXISTS {{ {inner} }}",
            f"FILTER ({variable} != {self.some(*VARIABLES, ':n1')})",
            f"FILTER (isIRI({variable}) || {variable} > 2)",
            f"VALUES {variable} {{ :n1 :n2 3 }}",
            f"VALUES (?a {variable if variable != '?a' else '?b'}) {{ (:n1 UNDEF) (:n2 :n3) }}",
            f"BIND (STRLEN(STR({variable})) AS ?e) FILTER (?e > 20)",
        )


def data(random: Random) -> Graph:
    graph = Graph()
    nodes = [*(rdflib.URIRef(f"{EX}n{number}") for number in range(4)), rdflib.Literal(3)]
    for _ in range(random.randint(3, 9)):
        verb = random.choice([rdflib.URIRef(f"{EX}p"), rdflib.URIRef(f"{EX}q"), rdflib.RDF.type])
        graph.add((random.choice(nodes[:4]), verb, random.choice(nodes if verb != rdflib.RDF.type else nodes[:4])))
    return graph


def lines(triples: Iterable[tuple]) -> set[str]:
    return {" ".join(part.n3() for part in triple) for triple in triples}


def oxigraph(graph: Graph) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load(graph.serialize(format="nt").encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


def test_rules_of_random_queries_derive_what_sparql_constructs() -> None:
    translated = 0
    for seed in range(examples(1_200)):
        random = Random(seed)
        text, graph = Patterns(random).query(), data(random)
        try:
            rules = construct_rules(text, PREFIXES, Way(), f"rule {seed}")
            for rule in rules:
                check_safety(rule)
        except (TranslationError, UnsafeRuleError):
            continue
        translated += 1
        assert parse_program(str(Program(tuple(rules)))).rules == tuple(rules), f"{seed}: {text}"
        found = Graph(store=ReasoningStore(rules=Program(tuple(rules))))
        for triple in graph:
            found.add(triple)

        derived = lines(found.store.inferred)
        if derived != {str(triple) for triple in oxigraph(graph).query(f"PREFIX : <{EX}> {text}")}:
            constructed = graph.query(text, initNs=PREFIXES)
            assert derived == lines(t for t in constructed if isinstance(t[0], rdflib.URIRef)), f"{seed}: {text}"
    assert translated > examples(1_200) / 5
