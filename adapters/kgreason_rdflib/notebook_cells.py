"""What notebooks show of inconsistencies, differences, stores and answers: HTML that is bounded and has no scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from rdflib.graph import Graph
from rdflib.term import Node

from kgreason_rdflib.graph_scopes import DEFAULT
from kgreason_rdflib.rdflib_terms import Triple, to_model

if TYPE_CHECKING:
    from kgreason.program.rules import Rule
    from kgreason_rdflib.branching import Difference
    from kgreason_rdflib.reasoning import Inconsistency
    from kgreason_rdflib.store import ReasoningStore

FEW: Final = 10
"""How many triples or rules of a difference are shown at once; more have to be unfolded."""
MOST_GRAPHS: Final = 20
"""How many named graphs of a difference are shown."""

# What makes HTML is imported when a notebook shows something.


def cell_of_inconsistencies(found: Sequence[Inconsistency]) -> str:
    """The rules that are violated, each with the triples that clash."""
    from kgreason.html_fragments import MOST_ROWS, cell, code, more, text

    def parts() -> Iterator[str]:
        if not found:
            yield '<p class="faint">no inconsistencies</p>'
        for each in found[:MOST_ROWS]:
            reason = f" {text(each.reason)}" if each.reason else ""
            yield f'<div><span class="mark">{text(each.rule or "rule without a name")}</span>{reason}'
            yield '<div class="nested">'
            triples = each.triples[:MOST_ROWS]
            yield from (f"<div>{code(shown)}</div>" for shown in _shown(triples, each.namespaces))
            yield from more(len(each.triples), MOST_ROWS)
            yield "</div></div>"
        yield from more(len(found), MOST_ROWS)

    return cell(parts())


def cell_of_difference(difference: Difference, namespaces: Mapping[str, str]) -> str:
    """What is added and removed: triples, explicit and inferred, and rules."""
    from kgreason.html_fragments import cell

    return cell(_difference(difference, namespaces))


def cell_of_store(store: ReasoningStore) -> str:
    """The counts of a store, and what sets a branch apart from the store that it came from."""
    from kgreason.html_fragments import cell, table, text

    rows = [[text(name), f"{count:,}"] for name, count in store.statistics().totals]
    content = [*table(("branch" if store.is_branch else "store", "count"), rows, numbers=True)]
    if store.is_branch:
        namespaces = _texts(dict(store.namespaces()))
        content += ["<div>Beside its origin:</div>", *_difference(store.difference(), namespaces)]
    return cell(content)


def cell_of_rows(names: Sequence[str], rows: Iterator[Sequence[Node | None]], namespaces: Mapping[str, Any]) -> str:
    """The first rows of an answer."""
    from kgreason.html_fragments import MOST_ROWS, cell, code, table
    from kgreason.proofs.proof_texts import Names

    shorten = Names(_texts(namespaces)).shorten
    shown = [
        ["" if node is None else code(shorten(str(to_model(node)))) for node in row] for row in islice(rows, MOST_ROWS)
    ]
    note = '<p class="more">... and more</p>' if next(rows, None) is not None else ""
    return cell([*table(names, shown), note])


def cell_of_graph(graph: Graph) -> str:
    """The first triples of a graph."""
    from kgreason.html_fragments import cell

    return cell(_graph("triples", graph, _texts(dict(graph.namespaces()))))


def cell_of_answer(answer: bool | None) -> str:
    """The answer to an ASK."""
    from kgreason.html_fragments import cell, code

    return cell([code(str(bool(answer)).lower())])


def _texts(namespaces: Mapping[str, Any]) -> dict[str, str]:
    return {prefix: str(namespace) for prefix, namespace in namespaces.items()}


def _difference(difference: Difference, namespaces: Mapping[str, str]) -> Iterator[str]:
    explicit, inferred = difference.explicit, difference.inferred
    yield from _graph("explicit triples added", explicit.added, namespaces)
    yield from _graph("explicit triples removed", explicit.removed, namespaces)
    yield from _graph("inferred triples added", inferred.added, namespaces)
    yield from _graph("inferred triples removed", inferred.removed, namespaces)
    for name, sides in islice(difference.graphs.items(), MOST_GRAPHS):
        if name != DEFAULT:
            yield from _graph(f"explicit triples added to {name}", sides.added, namespaces)
            yield from _graph(f"explicit triples removed from {name}", sides.removed, namespaces)
    yield from _rules("rules added", difference.added_rules)
    yield from _rules("rules removed", difference.removed_rules)
    if not difference:
        yield '<p class="faint">no difference</p>'


def _graph(title: str, graph: Graph, namespaces: Mapping[str, str]) -> Iterator[str]:
    from kgreason.html_fragments import MOST_ROWS

    triples = list(islice(graph, MOST_ROWS))
    yield from _unfolding(title, len(graph), sorted(_shown(triples, namespaces)))


def _rules(title: str, rules: Sequence[Rule]) -> Iterator[str]:
    from kgreason.html_fragments import MOST_ROWS

    yield from _unfolding(title, len(rules), map(str, rules[:MOST_ROWS]))


def _unfolding(title: str, count: int, shown: Sequence[str] | Iterator[str]) -> Iterator[str]:
    from kgreason.html_fragments import MOST_ROWS, code, details, more, text

    if count:
        lines = (f"<div>{code(each)}</div>" for each in shown)
        content = [*lines, *more(count, MOST_ROWS)]
        yield from details(f"{text(title)}: {count:,}", content, is_open=count <= FEW)


def _shown(triples: Sequence[Triple], namespaces: Mapping[str, str]) -> list[str]:
    """Triples in N-Triples, shortened by prefixes."""
    from kgreason.proofs.proof_texts import Names

    names = Names(namespaces)
    return [names.triple([str(to_model(node)) for node in triple]) for triple in triples]
