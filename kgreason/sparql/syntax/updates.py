"""From the text of an update request to its operations."""

from __future__ import annotations

from typing import Literal

from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Basic, Graph, Join, Node, TripleTermPattern
from kgreason.sparql.limits import too_deep
from kgreason.sparql.syntax.cursor import listed
from kgreason.sparql.syntax.expressions import Extensions
from kgreason.sparql.syntax.groups import basic_of
from kgreason.sparql.syntax.queries import FORMS, UPDATES, QueryReader
from kgreason.sparql.syntax.requests import (
    Clear,
    Create,
    Dataset,
    Load,
    Operation,
    Place,
    Quad,
    Query,
    Rewrite,
    Transfer,
)
from kgreason.sparql.syntax.term_syntax import Namespaces
from kgreason.sparql.syntax.triple_terms import Triple, extended, with_computed
from kgreason.sparql.syntax.triples import SUBJECTS


def parse_update(text: str, base: str | None, namespaces: Namespaces, extensions: Extensions) -> tuple[Operation, ...]:
    """The operations of a request: some microseconds for each of its words. The arguments are those of `parse_query`.

    Raises:
        QuerySyntaxError: it does not follow the grammar or its notes; with line and column.
        QueryError: it is nested too deeply.
    """
    try:
        return UpdateReader(text, base, namespaces, extensions).operations()
    except RecursionError:
        raise too_deep() from None


class UpdateReader(QueryReader):
    """Reads an update request."""

    def operations(self) -> tuple[Operation, ...]:
        """The whole text."""
        found: list[Operation] = []
        earlier: set[str] = set()
        while True:
            self.prologue()
            if self.kind == "end":
                return tuple(found)
            found.append(self._operation(earlier))
            if not self.take(";"):
                if self.kind != "end":
                    self.refuse("';'", "the end of the text")
                return tuple(found)

    def _operation(self, earlier: set[str]) -> Operation:
        self.graph_names, self.goes_over_graphs, self.fallbacks = set(), False, []
        self._labels.clear()
        self.forget_odd_iris()
        match self.kind:
            case "INSERT":
                if self.kind_after() == "DATA":
                    return self._insert_data(earlier)
                return self._modify(None)
            case "DELETE":
                match self.kind_after():
                    case "DATA":
                        return Rewrite(self._data("DELETE DATA"), ())
                    case "WHERE":
                        return self._delete_where()
                return self._modify(None)
            case "WITH":
                self.next()
                return self._modify(self.iri())
            case "LOAD":
                return self._load()
            case "CLEAR" | "DROP":
                forgotten = self.next().upper() == "DROP"
                silent = self.take("SILENT")
                return Clear(self._graphs(), forgotten, silent)
            case "CREATE":
                self.next()
                silent = self.take("SILENT")
                self.expect("GRAPH", *(() if silent else ("SILENT",)))
                return Create(self.iri(), silent)
            case "ADD" | "MOVE" | "COPY" as word:
                return self._transfer(word)
        if self.kind in FORMS:
            self.wrong(f"{self.kind} is of queries, and this is an update", expected=listed(UPDATES))
        self.refuse(*UPDATES)

    # -- whole graphs --------------------------------------------------------------------------------------------

    def _load(self) -> Load:
        self.next()
        silent = self.take("SILENT")
        source = self.iri()
        target = None
        if self.take("INTO"):
            self.expect("GRAPH")
            target = self.iri()
        return Load(source, target, silent)

    def _graphs(self) -> IRI | Literal["DEFAULT", "NAMED", "ALL"]:
        match self.kind:
            case "DEFAULT" | "NAMED" | "ALL" as word:
                self.next()
                return word
        self.expect("GRAPH", "DEFAULT", "NAMED", "ALL")
        return self.iri()

    def _transfer(self, word: Literal["ADD", "MOVE", "COPY"]) -> Transfer:
        self.next()
        silent = self.take("SILENT")
        source = self._graph_or_default()
        self.expect("TO")
        return Transfer(word, source, self._graph_or_default(), silent)

    def _graph_or_default(self) -> IRI | None:
        if self.take("DEFAULT"):
            return None
        self.take("GRAPH")
        return self.iri("DEFAULT", "GRAPH")

    # -- data and templates --------------------------------------------------------------------------------------

    def _insert_data(self, earlier: set[str]) -> Rewrite:
        start = self.at
        labels: set[str] = set()
        self.data_labels = labels
        quads = self._data("INSERT DATA")
        self.data_labels = None
        shared = labels & earlier
        if shared:
            label = min(shared)
            at = self.tokens.texts.index(label, start)
            self.wrong(f"{label} is in the data of two operations", at, expected="a label of its own in each")
        earlier |= labels
        # Without triple terms of blank nodes, data are read without any pattern.
        where = self._where(Basic(()), quads, None) if self.computed else None
        return Rewrite((), self._completed(quads), where)

    def _data(self, operation: str) -> tuple[Quad, ...]:
        self.next()
        self.next()
        self.without_variables = operation
        quads = self._deleted(operation) if operation == "DELETE DATA" else self._quads()
        self.without_variables = None
        return quads

    def _deleted(self, operation: str) -> tuple[Quad, ...]:
        self.without_blanks = operation
        quads = self._quads()
        self.without_blanks = None
        return quads

    def _quads(self) -> tuple[Quad, ...]:
        """Quads in braces."""
        self.expect("{")
        self.in_pattern = False
        quads: list[Quad] = []
        while True:
            if self.kind in SUBJECTS:
                self._add_triples(None, quads)
                if self.kind not in ("GRAPH", "}"):
                    self.refuse("'.'", "';'", "','", "GRAPH", "'}'")
            if not self.take("GRAPH"):
                break
            name = self.graph_name()
            self.expect("{")
            if self.kind in SUBJECTS:
                self._add_triples(name, quads)
            self.expect("}", "'.'", "a triple")
            self.take(".")
        if self.kind != "}":
            self.refuse_iri("a triple", "GRAPH", "'}'")
        self.next()
        return tuple(quads)

    def _add_triples(self, name: IRI | Variable | None, quads: list[Quad]) -> None:
        found: list[Triple] = []
        self.triples(found)
        quads += [(name, *triple) for triple in found]  # type: ignore[misc]  # templates have no paths

    def _completed(self, quads: tuple[Quad, ...]) -> tuple[Quad, ...]:
        """Quads with variables for what is computed; there is nothing to be computed after them."""
        computed = self.taken_computed()
        if not computed:
            return quads
        return tuple((name, *(with_computed(place, computed) for place in triple)) for name, *triple in quads)  # type: ignore[misc]  # templates have no paths

    # -- DELETE and INSERT for each solution ---------------------------------------------------------------------

    def _delete_where(self) -> Rewrite:
        self.next()
        self.next()
        quads = self._deleted("DELETE WHERE")
        computed = self.taken_computed()
        terms: list[Triple] = [
            TripleTermPattern(Variable(name), *call.arguments)  # type: ignore[union-attr]  # a call of TRIPLE
            for name, call in computed.items()
        ]
        by_graph: dict[IRI | Variable | None, list[Triple]] = {}
        for graph, subject, predicate, object in quads:
            by_graph.setdefault(graph, [*terms]).append((subject, predicate, object))  # type: ignore[arg-type]  # no literal is a predicate
        nodes: list[Node] = []
        for name, triples in by_graph.items():
            basic: Basic = basic_of(triples, set())
            nodes.append(basic if name is None else Graph(name, basic))
            if isinstance(name, IRI):
                self.graph_names.add(name)
            elif name is not None:
                self.goes_over_graphs = True
        return Rewrite(quads, (), self._where(Join(tuple(nodes)), quads, None))

    def _modify(self, graph: IRI | None) -> Rewrite:
        delete: tuple[Quad, ...] = ()
        insert: tuple[Quad, ...] = ()
        if self.kind not in ("DELETE", "INSERT"):
            self.refuse("DELETE", "INSERT")
        if self.take("DELETE"):
            delete = self._deleted("DELETE")
            if self.take("INSERT"):
                insert = self._quads()
        else:
            self.next()
            insert = self._quads()
        dataset = self.dataset("USING")
        if self.kind != "WHERE":
            self.refuse("WHERE", "USING", *(() if insert or graph else ("INSERT",)))
        node, _ = self.where()
        where = self._where(node, delete + insert, dataset)
        # Nothing that is deleted has blank nodes.
        return Rewrite(delete, self._completed(insert), where, graph)

    def _where(self, node: Node, quads: tuple[Quad, ...], dataset: Dataset | None) -> Query:
        places: list[Place] = [place for quad in quads for place in quad if place is not None]
        names = dict.fromkeys(place.name for place in places if isinstance(place, Variable))
        names.update(dict.fromkeys(self.computed))
        return self._made("SELECT", extended(node, self.computed), tuple(names), dataset)
