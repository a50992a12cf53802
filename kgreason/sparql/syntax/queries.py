"""From the text of a query to its algebra: SELECT, ASK, CONSTRUCT and DESCRIBE."""

from __future__ import annotations

from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Aggregate, Node
from kgreason.sparql.limits import too_deep
from kgreason.sparql.syntax.cursor import listed
from kgreason.sparql.syntax.expressions import Extensions
from kgreason.sparql.syntax.groups import basic_of
from kgreason.sparql.syntax.requests import Dataset, Place, Query, TemplateTriple
from kgreason.sparql.syntax.selections import SelectionReader, modified, with_groups
from kgreason.sparql.syntax.term_syntax import IRIS, Namespaces
from kgreason.sparql.syntax.triple_terms import Triple, extended, read_names, with_computed
from kgreason.sparql.syntax.triples import SUBJECTS

FORMS: Final = ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK")
"""The words that queries begin with."""
UPDATES: Final = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY")
"""The words that operations of updates begin with."""


def parse_query(text: str, base: str | None, namespaces: Namespaces, extensions: Extensions) -> Query:
    """The query of a text: some microseconds for each of its words.

    Args:
        base: what relative IRIs start from, unless the text says so.
        namespaces: prefixes that the text need not declare.

    Raises:
        QuerySyntaxError: it does not follow the grammar or its notes; with line and column.
        QueryError: it is nested too deeply.
    """
    try:
        return QueryReader(text, base, namespaces, extensions).query()
    except RecursionError:
        raise too_deep() from None


class QueryReader(SelectionReader):
    """Reads a query."""

    def query(self) -> Query:
        """The whole text."""
        self.prologue()
        match self.kind:
            case "SELECT":
                node, names, dataset = self.select()
                self.end()
                return self._made("SELECT", node, names, dataset)
            case "ASK":
                self.next()
                dataset = self.dataset()
                node = self._solved(None, self.where())
                return self._made("ASK", node, (), dataset)
            case "CONSTRUCT":
                return self._construct()
            case "DESCRIBE":
                return self._describe()
        if self.kind in UPDATES:
            self.wrong(f"{self.kind} is of updates, and this is a query", expected=listed(FORMS))
        self.refuse(*FORMS)

    def _made(
        self,
        form: str,
        node: Node | None,
        names: tuple[str, ...],
        dataset: Dataset | None,
        template: tuple[TemplateTriple, ...] = (),
        described: tuple[IRI, ...] = (),
    ) -> Query:
        return Query(
            form,  # type: ignore[arg-type]  # one of the four
            node,
            names,
            dataset,
            frozenset(self.graph_names),
            self.goes_over_graphs,
            tuple(self.fallbacks),
            self.base,
            template,
            described,
            tuple(self.odd_iris),
        )

    def _solved(self, names: tuple[str, ...] | None, where: tuple[Node, set[str]]) -> Node:
        """A pattern with the modifiers that follow it, up to the end of the text."""
        node, scope = where
        aggregates: dict[Aggregate, str] = {}
        modifiers = self.modifiers(aggregates, scope)
        self.end()
        return modified(with_groups(node, modifiers, aggregates), names, modifiers)

    # -- CONSTRUCT -----------------------------------------------------------------------------------------------

    def _construct(self) -> Query:
        self.next()
        if self.kind == "{":
            template = self.template()
            dataset = self.dataset()
            where = self.where()
        else:
            dataset = self.dataset()
            self.expect("WHERE", "'{'")
            template, where = self._pattern_as_template()
        names, computed = names_in(template), self.taken_computed()
        node = extended(self._solved(read_names(names, computed), where), computed)
        return self._made("CONSTRUCT", node, names, dataset, template)

    def template(self) -> tuple[TemplateTriple, ...]:
        """Triples in braces that are filled in."""
        self.expect("{")
        found: list[Triple] = []
        self.in_pattern = False
        if self.kind in SUBJECTS:
            self.triples(found)
        self.expect("}", "'.'", "a triple")
        return tuple(
            tuple(with_computed(place, self.computed) for place in triple)  # type: ignore[misc,union-attr,arg-type]  # no paths
            for triple in found
        )

    def _pattern_as_template(self) -> tuple[tuple[TemplateTriple, ...], tuple[Node, set[str]]]:
        """CONSTRUCT WHERE: the pattern is the template, where blank nodes are new ones."""
        start = self.at
        template = self.template()
        end, self._fresh = self.at, 0
        self.back_to(start)
        self.expect("{")
        triples: list[Triple] = []
        self.in_pattern = True
        if self.kind in SUBJECTS:
            self.triples(triples)
        self.back_to(end)
        scope: set[str] = set()
        return template, (basic_of(triples, scope), scope)

    # -- DESCRIBE ------------------------------------------------------------------------------------------------

    def _describe(self) -> Query:
        self.next()
        described: list[IRI] = []
        names: list[str] | None = None
        if not self.take("*"):
            names = []
            while self.kind == "variable" or self.kind in IRIS:
                if self.kind == "variable":
                    names.append(self.variable().name)
                else:
                    described.append(self.iri())
            if not names and not described:
                self.refuse_iri("'*'", "an IRI", "a variable")
        dataset = self.dataset()
        start = self.at
        if names is not None and self.kind not in ("WHERE", "{"):
            # Without a pattern there is one solution, which binds nothing.
            selected = tuple(dict.fromkeys(names))
            aggregates: dict[Aggregate, str] = {}
            self.modifiers(aggregates, set())
            self.end("WHERE")
            return self._made("DESCRIBE", None, selected, dataset, (), tuple(described))
        where = self.where()
        if names is None:
            names = [name for name in self.variables_between(start, self.at) if name in where[1]]
        selected = tuple(dict.fromkeys(names))
        return self._made("DESCRIBE", self._solved(selected, where), selected, dataset, (), tuple(described))


def names_in(template: tuple[TemplateTriple, ...]) -> tuple[str, ...]:
    """The variables of a template."""
    places: list[Place] = [place for triple in template for place in triple]
    return tuple(dict.fromkeys(place.name for place in places if isinstance(place, Variable)))
