"""Guards that copy a closure of their own stratum, and of which the steps are enough.

A rule that copies facts along each pair of a guard copies them along paths as well (`kgreason.relations.steps`). So of
``guard(c, d) :- sub(c, d)``, where the closure ``sub`` is kept as a part of the stratum, the pairs are kept that the
closure is made of: a rule for each edge of a hierarchy, and not for each pair of its closure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from kgreason.engine.strata.definitions import SchemeAssignment, Stratum
from kgreason.relations.catalogue import STEPS, TRANSITIVE, Definition, Feed, Naming, Oriented


def step_parts(
    stratum: Stratum,
    parts: Sequence[SchemeAssignment],
    copied: Mapping[int, Naming],
    reserved: Collection[int],
    accepts: Callable[[Definition], bool],
) -> Iterator[SchemeAssignment]:
    """The guards of a stratum that are kept as the steps of a closure among its parts, one for each closure.

    Args:
        copied: guards whose rules all copy facts from what one id names to what the other names.
        reserved: relations that no scheme keeps.
    """
    closures = {
        member.code
        for part in parts
        for member in part.definition.members
        if part.definition.closure == TRANSITIVE
    }
    for guard in sorted(stratum.members & copied.keys() - {*reserved}):
        copies = {(source, inverse) for source, target, inverse in stratum.copies if target == guard}
        if len(copies) == 1 and (source := next(iter(copies)))[0] in closures:
            feed = Feed(Oriented(*source))
            steps = Definition(STEPS, 2, (Oriented(guard),), (), is_part=True, naming=copied[guard], feeds=(feed,))
            if accepts(steps):
                closures.discard(source[0])
                yield SchemeAssignment(steps, ())
