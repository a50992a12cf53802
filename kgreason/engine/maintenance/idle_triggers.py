"""Rules that what changed below their stratum cannot match: a few facts, of which another atom of the body has none.

A rule that replaces things by equal ones, ``R(z, y) :- R(x, y), sameAs(x, z)``, is concerned by each link, and there is
one for each relation that is written out. To look for the ends of the link in its other atoms takes a tenth of an
evaluation; and a stratum with no rule that is left need not be visited. So a rule derives nothing else than before that
only says which ends pairs have, as of a domain or a range, where those that come and go had these ends before, or have
them still in other pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kgreason.columns.masks import all_of, any_of
from kgreason.engine import rule_tuning
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table


def drop_idle(state: PassState, number: int, waiting: AgendaEntry) -> None:
    """Let those rules no longer wait for a stratum which find nothing, neither with what went below it, as things were
    before the pass, nor with what came there.

    The facts of the stratum itself are those before the pass. What comes there later is joined with all that there is
    below, and what goes only makes fewer matches. Over representatives things have other names: there all rules stay.
    """
    if not waiting.triggers or waiting.remade or waiting.redefined:
        return
    if any(part.is_represented_part for part in state.strata.parts(number)):
        return
    ends = _KnownEnds(state)
    waiting.triggers = [
        (use, code, is_negated)
        for use, code, is_negated in waiting.triggers
        if is_negated or not _is_idle(state, ends, use, code)
    ]


def _is_idle(state: PassState, ends: _KnownEnds, use: Occurrence, code: int) -> bool:
    template = use.group.template
    if template.projection is not None:
        return ends.are_kept(code, template.projection)
    if len(template.body) < 2 or template.summaries:
        return False
    added, removed = state.changes.added.get(code), state.changes.removed.get(code)
    if removed is not None and not _finds_none(state, use, removed, state.get_before):
        return False
    return added is None or _finds_none(state, use, added, state.get)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _KnownEnds:
    """Which relations of pairs have the same ends as before, each asked once."""

    state: PassState
    _known: dict[tuple[int, int], bool] = field(default_factory=dict)

    def are_kept(self, code: int, position: int) -> bool:
        """Whether a relation has gained few pairs and lost few, and is seen to have the same ids at a position as
        before: O(these log pairs)."""
        found = self._known.get((code, position))
        if found is None:
            state = self.state
            found = self._known[code, position] = _are_ends(
                state.changes.removed.get(code), state.get(code), position
            ) and _are_ends(state.changes.added.get(code), state.get_before(code), position)
        return found


def _are_ends(delta: Table | None, table: Table | None, position: int) -> bool:
    """Whether few pairs have only ids at a position that a table has there."""
    if delta is None:
        return True
    if not table or delta.is_virtual or delta.estimate > rule_tuning.PROJECTED_ENDS:
        return False
    return all_of(table.has_key(position, delta.distinct(position)))


def _finds_none(state: PassState, use: Occurrence, delta: Table, read: Reader) -> bool:
    """Whether few facts of the atom of a rule are known to find none of another atom."""
    if delta.is_virtual or delta.estimate > rule_tuning.FEW_ROWS:
        return False
    body = use.group.template.body
    columns = dict(zip(body[use.position].arguments, delta.columns(), strict=True))
    for position, atom in enumerate(body):
        if position == use.position:
            continue
        code = use.parameters[atom.relation]
        table = read(code)
        if not table:
            return True
        if not table.is_virtual or state.strata.spanned(code) is not None:
            for place, slot in enumerate(atom.arguments):
                if slot >= 0 and slot in columns and not any_of(table.has_key(place, columns[slot])):
                    return True
    return False
