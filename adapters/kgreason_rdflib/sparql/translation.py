"""From rdflib's parsed algebra to kgreason's: patterns, groups and modifiers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pyparsing import ParseResults
from rdflib.paths import Path
from rdflib.plugins.sparql.algebra import translateGroupGraphPattern, translatePath, traverse
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import URIRef, Variable

from kgreason.algebra.expressions import tree
from kgreason.errors import QueryError
from kgreason.rdf.model import Term
from kgreason.sparql import algebra
from kgreason.sparql.scope import variables_of
from kgreason_rdflib.rdflib_terms import to_model
from kgreason_rdflib.sparql.expression_translation import TRUE, Aliases, Expressions, operand
from kgreason_rdflib.sparql.fallback import UntranslatableError
from kgreason_rdflib.sparql.path_translation import path
from kgreason_rdflib.sparql.prepared_services import service_of
from kgreason_rdflib.sparql.services import solutions_of

_AGGREGATES: Final = {
    "Aggregate_Count": "count", "Aggregate_Sum": "sum", "Aggregate_Min": "min", "Aggregate_Max": "max",
    "Aggregate_Avg": "avg", "Aggregate_Sample": "sample", "Aggregate_GroupConcat": "group_concat",
}  # fmt: skip
_UNTRANSLATED: Final = frozenset(("GroupGraphPatternSub", "SubSelect", "GroupOrUnionGraphPattern"))
_NO_ALIASES: Final = Aliases()


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

    def node(self, part: CompValue, aliases: Aliases = _NO_ALIASES) -> algebra.Node:
        """A node of rdflib's algebra. `aliases` are variables that rdflib put in the place of others.

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
                return solutions_of(service_of(part, self._prologue))
        return self._modifier(part, aliases)

    def _modifier(self, part: CompValue, aliases: Aliases) -> algebra.Node:
        match part.name:
            case "AggregateJoin":
                return self._group(part)
            case "OrderBy":
                keys = ((self._expression(key.expr, aliases), key.order == "DESC") for key in part.expr)
                return algebra.Order(self.node(part.p, aliases), tuple(keys))
            case "Project":
                names = tuple(dict.fromkeys(str(name) for name in part.PV if isinstance(name, Variable)))
                return algebra.Project(self.node(part.p, aliases_of(part.p)), names)
            case "Distinct":
                return algebra.Distinct(self.node(part.p, aliases))
            case "Reduced":
                return self.node(part.p, aliases)
            case "Slice":
                length = None if part.length is None else _count(part.length)
                return algebra.Slice(self.node(part.p, aliases), _count(part.start or 0), length)
            case "SelectQuery":
                return self.node(part.p, aliases)
        raise UntranslatableError(part.name)

    # -- patterns ------------------------------------------------------------------------------------------------

    @staticmethod
    def _atom(subject: Any, predicate: Any, object: Any) -> algebra.Atom:
        if isinstance(predicate, Path):
            return algebra.PathPattern(operand(subject), path(predicate), operand(object))
        return algebra.TriplePattern(operand(subject), operand(predicate), operand(object))

    def _extend(self, part: CompValue, aliases: Aliases) -> algebra.Node:
        inner, name = self.node(part.p, aliases), str(part.var)
        if part.var is None:
            return inner
        expression = self._expression(part.expr, aliases)
        # A key of a group that rdflib sampled under another name, and now gives its own name back.
        if expression == tree.Variable(name):
            return inner
        if name in variables_of(inner):
            raise QueryError("the variable is in scope already", part=f"AS ?{name}", expected="a new one")
        return algebra.Extend(inner, name, expression)

    def _graph(self, part: CompValue, aliases: Aliases) -> algebra.Node:
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

    def _exists(self, part: CompValue, aliases: Aliases) -> algebra.Node:
        if part.name in _UNTRANSLATED and not part.translated:
            # rdflib leaves EXISTS in a projection, an order or a condition on groups as the parser made it. And a
            # pattern is about variables as they are, also where rdflib took them for samples of a group.
            tree = traverse(_copied(part), visitPost=partial(_restored, names=aliases.sampled))
            part = translateGroupGraphPattern(traverse(tree, visitPost=translatePath))
        return self.node(part)

    # -- groups --------------------------------------------------------------------------------------------------

    def _group(self, part: CompValue) -> algebra.Node:
        aliases = aliases_of(part)
        keys: dict[str, algebra.Expression] = {}
        unnamed = _unnamed_keys(part.p.p)
        for number, expression in enumerate(part.p.expr or ()):
            if expression is None:
                keys[f"#key{number}"] = self._expression(unnamed.pop(), _NO_ALIASES)
                continue
            name = str(expression) if isinstance(expression, Variable) else f"#key{number}"
            keys[name] = self._expression(expression, _NO_ALIASES)
        wanted = (aggregate for aggregate in part.A if str(aggregate.res) not in aliases.keys)
        aggregates = tuple((str(aggregate.res), self._aggregate(aggregate)) for aggregate in wanted)
        return algebra.Group(self.node(part.p.p), tuple(keys.items()), aggregates)

    def _aggregate(self, part: CompValue) -> algebra.Aggregate:
        function = _AGGREGATES.get(part.name)
        if function is None:
            raise UntranslatableError(part.name)
        argument = None if part.vars == "*" else self._expression(part.vars, _NO_ALIASES)
        separator = " " if part.separator is None else str(part.separator)
        return algebra.Aggregate(function, argument, bool(part.distinct), separator)


def aliases_of(part: CompValue) -> Aliases:
    """The variables that rdflib samples in the group that a part projects from, if it does."""
    while part.name in ("Extend", "Filter", "OrderBy", "Join", "Distinct", "Reduced", "Slice"):
        part = part.p1 if part.name == "Join" else part.p
    if part.name != "AggregateJoin":
        return _NO_ALIASES
    keys = {str(expression) for expression in part.p.expr or () if isinstance(expression, Variable)}
    sampled = {
        str(aggregate.res): str(aggregate.vars)
        for aggregate in part.A
        if aggregate.name == "Aggregate_Sample" and not aggregate.distinct and isinstance(aggregate.vars, Variable)
    }
    return Aliases({alias: name for alias, name in sampled.items() if name in keys}, sampled)


def _unnamed_keys(part: CompValue) -> list[Any]:
    """The keys in brackets without AS, the first one last: rdflib has them in extensions by no variable."""
    found = []
    while part.name == "Extend":
        if part.var is None:
            found.append(part.expr)
        part = part.p
    return found


def _value(value: Any) -> Term | None:
    return None if isinstance(value, str) and value == "UNDEF" and type(value) is str else to_model(value)


def _restored(term: Any, names: Mapping[str, str]) -> Variable | None:
    return Variable(names[str(term)]) if isinstance(term, Variable) and str(term) in names else None


def _copied(tree: Any) -> Any:
    """A parse tree of its own, because rdflib's translation changes the one that it gets."""
    if isinstance(tree, CompValue):
        return CompValue(tree.name, **{name: _copied(value) for name, value in tree.items()})
    if isinstance(tree, (list, ParseResults)):
        return [_copied(part) for part in tree]
    return tuple(map(_copied, tree)) if isinstance(tree, tuple) else tree


def _count(given: Any) -> int:
    """The number of OFFSET or LIMIT; Python reads no number of more than some thousand digits, and rdflib leaves it."""
    return min(given, sys.maxsize) if isinstance(given, int) else sys.maxsize
