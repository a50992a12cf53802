"""Where filters stand in plans."""

from __future__ import annotations

from rdflib import Graph

from kgreason import ReasoningStore

TRIPLES = """
@prefix : <http://e/> .
:begin :to %s .
%s
"""


def hub(name: str, ends: int) -> str:
    """A node with many ends, to which as many lead."""
    return f":{name} :next {', '.join(f':{name}{n}' for n in range(ends))} . " + " ".join(
        f":from{name}{n} :next :{name} ." for n in range(ends)
    )


def test_of_two_steps_alike_the_one_with_a_filter_goes_first() -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    names = [f"n{n}" for n in range(5)]
    graph.parse(data=TRIPLES % (", ".join(f":{name}" for name in names), "\n".join(hub(name, 30) for name in names)))
    query = """
        PREFIX : <http://e/>
        SELECT * { :begin :to ?a . %s FILTER (isLiteral(?c)) }
    """
    steps = ["?b :next ?a .", "?a :next ?c ."]
    for pattern in (" ".join(steps), " ".join(reversed(steps))):
        assert len(graph.query(query % pattern)) == 0
        lines = store.explain_query(query % pattern).splitlines()
        with_filter, other = (next(at for at, line in enumerate(lines) if name in line) for name in ("?c", "?b"))
        assert with_filter < other, lines
        assert "found 0" in lines[with_filter]
