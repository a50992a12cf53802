"""Random update requests put to a store and to Oxigraph: would catch an operation that reads or changes another graph
than the specification says, as WITH beside USING, or MOVE of a graph to itself.

Oxigraph makes GRAPH of a name that there is not out of nothing where no triple is inside, and MOVE of a graph that is
not there an empty one (SPARQL 1.1 Query 18.6, Update 3.2.4): such requests are left out.
"""

from __future__ import annotations

import random

import pyoxigraph as ox
import pytest
from rdflib import Dataset
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from kgreason import ReasoningStore
from tests.profiles import examples

GRAPHS = ["<urn:g1>", "<urn:g2>", "<urn:g3>"]
NODES = ["<urn:a>", "<urn:b>", "<urn:c>"]
PREDICATES = ["<urn:p>", "<urn:q>"]
LITERALS = ['"x"', '"x"@en']
NAMES = ["?x", "?y", "?z"]


class Requests:
    """Makes data and update requests; one seed makes one of each."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def data(self) -> str:
        """N-Quads."""
        return "".join(f"{self.fact()[:-1]} {self.pick([*GRAPHS, ''])} .\n" for _ in range(self.random.randrange(12)))

    def request(self) -> str:
        return " ;\n".join(self.operation() for _ in range(self.pick([1, 2, 3])))

    def operation(self) -> str:
        match self.random.randrange(10):
            case 0:
                facts = f"{self.fact()} GRAPH {self.pick(GRAPHS)} {{ {self.fact()} }}"
                return f"{self.pick(['INSERT', 'DELETE'])} DATA {{ {facts} }}"
            case 1:
                return f"DELETE WHERE {{ {self.quads()} }}"
            case 2:
                graphs = self.pick(["DEFAULT", "ALL", "NAMED", "GRAPH <urn:g1>"])
                return f"{self.pick(['CLEAR', 'DROP'])} SILENT {graphs}"
            case 3:
                source = self.pick(GRAPHS)
                there = f"INSERT DATA {{ GRAPH {source} {{ {self.fact()} }} }}"
                return f"{there} ; {self.pick(['COPY', 'MOVE', 'ADD'])} {source} TO {self.pick(['DEFAULT', *GRAPHS])}"
        used = " ".join(f"USING {self.pick(['', 'NAMED '])}{self.graph()}" for _ in range(self.pick([0, 0, 1, 2])))
        changes = [f"DELETE {{ {self.quads()} }}", f"INSERT {{ {self.quads()} }}"]
        change = self.pick([" ".join(changes), *changes])
        return f"{self.pick(['', f'WITH {self.pick(GRAPHS)} '])}{change} {used} WHERE {{ {self.group(2)} }}"

    def graph(self) -> str:
        return self.pick([*GRAPHS, "<urn:none>"])

    def quads(self) -> str:
        inside = f"GRAPH {self.pick([*GRAPHS, '?g'])} {{ {self.triple()} }}"
        return self.pick([self.triple(), inside, f"{self.triple()} {inside}"])

    def group(self, depth: int) -> str:
        return " ".join(self.part(depth) for _ in range(self.pick([1, 1, 2])))

    def part(self, depth: int) -> str:
        inner = depth - 1
        match self.random.randrange(10) if depth else 0:
            case 4 | 5:
                return f"GRAPH {self.pick([*GRAPHS, '?g', '?h'])} {{ {self.triple()} {self.group(inner)} }}"
            case 6:
                return f"OPTIONAL {{ {self.group(inner)} }}"
            case 7:
                return f"{self.triple()} MINUS {{ {self.group(inner)} }}"
            case 8:
                return f"{{ {self.group(inner)} }} UNION {{ {self.group(inner)} }}"
            case 9:
                return f"FILTER {self.pick(['', 'NOT '])}EXISTS {{ {self.group(inner)} }}"
        return self.triple()

    def triple(self) -> str:
        predicate = self.pick([*PREDICATES, *PREDICATES, "?w"])
        return f"{self.pick([*NAMES, *NODES])} {predicate} {self.pick([*NAMES, *NODES, *LITERALS])} ."

    def fact(self) -> str:
        return f"{self.pick(NODES)} {self.pick(PREDICATES)} {self.pick([*NODES, *LITERALS])} ."


def quads_of(dataset: Dataset) -> set[str]:
    found = set()
    for *triple, graph in dataset.quads():
        named = "" if graph in (None, DATASET_DEFAULT_GRAPH_ID) else f" {graph.n3()}"
        found.add(" ".join(term.n3() for term in triple) + named)
    return found


@pytest.mark.parametrize("seed", range(examples(300)))
def test_a_store_changes_as_oxigraph_does(seed: int) -> None:
    requests = Requests(seed)
    data, request = requests.data(), requests.request()
    dataset = Dataset(store=ReasoningStore(rules="none"))
    dataset.parse(data=data, format="nquads")
    peer = ox.Store()
    peer.load(data.encode(), format=ox.RdfFormat.N_QUADS)

    dataset.update(request)
    peer.update(request)

    assert quads_of(dataset) == {str(quad).removesuffix(" .") for quad in peer}, f"{request}\n{data}"
