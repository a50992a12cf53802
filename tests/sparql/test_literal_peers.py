"""Random queries over literals of many datatypes, put to a store and to Oxigraph: filters, BIND, groups, scope.

Would catch a text that is translated into another query, and operators that the two understand differently. Oxigraph
keeps values where a store keeps lexical forms, so each value is there in one form, and results are compared after
Oxigraph read them. What Oxigraph does otherwise than SPARQL 1.1 says is left out: it takes an ill-typed number, and a
text with a language, for neither true nor false (17.2.2), counts the solutions of an alternative path once (18.4), and
lets a path of length zero end only at nodes of the graph (18.4).
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pyoxigraph as ox
import pytest
from rdflib import Dataset

from kgreason import ReasoningStore
from tests.conformance.sparql_results import Term, term_of
from tests.profiles import examples

XSD = "http://www.w3.org/2001/XMLSchema#"
COUNT = examples(60)
LITERALS = [
    f'"{lexical}"^^<{XSD}{datatype}>'
    for datatype, lexicals in {
        "integer": ("01", "+2", "-3", "0", "10"),
        "byte": ("7",),
        "decimal": ("1.00", "2.5", "-.5", "0.1"),
        "double": ("1", "1e1", "NaN", "INF", "-INF", "-0.0", "0.1"),
        "float": ("1.5", "0.1"),
        "boolean": ("true", "false"),
        "dateTime": ("2020-01-01T00:00:00Z", "2020-01-01T01:30:00+01:00", "2020-01-01T05:00:00"),
        "date": ("2020-01-01", "2020-01-02Z"),
        "time": ("10:00:00", "09:00:00Z"),
        "dayTimeDuration": ("P1D",),
        "gYear": ("2020",),
    }.items()
    for lexical in lexicals
] + ['"a"', '""', '"1"', '"true"', '"ab c"', '"Éa"', r'"\U0001F600x"', '"a"^^<urn:t>', '"b"^^<urn:t>']
NODES = ["<urn:a>", "<urn:b>", "<urn:c>"]
NUMERALS = ["01", "+2", "-3", "1.00", "2.5", "-1.5E1", "+4", "0", "true", "false"]
NAMES = ["?x", "?y", "?z", "?v", "?w"]
CASTS = ("integer", "decimal", "double", "float", "boolean", "dateTime", "string")


class Texts:
    """Makes parts of queries; one seed makes one query."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self._made = 0

    def data(self) -> str:
        """N-Triples."""
        objects = [*LITERALS, *NODES * 6]
        return "".join(
            f"{self.pick(NODES)} {self.pick(['<urn:p>', '<urn:q>'])} {self.pick(objects)} .\n"
            for _ in range(self.random.randint(3, 10))
        )

    def query(self) -> str:
        if self.chance(0.4):
            return self.grouped(2)
        made = " ".join(f"({self.expression(3)} AS {self.fresh()})" for _ in range(self.random.randint(0, 2)))
        return f"SELECT {self.pick(['', 'DISTINCT '])}{' '.join(NAMES)} {made} WHERE {{ {self.group(2)} }}"

    def grouped(self, depth: int) -> str:
        key = self.pick(NAMES)
        having = f"HAVING({self.aggregate()} {self.pick('<=>')} {self.pick(NUMERALS)})" if self.chance(0.3) else ""
        selected = f"{key} ({self.aggregate()} AS {self.fresh()})"
        return f"SELECT {selected} WHERE {{ {self.group(depth)} }} GROUP BY {key} {having}"

    def aggregate(self) -> str:
        distinct = self.pick(["", "DISTINCT "])
        return self.pick(["COUNT(*)", *(f"{name}({distinct}{self.pick(NAMES)})" for name in ("COUNT", "SUM", "AVG"))])

    def group(self, depth: int) -> str:
        parts = [self.part(depth) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.3):
            parts.append(f"BIND({self.expression(2)} AS {self.fresh()})")
        return " ".join(parts)

    def part(self, depth: int) -> str:
        inner = depth - 1
        match self.random.randrange(11) if depth else 0:
            case 5:
                return f"OPTIONAL {{ {self.group(inner)} }}"
            case 6:
                return f"{{ {self.group(inner)} }} UNION {{ {self.group(inner)} }}"
            case 7:
                return f"{self.triple()} MINUS {{ {self.group(inner)} }}"
            case 8:
                return f"FILTER({self.expression(3)})"
            case 9:
                inside = f"{self.triple()} {self.pick(['', 'OPTIONAL'])} {{ {self.triple()} }}"
                return f"FILTER {self.pick(['', 'NOT '])}EXISTS {{ {inside} }}"
            case 10:
                return f"{{ {self.grouped(inner)} }}"
        return self.triple()

    def triple(self) -> str:
        path = self.pick(["<urn:p>", "<urn:q>", "?w", "<urn:p>/<urn:q>", "^<urn:p>", "!<urn:p>"])
        return f"{self.pick([*NAMES, *NODES])} {path} {self.operand()} ."

    def operand(self) -> str:
        return self.pick([*NAMES, *NAMES, *(self.pick(terms) for terms in (NODES, LITERALS, NUMERALS, NUMERALS))])

    def expression(self, depth: int) -> str:
        if depth == 0 or self.chance(0.15):
            return self.operand()
        one, other, third = (self.expression(depth - 1) for _ in range(3))
        return self.pick(
            [
                *(f"({one} {operator} {other})" for operator in ("=", "!=", "<", ">=", "+", "-", "*", "/", "&&", "||")),
                f"(!{one})",
                f"IF({one}, {other}, {third})",
                f"COALESCE({one}, {other})",
                f"({one} {self.pick(['IN', 'NOT IN'])} ({other}, {third}))",
                f"{self.pick(['ABS', 'CEIL', 'FLOOR', 'ROUND'])}({one})",
                f"{self.pick(['YEAR', 'MONTH', 'DAY', 'HOURS', 'MINUTES', 'SECONDS', 'TZ'])}({one})",
                f"{self.pick(['DATATYPE', 'LANG', 'isNumeric', 'isLiteral', 'isIRI', 'isBlank'])}({one})",
                f"{self.pick(['STRLEN', 'UCASE', 'LCASE', 'ENCODE_FOR_URI'])}({one})",
                f"{self.pick(['CONCAT', 'STRBEFORE', 'STRAFTER', 'STRSTARTS', 'sameTerm'])}({one}, {other})",
                f"<{XSD}{self.pick(CASTS)}>({one})",
                f"BOUND({self.pick(NAMES)})",
                f"SUBSTR({one}, {self.pick(['1', '2', '0', '-1', '1.5'])}{self.pick(['', ', 2'])})",
            ]
        )

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self) -> str:
        self._made += 1
        return f"?made{self._made}"


@cache
def as_oxigraph_keeps_it(term: Term | None) -> str:
    """A term with the lexical form that Oxigraph gives its value; nothing for none."""
    if term is None:
        return ""
    store = ox.Store()
    store.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), term))
    (quad,) = store
    return str(quad.object)


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_store_answers_as_oxigraph_does_about_literals(seed: int) -> None:
    texts = Texts(seed)
    data, query = texts.data(), texts.query()
    peer = ox.Store()
    peer.load(data.encode(), format=ox.RdfFormat.N_TRIPLES)
    dataset = Dataset(store=ReasoningStore(rules="none"))
    dataset.parse(data=data, format="kg-nt")

    answer = peer.query(query)
    names = [variable.value for variable in answer.variables]
    expected = Counter(tuple(as_oxigraph_keeps_it(row[name]) for name in names) for row in answer)
    found = [{str(name): term_of(node) for name, node in row.items()} for row in dataset.query(query).bindings]

    rows = Counter(tuple(as_oxigraph_keeps_it(row.get(name)) for name in names) for row in found)
    assert rows == expected, f"{query}\n{data}"
