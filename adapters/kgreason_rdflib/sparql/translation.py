"""From rdflib's parsed algebra to kgreason's: patterns, groups and modifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rdflib.paths import Path
from rdflib.plugins.sparql.algebra import translateGroupGraphPattern, translatePath, traverse
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import URIRef, Variable

from kgreason.sparql import algebra
from kgreason.terms.model import Term
from kgreason_rdflib.sparql.expressions import TRUE, Expressions, UntranslatableError, operand
from kgreason_rdflib.sparql.paths import path
from kgreason_rdflib.sparql.services import service
from kgreason_rdflib.terms import to_model

_AGGREGATES: Final = {
    "Aggregate_Count": "count", "Aggregate_Sum": "sum", "Aggregate_Min": "min", "Aggregate_Max": "max",
    "Aggregate_Avg": "avg", "Aggregate_Sample": "sample", "Aggregate_GroupConcat": "group_concat",
}  # fmt: skip
_UNTRANSLATED: Final = frozenset(("GroupGraphPatternSub", "SubSelect", "GroupOrUnionGraphPattern"))
_NO_ALIASES: Final[Mapping[str, str]] = {}


class Translation:
    """The translation of one query."""

    def __init__(self, prologue: Prologue) -> None:
        self._prologue = prologue
        self._expression = Expressions(prologue, self._exists)
        self.goes_over_graphs = False
        self.graph_names: set[URIRef] = set()
        self.base = str(prologue.base or "") or None
        self._services: list[str] = []

    @property
    def foreign(self) -> tuple[str, ...]:
        """What rdflib evaluates."""
        return (*self._services, *self._expression.foreign)

    def node(self, part: CompValue, aliases: Mapping[str, str] = _NO_ALIASES) -> algebra.Node:
        """A node of rdflib's algebra. `aliases` are the variables that rdflib put in the place of a group's keys.

        Raises:
            UntranslatableError: it has something that only rdflib's evaluator may know.
        """
        match part.name:
            case "BGP":
                return algebra.Basic(tuple(self._atom(*triple) for triple in part.triples))
            case "Join":
                return algebra.Join((self.node(part.p1, aliases), self.node(part.p2, aliases)))
            case "Union":
                return algebra.Union((self.node(part.p1, aliases), self.node(part.p2, aliases)))
            case "Minus":
                return algebra.Minus(self.node(part.p1, aliases), self.node(part.p2, aliases))
            case "LeftJoin":
                condition = self._expression(part.expr, aliases)
                left, right = self.node(part.p1, aliases), self.node(part.p2, aliases)
                return algebra.LeftJoin(left, right, None if condition == TRUE else condition)
            case "Filter":
                return algebra.Filter(self._expression(part.expr, aliases), self.node(part.p, aliases))
            case "Extend":
                return self._extend(part, aliases)
            case "Graph":
                return self._graph(part, aliases)
            case "ToMultiSet":
                return self._multiset(part.p)
            case "ServiceGraphPattern":
                self._services.append(f"SERVICE {part.term.n3()}")
                return service(part, self._prologue)
        return self._modifier(part, aliases)

    def _modifier(self, part: CompValue, aliases: Mapping[str, str]) -> algebra.Node:
        match part.name:
            case "AggregateJoin":
                return self._group(part)
            case "OrderBy":
                keys = ((self._expression(key.expr, aliases), key.order == "DESC") for key in part.expr)
                return algebra.Order(self.node(part.p, aliases), tuple(keys))
            case "Project":
                names = tuple(dict.fromkeys(str(name) for name in part.PV if isinstance(name, Variable)))
                return algebra.Project(self.node(part.p, _key_aliases(part.p)), names)
            case "Distinct":
                return algebra.Distinct(self.node(part.p, aliases))
            case "Reduced":
                return self.node(part.p, aliases)
            case "Slice":
                return algebra.Slice(self.node(part.p, aliases), part.start or 0, part.length)
            case "SelectQuery":
                return self.node(part.p, aliases)
        raise UntranslatableError(part.name)

    # -- patterns ------------------------------------------------------------------------------------------------

    @staticmethod
    def _atom(subject: Any, predicate: Any, object: Any) -> algebra.Atom:
        if isinstance(predicate, Path):
            return algebra.PathPattern(operand(subject), path(predicate), operand(object))
        return algebra.TriplePattern(operand(subject), operand(predicate), operand(object))

    def _extend(self, part: CompValue, aliases: Mapping[str, str]) -> algebra.Node:
        inner, name = self.node(part.p, aliases), str(part.var)
        expression = self._expression(part.expr, aliases)
        # A key of a group that rdflib sampled under another name, and now gives its own name back.
        return inner if expression == algebra.Variable(name) else algebra.Extend(inner, name, expression)

    def _graph(self, part: CompValue, aliases: Mapping[str, str]) -> algebra.Node:
        if isinstance(part.term, URIRef):
            self.graph_names.add(part.term)
        else:
            self.goes_over_graphs = True
        return algebra.Graph(operand(part.term), self.node(part.p, aliases))

    def _multiset(self, part: Any) -> algebra.Node:
        if isinstance(part, list):
            return algebra.Values((), ())
        if part.name != "values":
            return self.node(part)
        names = dict.fromkeys(name for row in part.res for name in row)
        rows = (tuple(_value(row.get(name, "UNDEF")) for name in names) for row in part.res)
        return algebra.Values(tuple(map(str, names)), tuple(rows))

    def _exists(self, part: CompValue) -> algebra.Node:
        # rdflib leaves EXISTS in a projection, an order or a condition on groups as the parser made it.
        if part.name in _UNTRANSLATED and not part.translated:
            part = translateGroupGraphPattern(traverse(part, visitPost=translatePath))
        return self.node(part)

    # -- groups --------------------------------------------------------------------------------------------------

    def _group(self, part: CompValue) -> algebra.Node:
        aliases = _key_aliases(part)
        keys: dict[str, algebra.Expression] = {}
        for number, expression in enumerate(part.p.expr or ()):
            name = str(expression) if isinstance(expression, Variable) else f"#key{number}"
            keys[name] = self._expression(expression, _NO_ALIASES)
        wanted = (aggregate for aggregate in part.A if str(aggregate.res) not in aliases)
        aggregates = tuple((str(aggregate.res), self._aggregate(aggregate)) for aggregate in wanted)
        return algebra.Group(self.node(part.p.p), tuple(keys.items()), aggregates)

    def _aggregate(self, part: CompValue) -> algebra.Aggregate:
        function = _AGGREGATES.get(part.name)
        if function is None:
            raise UntranslatableError(part.name)
        argument = None if part.vars == "*" else self._expression(part.vars, _NO_ALIASES)
        separator = " " if part.separator is None else str(part.separator)
        return algebra.Aggregate(function, argument, bool(part.distinct), separator)


def _key_aliases(part: CompValue) -> dict[str, str]:
    """The variables by which rdflib samples the keys of the group that a part projects from, if it does."""
    while part.name in ("Extend", "Filter", "OrderBy", "Join", "Distinct", "Reduced", "Slice"):
        part = part.p1 if part.name == "Join" else part.p
    if part.name != "AggregateJoin":
        return {}
    keys = {expression for expression in part.p.expr or () if isinstance(expression, Variable)}
    sampled = (aggregate for aggregate in part.A if aggregate.name == "Aggregate_Sample" and not aggregate.distinct)
    return {
        str(aggregate.res): str(aggregate.vars)
        for aggregate in sampled
        if isinstance(aggregate.vars, Variable) and aggregate.vars in keys
    }


def _value(value: Any) -> Term | None:
    return None if isinstance(value, str) and value == "UNDEF" and type(value) is str else to_model(value)
