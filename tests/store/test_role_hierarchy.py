"""Which roles may make a term a subject or an object, beside a walk from each role to all relations above it.

Would catch a relation whose terms are not found because a definition above it turns facts round, shows them in a class,
or shows them both ways.
"""

from __future__ import annotations

import random

import pytest

from kgreason.relations.codes import CLASS, PROPERTY, kind_of
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.role_hierarchy import Hierarchy, Roles
from tests.facade import EX, add, ex

FORMS = (
    "[?x, e:{0}, ?y] :- [?x, e:{1}, ?y] .",
    "[?y, e:{0}, ?x] :- [?x, e:{1}, ?y] .",
    "[?y, e:{0}, ?x] :- [?x, e:{0}, ?y] .",
    "[?x, e:{0}, ?z] :- [?x, e:{0}, ?y], [?y, e:{0}, ?z] .",
    "[?x, e:{0}, ?z] :- [?x, e:{1}, ?y], [?y, e:{0}, ?z] .",
    "[?x, e:{0}, ?y] :- aux(?y, ?x) . aux(?x, ?y) :- [?x, e:{1}, ?y] .",
    "e:C{2}(?x) :- e:C{3}(?x) .",
    "e:C{2}(?x) :- [?x, e:{0}, ?y] .",
)


@pytest.mark.parametrize("seed", range(30))
def test_roles_matter_as_what_is_above_them_shows_facts(seed: int) -> None:
    chance, names = random.Random(seed), [f"p{number}" for number in range(6)]
    forms = [chance.choice(FORMS) for _ in range(10)]
    rules = (
        form.format(chance.choice(names), chance.choice(names), chance.randrange(4), chance.randrange(4))
        for form in forms
    )
    base = KnowledgeBase(f"@prefix e: <{EX}> . {' '.join(rules)}")
    for name in names:
        add(base, (ex("a"), ex(name), ex("b")))
    assert len(base.all()) >= len(names)
    state = base._current.state
    hierarchy = Hierarchy(state.engine.definitions, Roles())

    for code, table in state.engine.facts.items():
        for position in range(table.arity):
            faces = [face for face in hierarchy.above(code) if kind_of(face.code) in (CLASS, PROPERTY)]
            ends = [(position == 1) ^ face.inverse for face in faces if kind_of(face.code) == PROPERTY]
            in_class = any(kind_of(face.code) == CLASS for face in faces)
            assert hierarchy.matters((code, position), is_object=True) == (True in ends)
            assert hierarchy.matters((code, position), is_object=False) == (in_class or False in ends)
