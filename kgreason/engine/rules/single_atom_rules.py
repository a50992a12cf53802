"""Rules whose body is one atom, and which copy, turn round or project its facts: what they derive without a join."""

from __future__ import annotations

from kgreason.columns.masks import all_of, any_of
from kgreason.engine.rules.rule_inputs import Terms
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table


def single_heads(template: RuleTemplate, source: Table, terms: Terms) -> Table | None:
    """The facts that a copy, an inverse copy or a projection derives from facts of its atom, None for other rules: O(1)
    for copies, otherwise O(facts)."""
    if template.is_copy:
        return source
    if template.is_inverse_copy:
        return _resources(source.inverse(), terms) if template.checked else source.inverse()
    if template.projection is not None:
        members = source.new_keys(template.projection)
        return table_of((members[~terms.object_only_mask().take(members)] if template.checked else members,))
    return None


def singly_derivable(template: RuleTemplate, source: Table, wanted: Table, terms: Terms) -> Table | None:
    """Those of the facts `wanted` that a copy, an inverse copy or a projection derives from the facts of its atom, None
    for none: a look-up of each."""
    if template.is_copy:
        return source.intersection(wanted)
    columns = wanted.columns()
    if len(columns[0]) == 1:
        return _one_derivable(template, source, wanted, tuple(column.item() for column in columns), terms)
    if template.projection is None:
        found = source.contains(columns[::-1])
    else:
        found = source.has_key(template.projection, columns[0])
    if not any_of(found):
        return None
    derived = wanted if all_of(found) else wanted.filter(found)
    return _resources(derived, terms) if template.checked else derived


def _one_derivable(
    template: RuleTemplate, source: Table, wanted: Table, fact: tuple[int, ...], terms: Terms
) -> Table | None:
    """The same for one fact."""
    at = template.projection
    if not (source.has(fact[::-1]) if at is None else source.has_id(at, fact[0])):
        return None
    return _resources(wanted, terms) if template.checked else wanted


def _resources(table: Table, terms: Terms) -> Table:
    """The facts whose subject is not a literal."""
    literal = terms.object_only_mask().take(table.columns()[0])
    return table.filter(~literal) if any_of(literal) else table
