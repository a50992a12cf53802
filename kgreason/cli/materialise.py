"""``kgreason materialise``: write down what is explicit and what follows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.inputs import Inputs, load
from kgreason.cli.options import Limits, OutputFile, RuleNames, Schemes, option_groups
from kgreason.cli.output import NAMES, check_target, output_format, written
from kgreason.cli.progress_bar import progress_bar
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason.store.triple_view import TripleView


@option_groups
def materialise(
    rules: RuleNames,
    *,
    output: OutputFile = None,
    inferred_only: Annotated[bool, typer.Option("--inferred-only", help="Leave out what was asserted.")] = False,
    output_format_name: Annotated[
        str | None,
        typer.Option("--output-format", metavar="FORMAT", help=f"{', '.join(NAMES)}; told by FILE."),
    ] = None,
    schemes: Schemes = "auto",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Write all triples, explicit and inferred, each once.

    N-Quads, TriG and JSON-LD keep named graphs; what follows is in the default graph. Formats other than N-Triples and
    N-Quads are sorted and use the prefixes of the files. FILE.gz, .bz2 and .zst are compressed.
    """
    check_target(output)
    format = output_format(output, output_format_name)
    declared: dict[str, str] = {}
    knowledge = load(inputs, rules, schemes, declared, limits)
    from kgreason.store.triple_writer import write_graphs

    graphs = _graphs(knowledge, inferred_only, keeps_names=format in ("nq", "trig", "jsonld"))
    with progress_bar("writing"), written(output) as stream:
        write_graphs(graphs, knowledge.dictionary, stream, format, STANDARD_PREFIXES | declared)
    if sys.stderr.isatty():
        explicit, inferred = len(knowledge.explicit()), len(knowledge.inferred())
        print(f"{explicit:,} explicit and {inferred:,} inferred triples", file=sys.stderr)


def _graphs(
    knowledge: KnowledgeBase, inferred_only: bool, keeps_names: bool
) -> list[tuple[int | None, list[TripleView]]]:
    """What is written, by the name of the graph, None for the default one."""
    from kgreason.io.quads import DEFAULT_GRAPH

    if inferred_only:
        return [(None, [knowledge.inferred()])]
    if not keeps_names:
        return [(None, [knowledge.all()])]
    named = [graph for graph in knowledge.graphs() if graph != DEFAULT_GRAPH]
    default = (None, [knowledge.graph(DEFAULT_GRAPH), knowledge.inferred()])
    return [default, *((graph, [knowledge.graph(graph)]) for graph in named)]
