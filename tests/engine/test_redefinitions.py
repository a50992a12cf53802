"""Definitions of two plans are compared once for all relations that share them.

Would catch a comparison for each of a thousand members, each of which looks at all members.
"""

from __future__ import annotations

import pytest

from kgreason.engine.redefinitions import redefined
from kgreason.relations.catalogue import UNION, Definition, Oriented

COUNT = 20


def _shared(closure: str, codes: range) -> dict[int, Definition]:
    members = tuple(Oriented(code) for code in codes)
    definition = Definition(closure, 1, members, ())
    return dict.fromkeys(codes, definition)


def test_members_that_share_a_definition_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before, now = _shared(UNION, range(COUNT)), _shared(UNION, range(1, COUNT + 1))
    same, again = _shared(UNION, range(COUNT, 2 * COUNT)), _shared(UNION, range(COUNT, 2 * COUNT))
    compared = []
    equal = Definition.__eq__
    monkeypatch.setattr(Definition, "__eq__", lambda one, other: compared.append(one) or equal(one, other))

    assert not redefined(same, again)
    assert {*redefined(now, before)} == {*range(COUNT + 1)}
    assert len(compared) <= 4
