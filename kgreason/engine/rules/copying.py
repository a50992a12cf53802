"""Which rules copy facts along the pairs of a guard, so that the steps of a hierarchy are enough for them."""

from __future__ import annotations

from kgreason.engine.rules.groups import Column, Constant, RuleGroup
from kgreason.engine.rules.template_parts import Operation
from kgreason.relations.catalogue import Naming
from kgreason.relations.codes import identifier_of, kind_of

_ENDS = 2


def naming_of(group: RuleGroup, hidden: int) -> Naming | None:
    """Where each rule of a group copies the facts of the relation that one id of its guard fact names into the one that
    the other names: what such an id must be, for the rule to be there.

    Args:
        hidden: a relation that has rules of another kind.

    Returns:
        None for other rules, or if their filters are about more than one id.
    """
    kind = _kind_named(group)
    if kind is None:
        return None
    excluded = {identifier_of(hidden)} if kind_of(hidden) == kind else set()
    for operation in group.template.row_filters:
        constant = _excluded(group, operation)
        if constant is None:
            return None
        excluded |= constant
    return Naming(kind, tuple(sorted(excluded)))


def _kind_named(group: RuleGroup) -> int | None:
    """The kind of relations that both ends of the guard facts of copies name, None for other rules."""
    head, body = group.template.head, group.template.body
    if group.guard is None or group.universals or not group.template.is_copy or head is None:
        return None
    ends = [group.sources[body[0].relation], group.sources[head.relation]]
    named = {end.position: end.kind for end in ends if isinstance(end, Column) and end.kind is not None}
    return next(iter(named.values())) if len(named) == _ENDS and len({*named.values()}) == 1 else None


def _excluded(group: RuleGroup, operation: Operation) -> set[int] | None:
    """The id, if any, that a filter keeps an end apart from; None for a filter that says anything else."""
    slots = [slot for slot in operation.arguments if isinstance(slot, int)]
    sources = [group.sources[~slot] for slot in slots]
    constants = {source.value for source in sources if isinstance(source, Constant)}
    if operation.function != "!=" or len(slots) != _ENDS or all(isinstance(each, Constant) for each in sources):
        return None
    return constants
