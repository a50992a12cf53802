"""Templates of rules: what becomes of the guard, and what of the rest.

Would catch specialised rules that stay where an atom that all of them share is false.
"""

from __future__ import annotations

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.parser import parse_program
from kgreason.program.specialisation import templates

PREFIX = "@prefix e: <http://example.org/> . "


def test_atoms_without_variables_are_part_of_the_guard() -> None:
    (rule,) = parse_program(f"{PREFIX} [?x, a, ?y] :- [e:p, e:below, e:q], [?x, e:p, ?y] .").rules

    (template,) = templates(rule)

    assert set(template.guard) == set(rule.body)
    assert template.schema == (Variable("y"),)
    assert template.rule.body == (rule.body[1],)


def test_a_rule_without_a_guard_keeps_atoms_without_variables() -> None:
    (rule,) = parse_program(f"{PREFIX} [?x, e:r, ?y] :- [e:p, e:below, e:q], [?x, e:p, ?y] .").rules

    (template,) = templates(rule)

    assert not template.guard
    assert template.rule.body == rule.body
