"""Well-formed rules: each variable has its value where it is used, and an assignment is of a new variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.errors import Position, UnsafeRuleError
from kgreason.sparql_rl.rule_set import Assign, Element, Filter, Negation, Patterns, RuleText


def check_rule(rule: RuleText) -> None:
    """Raise UnsafeRuleError, at the element or the rule, unless the rule is well-formed: O(its size)."""
    defined = _check(rule.body, set())
    used = [part for triple in rule.head for part in triple.arguments if isinstance(part, Variable)]
    used += [part for parts in rule.terms.values() for part in parts if isinstance(part, Variable)]
    _require(used, defined | rule.terms.keys(), "the head", rule.position)


def _check(elements: Sequence[Element], initial: Set[Variable]) -> set[Variable]:
    """The variables that a sequence of elements defines, with those that were defined before it."""
    defined = set(initial)
    for element in elements:
        match element:
            case Patterns():
                defined.update(element.variables())
            case Filter(expression, position):
                _require(expression_variables(expression), defined, "FILTER", position)
            case Assign(variable, expression, position):
                _require(expression_variables(expression), defined, "SET", position)
                if variable in defined:
                    reason = f"the rule is not well-formed: {variable} has a value before this SET"
                    raise UnsafeRuleError(reason, position, expected="a variable that is new here")
                defined.add(variable)
            case Negation(inner):
                _check(inner, defined)
    return defined


def _require(variables: Iterable[Variable], defined: Set[Variable], where: str, position: Position) -> None:
    missing = sorted({str(variable) for variable in variables} - {str(variable) for variable in defined})
    if missing:
        place = "in the body" if where == "the head" else "before it"
        reason = f"the rule is not well-formed: nothing {place} gives {', '.join(missing)} of {where} a value"
        raise UnsafeRuleError(reason, position)
