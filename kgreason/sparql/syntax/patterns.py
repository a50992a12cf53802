"""Graph patterns to algebra (SPARQL 1.1, section 18.2.2), with what the specification asks of their variables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.checkpoints import checkpoint
from kgreason.rdf.model import IRI, Term
from kgreason.sparql.algebra import (
    Expression,
    Extend,
    Graph,
    LeftJoin,
    Minus,
    Node,
    Union,
    Values,
)
from kgreason.sparql.syntax.expressions import ExpressionReader, Extensions
from kgreason.sparql.syntax.groups import Group
from kgreason.sparql.syntax.requests import Service
from kgreason.sparql.syntax.term_syntax import Namespaces
from kgreason.sparql.syntax.triples import SUBJECTS

_PARTS: Final = ("a triple", "'{'", "OPTIONAL", "FILTER", "BIND", "VALUES", "UNION", "MINUS", "GRAPH", "SERVICE", "'}'")


class PatternReader(ExpressionReader):
    """Reads groups and what is in them."""

    def __init__(self, text: str, base: str | None, namespaces: Namespaces, extensions: Extensions) -> None:
        super().__init__(text, base, namespaces, extensions)
        self.graph_names: set[IRI] = set()
        self.goes_over_graphs = False
        self._basics = 0
        self._elements: Mapping[str, Callable[[Group], None]] = {
            "FILTER": self._filter,
            "OPTIONAL": self._optional,
            "{": self._union,
            "BIND": self._bind,
            "VALUES": self._values,
            "MINUS": self._minus,
            "GRAPH": self._graph,
            "SERVICE": self._service,
        }

    @abstractmethod
    def subquery(self) -> tuple[Node, set[str]]:
        """A SELECT in braces, and the variables that come out of it."""

    def group_node(self) -> Node:
        """A pattern in braces."""
        return self.group().node()

    def group(self) -> Group:
        """A pattern in braces."""
        self.enter()
        self.expect("{")
        group = Group()
        if self.kind == "SELECT":
            node, group.scope = self.subquery()
            group.parts.append(node)
            self.expect("}")
        else:
            self._fill(group)
        self.leave()
        return group

    def _fill(self, group: Group) -> None:
        basic = self._new_basic()
        while True:
            kind = self.kind
            ended = True
            if kind in SUBJECTS:
                self.in_pattern, self.basic = True, basic
                ended = self.triples(group.triples)
                kind = self.kind
                if not ended and kind in SUBJECTS:
                    self.refuse("'.'", "';'", "','", *_PARTS[1:])
            element = self._elements.get(kind)
            if element is not None:
                element(group)
                if kind != "FILTER":
                    basic = self._new_basic()
                self.take(".")
            elif self.take("}"):
                group.ended()
                return
            elif kind not in SUBJECTS:
                self._refuse_part(ended)

    def _refuse_part(self, ended: bool) -> None:
        if self.kind == "SELECT":
            self.wrong("a subquery among other parts", expected="braces around it: { SELECT ... }")
        if self.kind == ".":
            self.wrong("unexpected '.'", expected="at most one '.' after a part")
        if not ended:
            self.refuse_iri("'.'", "';'", "','", *_PARTS[1:])
        self.refuse_iri(*_PARTS)

    def _new_basic(self) -> int:
        self._basics += 1
        return self._basics

    # -- parts ---------------------------------------------------------------------------------------------------

    def _filter(self, group: Group) -> None:
        self.next()
        group.filters.append(self.constraint("a function", "NOT", "EXISTS"))

    def _optional(self, group: Group) -> None:
        self.next()
        left = group.ended()
        right = self.group()
        condition: Expression | None = None
        if right.filters:
            condition = right.filters[0] if len(right.filters) == 1 else Call("&&", tuple(right.filters))
        group.becomes(LeftJoin(left, right.ended(), condition))
        group.scope |= right.scope

    def _minus(self, group: Group) -> None:
        self.next()
        left = group.ended()
        group.becomes(Minus(left, self.group_node()))

    def _union(self, group: Group) -> None:
        group.ended()
        first = self.group()
        nodes, scope = [first.node()], first.scope
        while self.take("UNION"):
            other = self.group()
            nodes.append(other.node())
            scope |= other.scope
        group.joined(nodes[0] if len(nodes) == 1 else Union(tuple(nodes)))
        group.scope |= scope

    def _bind(self, group: Group) -> None:
        self.next()
        node = group.ended()
        self.expect("(")
        expression = self.expression()
        name = self.assigned(group.scope)
        self.expect(")")
        group.becomes(Extend(node, name, expression))
        group.scope.add(name)

    def assigned(self, scope: set[str]) -> str:
        """The variable after AS, which must not be in scope."""
        self.expect("AS", "an operator")
        at = self.at
        name = self.variable().name
        if name in scope:
            self.wrong("the variable is in scope already", at, part=f"AS ?{name}", expected="a new one")
        return name

    def _graph(self, group: Group) -> None:
        self.next()
        name = self.graph_name()
        if isinstance(name, IRI):
            self.graph_names.add(name)
        else:
            self.goes_over_graphs = True
            group.scope.add(name.name)
        group.ended()
        inner = self.group()
        group.joined(Graph(name, inner.node()))
        group.scope |= inner.scope

    def graph_name(self) -> IRI | Variable:
        """The name of a graph or a server, or a variable for it."""
        return self.operand_variable() if self.kind == "variable" else self.iri("a variable")

    def _service(self, group: Group) -> None:
        self.next()
        silent, odd = self.take("SILENT"), len(self.odd_iris)
        server = self.graph_name()
        group.ended()
        graphs, over = set(self.graph_names), self.goes_over_graphs
        functions, start = len(self.fallbacks), self.at
        inner = self.group()
        self.graph_names, self.goes_over_graphs = graphs, over
        del self.fallbacks[functions:]
        if silent:
            self.forget_odd_iris(odd)
        names = [name for name in self.variables_between(start, self.at) if name in inner.scope]
        if isinstance(server, Variable):
            names = list(dict.fromkeys((server.name, *names)))
        service = Service(server, tuple(names), self._query_between(start, self.at), silent)
        self.fallbacks.append(f"SERVICE {server}")
        group.joined(self.extensions.service(service))
        group.scope.update(names)

    def variables_between(self, start: int, end: int) -> list[str]:
        """The variables among tokens, in the order in which they are written."""
        kinds, texts = self.tokens.kinds, self.tokens.texts
        return list(dict.fromkeys(texts[at][1:] for at in range(start, end) if kinds[at] == "variable"))

    def _query_between(self, start: int, end: int) -> str:
        """A query of the pattern between tokens, with the prefixes that it uses."""
        tokens = self.tokens
        names = (tokens.texts[at] for at in range(start, end) if tokens.kinds[at] == "name")
        lines = [f"BASE <{self.base}>"] if self.base else []
        for prefix in dict.fromkeys(name.partition(":")[0] for name in names):
            lines.append(f"PREFIX {prefix}: <{self.namespace(prefix)}>")
        return "\n".join([*lines, f"SELECT * WHERE {tokens.text[tokens.start(start) : tokens.ends[end - 1]]}"])

    # -- values --------------------------------------------------------------------------------------------------

    def _values(self, group: Group) -> None:
        group.joined(self.values(group.scope))

    def values(self, scope: set[str]) -> Values:
        """VALUES; its variables come into a scope."""
        self.next()
        names: list[str] = []
        is_single = self.kind == "variable"
        if is_single:
            names.append(self.variable().name)
        else:
            self.expect("(", "a variable")
            while self.kind == "variable":
                if self.text[1:] in names:
                    self.wrong(f"{self.text} a second time", part="VALUES", expected="each variable once")
                names.append(self.variable().name)
            self.expect(")", "a variable")
        self.expect("{")
        rows: list[tuple[Term | None, ...]] = []
        while not self.take("}"):
            if not len(rows) % 64:
                checkpoint()
            rows.append((self._value(),) if is_single else self._row(len(names)))
        scope.update(names)
        return Values(tuple(names), tuple(rows))

    def _row(self, width: int) -> tuple[Term | None, ...]:
        at = self.at
        self.expect("(", "'}'")
        row: list[Term | None] = []
        while not self.take(")"):
            row.append(self._value())
        if len(row) != width:
            expected = f"{width}, one for each variable"
            self.wrong(f"a row of {len(row)} terms", at, part="VALUES", expected=expected)
        return tuple(row)

    def _value(self) -> Term | None:
        if self.take("UNDEF"):
            return None
        return self.data_value("UNDEF")
