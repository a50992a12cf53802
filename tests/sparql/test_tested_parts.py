"""Parts of a pattern that only test, since no variable connects them with what a query asks for, beside Oxigraph.

Would catch a part that is taken to hold without a look at it, a filter between two parts that goes with one of them,
EXISTS in such a filter that is asked for other rows, and a product that is made before it is known that a filter passes
nothing of it.
"""

from __future__ import annotations

from random import Random

import pytest

from kgreason.sparql.algebra import Expression
from kgreason.sparql.solution_expressions import Existence, Expressions
from kgreason.sparql.solutions import Mask, Solutions
from tests.profiles import examples
from tests.sparql.peer_rows import peers_with, rows_of, rows_of_peer
from tests.thresholds import Tuned

PARTS = ("?a e:p ?av", "?b e:q ?bv", "?c e:p ?cv . ?c e:r ?cw", "?d e:r ?dv")
FILTERS = (
    "?{0}v != ?{1}v",
    "?{0}v != ?{1}v && ?{0} != ?{1}",
    "?{0}v < ?{1}v",
    "?{0}v + ?{1}v = 5",
    "?{0}v != ?{1}v || EXISTS {{ ?{0} e:r ?{1}v }}",
    "EXISTS {{ ?{0} e:q ?{1}v }}",
    "NOT EXISTS {{ ?{0} e:p ?{1}v . ?{1} e:r ?{0}v }}",
)
COUNT = 40


def data(random: Random) -> str:
    values = random.sample(["1", "2", "1.0", "3", '"x"', "<http://e/s>"], 3)
    lines = (
        f"<http://e/{random.choice('stu')}> <http://e/{predicate}> {random.choice(values)} .\n"
        for predicate in "pqr"
        for _ in range(random.randint(0, 5))
    )
    return "".join(lines)


@pytest.mark.parametrize("work", [0, 1 << 14])
@pytest.mark.parametrize("parts", [2, 3, 4])
def test_what_is_found_is_oxigraphs(work: int, parts: int, tuned: Tuned) -> None:
    tuned(CONJUNCTION_WORK=work, FEW_PAIRED=0, FEW_BESIDE=0)
    random = Random(parts + work)
    for _ in range(examples(12)):
        graph, peer = peers_with(data(random))
        for _ in range(6):
            own = random.sample(PARTS, parts)
            names = [part[1] for part in own]
            filters = [random.choice(FILTERS).format(*random.sample(names, 2)) for _ in range(random.randint(0, 3))]
            group = f"{' . '.join(own)} {' '.join(f'FILTER ({each})' for each in filters)}"
            chosen = " ".join(f"?{name}" for name in random.sample(names, random.randint(1, 2)))
            for query in (
                f"SELECT DISTINCT {chosen} {{ {group} }}",
                f"SELECT ?x {{ ?x e:p ?y FILTER EXISTS {{ {group} }} }}",
                f"SELECT {chosen} {{ {group} }}",
            ):
                query = f"PREFIX e: <http://e/> {query}"
                assert rows_of(graph, query) == rows_of_peer(peer, query), query
            asked = f"PREFIX e: <http://e/> ASK {{ {group} }}"
            assert graph.query(asked).askAnswer == bool(peer.query(asked)), asked


@pytest.mark.parametrize(
    "condition",
    [
        *("?av != ?bv", "?av < ?bv", "STRLEN(?av) + STRLEN(?bv) = 3", "?av != ?bv && ?cv != ?dv"),
        *("EXISTS { ?a e:q ?bv }", "EXISTS { ?i e:r ?j }", "NOT EXISTS { ?i e:p ?j }"),
    ],
)
def test_what_no_filter_connects_is_paired_with_solutions_alone(
    condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, _ = peers_with("".join(f'<http://e/s{n}> <http://e/p> "x" ; <http://e/q> {n} .\n' for n in range(COUNT)))
    group = f"?c e:q ?cv . ?d e:q ?dv . ?a e:p ?av . ?b e:p ?bv FILTER({condition})"
    tested: list[int] = []
    truth = Expressions.truth

    def counted(self: Expressions, expression: Expression, rows: Solutions, exists: Existence) -> Mask:
        tested.append(rows.length)
        return truth(self, expression, rows, exists)

    monkeypatch.setattr(Expressions, "truth", counted)

    assert not [*graph.query(f"PREFIX e: <http://e/> SELECT * {{ {group} }} LIMIT 5")]
    assert sum(tested) <= 3 * COUNT * COUNT


def test_more_parts_with_a_filter_than_python_nests_calls_are_paired() -> None:
    graph, _ = peers_with("<http://e/s> <http://e/p> 1 .")
    parts = " . ".join(f"?x{number} <http://e/p> ?y{number}" for number in range(1000))

    assert len(graph.query(f"SELECT * {{ {parts} FILTER(?y0 < 2) }}")) == 1
