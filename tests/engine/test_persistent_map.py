"""Versions of a map beside plain dictionaries: a change of a draft that reaches an older version, an entry that comes
back, or keys in another order than that in which they came."""

from __future__ import annotations

import random

import pytest

from kgreason.engine.persistent_map import PersistentMap


@pytest.mark.parametrize("seed", range(20))
def test_versions_have_the_entries_of_a_dictionary_and_older_ones_keep_theirs(seed: int) -> None:
    chance = random.Random(seed)
    known = {key: f"{key}" for key in range(chance.choice((0, 10, 300)))}
    version: PersistentMap[str] = PersistentMap(known)
    kept = []
    for step in range(30):
        draft = version.draft()
        for _ in range(chance.choice((1, 3, 100))):
            key, value = chance.randrange(400), chance.choice((None, "", f"{step}"))
            draft.put(key, value)
            if value:
                known[key] = value
            else:
                known.pop(key, None)
        assert {*draft.items()} == {*known.items()}
        version = draft.version()
        kept.append((version, dict(known)))

    for each, entries in kept:
        each._check()
        assert len(each) == len(entries)
        assert dict(each.items()) == entries
        assert [*each] == [key for key, _ in each.items()]
        assert all(each.get(key) == entries.get(key) for key in range(400))


@pytest.mark.parametrize("seed", range(20))
def test_totals_are_those_of_the_entries_whichever_version_is_asked_first(seed: int) -> None:
    chance = random.Random(seed)
    versions: list[PersistentMap[str]] = [PersistentMap({key: "x" * (key % 7) for key in range(300)})]
    for _ in range(60):
        draft = chance.choice(versions[-3:]).draft()
        for _ in range(chance.choice((1, 3, 40))):
            draft.put(chance.randrange(400), chance.choice((None, "", "x", "xx", "x" * 9)))
        versions.append(draft.version())
    asked: list[int] = []

    def size(key: int, value: str) -> int:
        asked.append(key)
        return key + len(value)

    for version in chance.sample(versions, len(versions)):
        assert version.total(size) == sum(key + len(value) for key, value in version.items())
    asked.clear()
    versions[-1].total(size)
    assert len(asked) < 200


def test_entries_come_in_the_order_of_their_keys_and_new_ones_behind() -> None:
    draft = PersistentMap({3: "c", 1: "a", 2: "b"}).draft()
    for key, value in ((2, None), (5, "e"), (4, "d"), (3, "z")):
        draft.put(key, value)

    assert [*draft.version().items()] == [(3, "z"), (1, "a"), (5, "e"), (4, "d")]
