"""Documents that are read anew: the knowledge base is as if it had read their last versions alone."""

from __future__ import annotations

import random

import pytest

from kgreason.comparison.comparison import Comparison, compare
from kgreason.comparison.document_revisions import Revisions
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError
from kgreason.io.quads import Quads
from kgreason.io.readers import read_stream
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests.profiles import examples

TRANSITIVE = "@prefix owl: <http://www.w3.org/2002/07/owl#> . <e:p> a owl:TransitiveProperty .\n"


def document(rnd: random.Random) -> str:
    nodes = ["<e:a>", "<e:b>", "<e:c>", "_:x", "_:y", "_:z"]
    text = TRANSITIVE if rnd.random() < 0.5 else ""
    return text + "".join(f"{rnd.choice(nodes)} <e:p> {rnd.choice(nodes)} .\n" for _ in range(rnd.randint(0, 8)))


@pytest.mark.parametrize("seed", range(examples(30)))
def test_revisions_equal_reading_the_last_versions(seed: int) -> None:
    rnd = random.Random(seed)
    revisions = Revisions(KnowledgeBase("owl-rl"))
    texts: dict[str, str] = {}
    for _ in range(4):
        changed = {name: document(rnd) if rnd.random() < 0.8 else None for name in rnd.sample("abc", rnd.randint(1, 3))}
        branch = revisions.begin()
        read: dict[str, Quads | None] = {
            name: None if text is None else read_stream(text.encode(), branch.dictionary, format="turtle")
            for name, text in changed.items()
        }
        before = len(revisions.knowledge.explicit())
        found = revisions.revise(branch, read)
        revisions.accept(found)
        texts = {name: text for name, text in (texts | changed).items() if text is not None}

        whole = KnowledgeBase("owl-rl")
        for text in texts.values():
            whole.add_quads(read_stream(text.encode(), whole.dictionary, format="turtle"))
        again = compare(revisions.knowledge, lambda dictionary: Quads.concatenated(
            [read_stream(text.encode(), dictionary, format="turtle") for text in texts.values()]))  # noqa: B023  # read at once
        assert not again
        assert len(revisions.knowledge.all()) == len(whole.all())
        assert before - len(found.explicit.removed) + len(found.explicit.added) == len(whole.explicit())
        revisions.knowledge._check()


def test_a_triple_of_two_documents_stays_until_both_are_gone() -> None:
    revisions = Revisions(KnowledgeBase("none"))
    for documents, expected in (({"a": 1, "b": 1}, (1, 0)), ({"a": 0}, (0, 0)), ({"b": 0}, (0, 1))):
        branch = revisions.begin()
        quads = read_stream(b"<e:a> <e:p> <e:b> .", branch.dictionary, format="turtle")
        found = revisions.revise(branch, {name: quads if there else None for name, there in documents.items()})
        assert (len(found.explicit.added), len(found.explicit.removed)) == expected
        revisions.accept(found)


def test_rules_change_with_documents() -> None:
    revisions = Revisions(KnowledgeBase("<e:q>(?x, ?y) :- <e:p>(?x, ?y) ."))
    branch = revisions.begin()
    quads = read_stream(b"<e:a> <e:p> <e:b> .", branch.dictionary, format="turtle")
    program = resolve_rules("<e:r>(?x, ?y) :- <e:p>(?x, ?y) .")
    found = revisions.revise(branch, {"a": quads}, dict.fromkeys(program.rules, 1))
    assert (len(found.rules.added), len(found.rules.removed), len(found.inferred.added)) == (1, 1, 1)


def test_what_cannot_be_maintained_changes_nothing() -> None:
    revisions = Revisions(KnowledgeBase("<e:q>(?x, ?z) :- <e:p>(?x, ?y), <e:p>(?y, ?z) .", budget=Budget(facts=10)))

    def revise(count: int) -> Comparison:
        branch = revisions.begin()
        text = "".join(f"<e:{n}> <e:p> <e:{n + 1}> .\n" for n in range(count))
        return revisions.revise(branch, {"a": read_stream(text.encode(), branch.dictionary, format="turtle")})

    revisions.accept(revise(5))
    with pytest.raises(BudgetError):
        revise(40)
    assert len(revisions.knowledge.all()) == 9
    revisions.accept(revise(6))
    assert len(revisions.knowledge.all()) == 11
