"""Patterns of queries, taken apart into the ways to match them.

A way (`ways`) is a set of positive atoms with filters, as the body of a rule is. UNION, OPTIONAL, VALUES and
alternatives of a path are several ways; NOT EXISTS and MINUS are negated relations, ``path+`` is a transitive one, with
rules of their own. What has no counterpart is refused: named graphs, aggregates, subqueries, limits. A pattern of
``GRAPH <urn:graph:base>``, as proposed for SPARQL-RL, matches what is asserted alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Final

from kgreason.algebra.expressions.function_table import FUNCTIONS
from kgreason.algebra.expressions.tree import Call, Variable, expression_variables, subexpressions, with_leaves
from kgreason.program.rules import Argument, Assignment, Expression, FactAtom, Rule, TripleAtom
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rule_translation.rule_graph import TranslationError, digest
from kgreason.rule_translation.ways import Way
from kgreason.sparql import algebra
from kgreason.sparql.algebra import Exists, Node, Path, PathPattern, TriplePattern
from kgreason.sparql.algebra import Expression as QueryExpression
from kgreason.sparql_rl.bodies import matched
from kgreason.sparql_rl.construct import BASE_GRAPH

_ANY: Final = IRI("urn:x-kgreason:anything")
_OF_BOUND: Final = frozenset(("bound", "coalesce", "if", "||"))
"""Functions that may be true where a variable has no value."""
_MOST: Final = 256
"""A pattern with more ways to match it is refused: each is a rule."""


class PatternReader:
    """Reads the patterns of one query or shape as ways; it numbers what it makes."""

    def __init__(self, base: Way, name: str, prefix: str = "") -> None:
        """`prefix` begins the names of the variables between the steps of paths."""
        self._base = base
        self._name = name
        self._prefix = prefix
        self._number = 0
        self._of_data = False
        """Whether patterns are matched by asserted triples alone."""
        self._optional: set[Variable] = set()
        """Variables that have no value in some of the ways of an OPTIONAL that was read."""

    def ways(self, node: Node) -> list[Way]:
        """The ways to match a pattern."""
        found = self._ways(node)
        if len(found) > _MOST:
            raise TranslationError(f"more than {_MOST} ways to match its pattern")
        return found

    def _ways(self, node: Node) -> list[Way]:
        match node:
            case algebra.Basic(atoms):
                return self._product([self._atom(atom) for atom in atoms])
            case algebra.Join(parts):
                return self._joined(parts)
            case algebra.Union(parts):
                return [way for part in parts for way in self.ways(part)]
            case algebra.LeftJoin():
                return self._optionally(node)
            case algebra.Filter(condition, inner):
                return self._all_filtered(self.ways(inner), condition)
            case algebra.Extend(inner, variable, expression):
                return [self._assigned(way, Variable(variable), expression) for way in self.ways(inner)]
            case algebra.Minus(left, right):
                found = self.ways(left)
                self._refuse_optional(self._optional, _variables(right))
                return self._without(found, self.ways(right))
            case algebra.Values(variables, rows):
                return [_row(variables, row) for row in rows]
            case algebra.Distinct(inner):
                return self.ways(inner)
            case algebra.Graph(name, inner) if name == BASE_GRAPH:
                return self._asserted(inner)
        raise TranslationError(_REFUSED.get(type(node).__name__, type(node).__name__))

    def _asserted(self, node: Node) -> list[Way]:
        """The ways to match a pattern by asserted triples."""
        before, self._of_data = self._of_data, True
        found = self.ways(node)
        self._of_data = before
        return found

    def _optionally(self, node: algebra.LeftJoin) -> list[Way]:
        """The ways to match the pattern before an OPTIONAL, then those to match both."""
        together = self._joined((node.left, node.right))
        if node.condition is not None:
            together = self._all_filtered(together, node.condition)
        alone = self.ways(node.left)
        self._optional |= {v for way in together for v in way.bound} - {v for way in alone for v in way.bound}
        return [*alone, *together]

    def _all_filtered(self, ways: list[Way], condition: QueryExpression) -> list[Way]:
        return [each for way in ways for each in self._filtered(way, condition)]

    def _joined(self, parts: Sequence[Node]) -> list[Way]:
        """The ways to match all parts."""
        found: list[list[Way]] = []
        seen: set[Variable] = set()
        for part in parts:
            before = set(self._optional)
            self._refuse_optional(before, _variables(part))
            found.append(self.ways(part))
            self._refuse_optional(self._optional - before, seen)
            seen |= _variables(part)
        return self._product(found)

    @staticmethod
    def _refuse_optional(optional: set[Variable], used: set[Variable]) -> None:
        """Refuse what asks for variables that may have no value: one of the ways is for more than it says."""
        both = sorted(map(str, optional & used))
        if both:
            raise TranslationError(f"{', '.join(both)} of an OPTIONAL in another part of the pattern")

    def _product(self, parts: list[list[Way]]) -> list[Way]:
        found = [Way()]
        for ways in parts:
            found = [one.joined(other) for one, other in product(found, ways)]
            if len(found) > _MOST:
                raise TranslationError(f"more than {_MOST} ways to match its pattern")
        return found

    # -- atoms ---------------------------------------------------------------------------------------------------

    def _atom(self, atom: algebra.Atom) -> list[Way]:
        if isinstance(atom, TriplePattern):
            return [self._matching(*map(_plain, (atom.subject, atom.predicate, atom.object)))]
        if isinstance(atom, PathPattern):
            return self.path(_plain(atom.subject), atom.path, _plain(atom.object))
        raise TranslationError("a triple term with variables")

    def _matching(self, *triple: Argument) -> Way:
        return Way((matched(TripleAtom(*triple), of_data=self._of_data),))

    def path(self, start: Argument, path: Path, end: Argument) -> list[Way]:
        """The ways along a property path."""
        match path:
            case IRI():
                return [self._matching(start, path, end)]
            case algebra.Inverse(inner):
                return self.path(end, inner, start)
            case algebra.Alternative(choices):
                return [way for choice in choices for way in self.path(start, choice, end)]
            case algebra.Sequence(steps):
                nodes = [start, *(self._fresh("step") for _ in steps[1:]), end]
                return self._product([self.path(nodes[i], step, nodes[i + 1]) for i, step in enumerate(steps)])
            case algebra.Repeat(inner, optional, once):
                again = self.path(start, inner, end) if once else self._repeated(start, inner, end)
                return [*again, *([_equal(start, end)] if optional else [])]
        raise TranslationError("a negated property set in a path")

    def _repeated(self, start: Argument, path: Path, end: Argument) -> list[Way]:
        """One step or more: a relation of its own, which is transitive."""
        x, y, z = Variable("x"), Variable("y"), Variable("z")
        relation = f"path-{digest(f'{path} asserted' if self._of_data else str(path))}"
        steps = [rule for way in self.path(x, path, y) for rule in way.rule((FactAtom(relation, (x, y)),))]
        further = Rule((FactAtom(relation, (x, z)),), (FactAtom(relation, (x, y)), FactAtom(relation, (y, z))))
        return [Way((FactAtom(relation, (start, end)),), rules=(*steps, further))]

    def _fresh(self, what: str) -> Variable:
        self._number += 1
        return Variable(f"{self._prefix}{what}_{self._number}")

    # -- conditions ----------------------------------------------------------------------------------------------

    def _filtered(self, way: Way, condition: object) -> list[Way]:
        """The way with a condition; none where a variable of it has no value."""
        if isinstance(condition, Call) and condition.function == "&&":
            found = [way]
            for part in condition.arguments:
                found = [each for one in found for each in self._filtered(one, part)]
            return found
        if isinstance(condition, Call) and condition.function == "!" and isinstance(condition.arguments[0], Exists):
            inner = condition.arguments[0]
            return self._filtered(way, Exists(inner.node, not inner.negated))
        if isinstance(condition, Exists):
            return [self._exists(way, condition)]
        plain = _expression(condition)
        if not {*expression_variables(plain)} <= way.bound | self._base.bound:
            if _may_hold(plain):
                raise TranslationError(f"a condition about a variable that may have no value: {plain}")
            return []
        return [replace(way, filters=(*way.filters, plain))]

    def _assigned(self, way: Way, variable: Variable, expression: object) -> Way:
        plain = _expression(expression)
        if {*expression_variables(plain)} <= way.bound | self._base.bound:
            return replace(way, assignments=(*way.assignments, Assignment(variable, plain)))
        if _may_hold(plain):
            raise TranslationError(f"a value of a variable that may have none: {plain}")
        self._optional.add(variable)
        return way

    def _exists(self, way: Way, condition: Exists) -> Way:
        """EXISTS as a relation of the solutions for which there is a match, which the rule asks for or denies."""
        self._refuse_optional(self._optional, _variables(condition.node))
        base, outer = self._base, self._base.joined(way)
        self._base = outer
        matches = self.ways(condition.node)
        self._base = base
        inner = [each if each.is_asserted else outer.joined(each) for each in matches]
        shared = sorted({v for each in matches for v in each.mentioned} & outer.bound, key=str)
        return self._related(way, tuple(shared), inner, condition.negated, str(condition))

    def _without(self, left: list[Way], right: list[Way]) -> list[Way]:
        found = left
        for each in right:
            following: list[Way] = []
            for way in found:
                shared = sorted(way.bound & each.bound, key=str)
                text = f"{each.atoms}{each.filters}{each.same}"
                following.append(self._related(way, tuple(shared), [each], True, text) if shared else way)
            found = following
        return found

    def _related(
        self, way: Way, shared: tuple[Variable, ...], inner: list[Way], negated: bool, text: str
    ) -> Way:
        place = " asserted" if self._of_data else ""
        atom = FactAtom(f"exists-{digest(f'{self._name} {self._number} {text} {way.atoms}{place}')}", shared or (_ANY,))
        rules = (*way.rules, *(rule for each in inner for rule in (*each.rules, *each.rule((atom,)))))
        if negated:
            return replace(way, negated=(*way.negated, atom), rules=rules)
        return replace(way, atoms=(*way.atoms, atom), rules=rules)


_REFUSED: Final = {
    "Graph": "GRAPH", "Group": "an aggregate", "Slice": "LIMIT or OFFSET", "Order": "ORDER BY", "Project": "a subquery",
    "Fallback": "what is evaluated elsewhere",
}  # fmt: skip


def _variables(node: object) -> set[Variable]:
    """The variables that a pattern mentions anywhere."""
    match node:
        case Variable():
            return {_plain(node)}  # type: ignore[arg-type]  # a variable stays one
        case algebra.Extend() | algebra.Values():
            names = node.variables if isinstance(node, algebra.Values) else (node.variable,)
            inner = () if isinstance(node, algebra.Values) else (node.node, node.expression)
            return {Variable(name) for name in names}.union(*map(_variables, inner))
        case tuple():
            return set[Variable]().union(*map(_variables, node))
    if not is_dataclass(node) or isinstance(node, IRI | BlankNode | Literal | type):
        return set()
    return set[Variable]().union(*(_variables(getattr(node, field.name)) for field in fields(node)))


def _expression(expression: object) -> Expression:
    """An expression of a query as one of rules."""
    for part in subexpressions(expression):
        if isinstance(part, Exists):
            raise TranslationError("EXISTS inside of an expression")
        if isinstance(part, Call) and not (part.function in FUNCTIONS and FUNCTIONS[part.function].in_rules):
            raise TranslationError(f"the function {part.function}")
    return with_leaves(expression, _plain)


def _may_hold(expression: Expression) -> bool:
    """Whether an expression may have a value where a variable has none."""
    return any(isinstance(part, Call) and part.function in _OF_BOUND for part in subexpressions(expression))


def _plain(operand: Variable | Term) -> Argument:
    """An operand with a name that rules can have: in a query, blank nodes are variables."""
    if isinstance(operand, Variable) and operand.name.startswith("_:"):
        return Variable("blank_node_" + operand.name[2:].replace("#", ""))
    return operand


def _equal(start: Argument, end: Argument) -> Way:
    """A path of no step."""
    return Way(same=((start, end),))


def _row(variables: Sequence[str], row: Sequence[Term | None]) -> Way:
    return Way(same=tuple((Variable(v), term) for v, term in zip(variables, row, strict=True) if term is not None))
