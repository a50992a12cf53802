"""A change that is interrupted leaves the store as it was, and stays queued."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from kgreason.engine.maintenance.maintenance_pass import Maintenance
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.table_versions import NetChange
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import add, ex, remove, triples

TYPE, SUBCLASS = IRI(RDF_TYPE), IRI(RDFS + "subClassOf")


def changed() -> KnowledgeBase:
    """A closure, with changes of data and schema queued that take several strata and passes."""
    base = KnowledgeBase("owl-rl")
    add(base, (ex("A"), SUBCLASS, ex("B")), (ex("x"), TYPE, ex("A")), (ex("B"), SUBCLASS, ex("C")))
    base.flush()
    remove(base, (ex("A"), SUBCLASS, ex("B")))
    add(base, (ex("A"), SUBCLASS, ex("D")), (ex("y"), TYPE, ex("A")))
    return base


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_interrupted_at_every_stratum(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = changed()
    expected = triples(undisturbed, undisturbed.all())
    original = Maintenance._stratum_changes
    for survived in count():
        base = changed()
        tables = dict(base.state.engine.facts.items())
        left = [survived]

        def interrupted(
            self: Maintenance, number: int, waiting: AgendaEntry, left: list[int] = left
        ) -> Iterator[tuple[int, NetChange]]:
            for change in original(self, number, waiting):
                left[0] -= 1
                if left[0] < 0:
                    raise error
                yield change

        with monkeypatch.context() as patch:
            patch.setattr(Maintenance, "_stratum_changes", interrupted)
            try:
                base.flush()
            except error:
                assert dict(base.state.engine.facts.items()) == tables
                base.state.engine._check()
            else:
                break
        assert triples(base, base.all()) == expected
        base._check()
    assert survived > 4
