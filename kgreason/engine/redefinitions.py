"""Relations that rules which come or go give another definition: what of their facts stays."""

from __future__ import annotations

from collections.abc import Mapping

from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.persistent_map import Draft
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.rules.template_parts import Parameters
from kgreason.engine.strata.strata import Strata
from kgreason.relations.catalogue import UNION, Definition
from kgreason.relations.table import Table


def redefinitions(strata: Strata, before: Mapping[int, Definition]) -> dict[int, bool]:
    """The relations whose definition is another one than before; true where what is external is so, too, so that they
    must be remade: a scheme takes over from tables, or the other way round, or for another part of a stratum, or for
    other rules, or no longer connects what is external."""
    now = strata.definitions()
    found: dict[int, bool] = {}
    remade: dict[tuple[int, int], bool] = {}  # the members of a definition share it
    for code in redefined(now, before):
        new, old = now.get(code), before.get(code)
        both = (id(new), id(old))
        if both not in remade:
            remade[both] = _is_remade(strata, new, old)
        found[code] = remade[both]
    return found


def redefined(now: Mapping[int, Definition], before: Mapping[int, Definition]) -> list[int]:
    """The relations that have another definition in one plan than in the one before it, which takes over the very
    definitions that stay. Members share theirs, and it is compared once for all of them."""
    differ: dict[tuple[int, int], bool] = {}
    found = []
    for code in (*now, *(code for code in before if code not in now)):
        new, old = now.get(code), before.get(code)
        if new is not old:
            both = (id(new), id(old))
            if both not in differ:
                differ[both] = new != old
            if differ[both]:
                found.append(code)
    return found


def hand_over(
    redefined: dict[int, bool],
    now: Mapping[int, Definition],
    before: Mapping[int, Definition],
    facts: Draft[Table],
    external: Draft[Table],
) -> None:
    """Spare relations to be remade that only begin, or cease, to be kept over representatives, while nothing is equal:
    what tables had is what is external, and the other way round."""
    for code in [code for code, remade in redefined.items() if remade]:
        new, old = now.get(code), before.get(code)
        if new is not None and old is None and _begins_represented(new, facts):
            external.put(code, facts.get(code))
        elif old is not None and new is None and _begins_represented(old, facts):
            facts.put(code, external.get(code))
            external.put(code, None)
        else:
            continue
        redefined[code] = False


def write_out(
    redefined: dict[int, bool], now: Mapping[int, Definition], facts: Draft[Table], external: Draft[Table], meter: Meter
) -> None:
    """Spare relations to be remade that no scheme keeps any more, while no rule has gone that a scheme stood for: they
    have what it showed, unless that is too much to be written out for no more than it may still follow.

    Raises:
        BudgetError: it is more than the budget allows.
    """
    for code in [code for code, remade in redefined.items() if remade and code not in now]:
        table = facts.get(code)
        if table is None or table.estimate <= rule_tuning.WRITTEN_OUT:
            whole = table.materialised() if table else None
            meter.showed(table, None)
            meter.wrote(external.get(code), whole)
            facts.put(code, whole)
            external.put(code, None)
            redefined[code] = False


def _begins_represented(definition: Definition, facts: Draft[Table]) -> bool:
    """Whether a relation is kept over representatives, and that alone, while nothing is equal."""
    is_alone = definition.within == UNION and definition.reads == definition.equality
    return is_alone and len(definition.members) == 1 and not facts.get(definition.equality[0].code)


def _is_remade(strata: Strata, new: Definition | None, old: Definition | None) -> bool:
    """Whether what is external to one definition is something else than what is external to another."""
    if new is None or old is None or new.is_part or old.is_part or (old.spans and not new.spans_as(old)):
        return True
    return _moves_rules(strata, new, old)


def _moves_rules(strata: Strata, now: Definition, before: Definition) -> bool:
    """Whether rules are inside of one of two definitions of whole strata, so that its scheme stands for them, and
    outside of the other, to which their facts are external: rules that derive a member of both, and read a member of
    one alone."""
    members, known = ({member.code for member in each.members} for each in (now, before))
    if members == known:
        return False

    def was_inside(template: RuleTemplate, parameters: Parameters) -> bool:
        return any(parameters[atom.relation] in known for atom in template.body)

    both, inside = members & known, strata.inner_rules(now.members[0].code)
    came = any(rule.head in both and not was_inside(rule.template, rule.parameters) for rule in inside)
    outside = (use for code in both for use in strata.heads.of(code))
    return came or any(was_inside(use.group.template, use.parameters) for use in outside)
