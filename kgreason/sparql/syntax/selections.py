"""What is selected, and solution modifiers: groups, aggregates, order, slices (SPARQL 1.1, sections 18.2.4, 18.2.5)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from kgreason.algebra.expressions.tree import Variable, leaves
from kgreason.sparql.algebra import (
    Aggregate,
    Distinct,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    Node,
    Order,
    Project,
    Slice,
    Values,
)
from kgreason.sparql.syntax.builtins import CALLED
from kgreason.sparql.syntax.patterns import PatternReader
from kgreason.sparql.syntax.requests import Dataset
from kgreason.sparql.syntax.term_syntax import IRIS

_DIGITS: Final = 18
"""A number with more of them is larger than any table."""
_CONSTRAINTS: Final = frozenset(("(", *IRIS, *CALLED))
_ENDS: Final = ("GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET", "VALUES")


@dataclass(frozen=True, slots=True)
class Item:
    """A selected variable, `expression` AS it or by itself, and where it stands."""

    name: str
    at: int
    expression: Expression | None = None


@dataclass(slots=True)
class Modifiers:
    """The solution modifiers of a query."""

    keys: dict[str, Expression] = field(default_factory=dict)
    having: list[Expression] = field(default_factory=list)
    order: list[tuple[Expression, bool]] = field(default_factory=list)
    offset: int = 0
    length: int | None = None
    values: Values | None = None


class SelectionReader(PatternReader):
    """Reads SELECT."""

    def subquery(self) -> tuple[Node, set[str]]:
        """A SELECT in braces, and the variables that come out of it."""
        outer = self.aggregates
        node, names, _ = self.select(is_inner=True)
        self.aggregates = outer
        return node, set(names)

    def select(self, *, is_inner: bool = False) -> tuple[Node, tuple[str, ...], Dataset | None]:
        """A SELECT: its node, what it selects, and its dataset, which a subquery has not."""
        self.expect("SELECT")
        distinct = self.take("DISTINCT")
        if not distinct:
            self.take("REDUCED")
        star = self.at
        aggregates: dict[Aggregate, str] = {}
        self.aggregates = aggregates
        items = None if self.take("*") else self._items()
        self.aggregates = None
        dataset = None if is_inner else self.dataset()
        start = self.at
        node, scope = self.where()
        modifiers = self.modifiers(aggregates, scope)
        names = self.variables_between(start, self.at) if items is None else [item.name for item in items]
        is_grouped = bool(modifiers.keys or aggregates)
        if is_grouped and items is None:
            self.wrong("SELECT * of groups", star, expected="the keys of GROUP BY and aggregates, one by one")
        node = with_groups(node, modifiers, aggregates)
        scope = _visible(scope, modifiers, is_grouped)
        if items is None:
            names = [name for name in names if name in scope]
        else:
            node = self._extended(node, items, scope, is_grouped)
        selected = tuple(dict.fromkeys(names))
        return modified(node, selected, modifiers, distinct), selected, dataset

    # -- what is selected ----------------------------------------------------------------------------------------

    def _items(self) -> list[Item]:
        items: list[Item] = []
        while True:
            at = self.at
            if self.kind == "variable":
                items.append(Item(self.variable().name, at))
            elif self.kind == "(":
                self.next()
                expression = self.expression()
                self.expect("AS", "an operator")
                at = self.at
                items.append(Item(self.variable().name, at, expression))
                self.expect(")")
            elif items:
                if self.kind == ",":
                    self.wrong("unexpected ','", expected="nothing but space between what is selected")
                return items
            else:
                self.refuse("DISTINCT", "REDUCED", "'*'", "a variable", "(expression AS ?variable)")

    def _extended(self, node: Node, items: list[Item], scope: set[str], is_grouped: bool) -> Node:
        """The node with the selected expressions, each of which sees those before it."""
        known, selected = set(scope), set[str]()
        for item in items:
            expression = item.expression
            if expression is None:
                selected.add(item.name)
                if is_grouped and item.name not in known:
                    self._refuse_ungrouped(item.name, item.at)
                continue
            if is_grouped:
                for name in direct_variables(expression):
                    if name not in known:
                        self._refuse_ungrouped(name, item.at)
            if item.name in known | selected:
                reason = f"the variable is {'in scope' if item.name in known else 'selected'} already"
                self.wrong(reason, item.at, part=f"AS ?{item.name}", expected="a new one")
            known.add(item.name)
            node = Extend(node, item.name, expression)
        return node

    def _refuse_ungrouped(self, name: str, before: int) -> None:
        # Where the variable stands: at, or before, the token that names the item.
        at = before
        while at > 0 and self.tokens.kinds[at] != "SELECT":
            if self.tokens.texts[at][1:] == name and self.tokens.kinds[at] == "variable":
                break
            at -= 1
        expected = f"it in GROUP BY, or an aggregate such as SAMPLE(?{name})"
        self.wrong(f"?{name} is not a key of the groups", at, expected=expected)

    # -- clauses -------------------------------------------------------------------------------------------------

    def dataset(self, word: str = "FROM") -> Dataset | None:
        """FROM and FROM NAMED, or the like with another word; None without any."""
        default, named = [], []
        while self.take(word):
            if self.take("NAMED"):
                named.append(self.iri())
            else:
                default.append(self.iri("NAMED"))
        return Dataset(tuple(default), tuple(named)) if default or named else None

    def where(self) -> tuple[Node, set[str]]:
        """WHERE: its pattern, and the variables that are in scope."""
        if not self.take("WHERE") and self.kind != "{":
            self.refuse_iri("WHERE", "'{'")
        group = self.group()
        return group.node(), group.scope

    def modifiers(self, aggregates: dict[Aggregate, str], scope: set[str]) -> Modifiers:
        """The solution modifiers and the last VALUES of a query, with its aggregates."""
        found = Modifiers()
        if self.take("GROUP"):
            self.expect("BY")
            self._keys(found.keys, scope)
        self.aggregates = aggregates
        if self.take("HAVING"):
            found.having.append(self.constraint("a function"))
            while self.kind in _CONSTRAINTS:
                found.having.append(self.constraint())
        if self.take("ORDER"):
            self.expect("BY")
            self._order(found.order)
        self.aggregates = None
        self._slice(found)
        if self.kind == "VALUES":
            found.values = self.values(set())
        return found

    def _keys(self, keys: dict[str, Expression], scope: set[str]) -> None:
        assigned = set(scope)
        while True:
            if self.kind == "variable":
                variable = self.variable()
                keys[variable.name] = variable
            elif self.kind == "(":
                self.next()
                expression = self.expression()
                if self.kind == "AS":
                    name = self.assigned(assigned)
                    assigned.add(name)
                else:
                    name = f"#key{len(keys)}"
                self.expect(")", "AS", "an operator")
                keys[name] = expression
            elif self.kind in _CONSTRAINTS:
                keys[f"#key{len(keys)}"] = self.constraint()
            elif keys:
                return
            else:
                self.refuse("a variable", "'('", "a function")

    def _order(self, order: list[tuple[Expression, bool]]) -> None:
        while True:
            if self.kind in ("ASC", "DESC"):
                descending = self.next().upper() == "DESC"
                order.append((self.bracketed(), descending))
            elif self.kind == "variable":
                order.append((self.variable(), False))
            elif self.kind in _CONSTRAINTS:
                order.append((self.constraint(), False))
            elif order:
                return
            else:
                self.refuse("ASC", "DESC", "a variable", "'('", "a function")

    def _slice(self, found: Modifiers) -> None:
        seen: set[str] = set()
        while self.kind in ("LIMIT", "OFFSET"):
            word = self.kind
            if word in seen:
                self.wrong(f"a second {word}", expected="one")
            seen.add(word)
            self.next()
            if self.kind != "integer":
                self.refuse("a whole number")
            digits = self.next()
            number = int(digits) if len(digits) <= _DIGITS else sys.maxsize
            if word == "LIMIT":
                found.length = number
            else:
                found.offset = number

    def end(self, *others: str) -> None:
        """Nothing may follow."""
        if self.kind != "end":
            self.refuse(*_ENDS, *others, "the end of the text")


def with_groups(node: Node, modifiers: Modifiers, aggregates: dict[Aggregate, str]) -> Node:
    """A pattern with groups, conditions on them, and the last VALUES."""
    if modifiers.keys or aggregates:
        named = tuple((name, aggregate) for aggregate, name in aggregates.items())
        node = Group(node, tuple(modifiers.keys.items()), named)
    for condition in modifiers.having:
        node = Filter(condition, node)
    return node if modifiers.values is None else Join((node, modifiers.values))


def modified(node: Node, names: tuple[str, ...] | None, modifiers: Modifiers, distinct: bool = False) -> Node:
    """Solutions in order, projected, each once, and cut."""
    if modifiers.order:
        node = Order(node, tuple(modifiers.order))
    if names is not None:
        node = Project(node, names)
    if distinct:
        node = Distinct(node)
    if modifiers.offset or modifiers.length is not None:
        node = Slice(node, modifiers.offset, modifiers.length)
    return node


def _visible(scope: set[str], modifiers: Modifiers, is_grouped: bool) -> set[str]:
    """The variables that SELECT may name: of the pattern, or of the keys of its groups, and of the last VALUES."""
    given = set() if modifiers.values is None else set(modifiers.values.variables)
    return given | ({name for name in modifiers.keys if not name.startswith("#")} if is_grouped else scope)


def direct_variables(expression: Expression) -> Iterator[str]:
    """The variables of an expression that do not stand for an aggregate; not those of EXISTS."""
    for leaf in leaves(expression):
        if isinstance(leaf, Variable) and not leaf.name.startswith("#"):
            yield leaf.name
