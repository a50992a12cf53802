"""What each switch of the engine's strategy is worth: ``python -m tests.benchmarks.switches``.

LUBM(10,0) and RiC-O with its examples: materialise, take one triple away, take a thousand away. And what it would
cost to count nonrecursive derivations (the C_nr of Hu et al. 2019 and of DYRE), where support is checked on demand
instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from statistics import median

import numpy as np

from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.strategy import Strategy
from kgreason.io.quads import Quads
from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_REST
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks.contestants import RUNS, timed
from tests.conformance.test_schemes_on_data import rico
from tests.shared_data import shared, unpacked

Files = Sequence[Path | str]


def strategies() -> dict[str, str | Strategy]:
    """Everything on; one switch off at a time; the baseline."""
    off = {f"without {switch.name}": replace(Strategy(), **{switch.name: False}) for switch in fields(Strategy)}
    return {"modular": "modular", **off, "plain": "plain"}


def removable(base: KnowledgeBase, quads: Quads) -> np.ndarray:
    """The rows that are no part of a list, which must not be cut off."""
    cells = [base.dictionary.encode(IRI(name)) for name in (RDF_FIRST, RDF_REST)]
    return np.flatnonzero(~np.isin(quads.predicate, cells))


def removals(base: KnowledgeBase, quads: Quads, size: int, runs: int) -> float:
    """Seconds to take triples away, the median over random ones; they are put back each time."""
    random, rows, times = np.random.default_rng(1), removable(base, quads), []
    for _ in range(runs):
        chosen = np.zeros(len(quads), dtype=np.bool_)
        chosen[random.choice(rows, size, replace=False)] = True
        part = quads.where(chosen)
        base.remove_quads(part)
        times.append(timed(base.flush)[0])
        base.add_quads(part)
        base.flush()
    return median(times)


def measure(files: Files, rules: Sequence[str], strategy: str | Strategy) -> tuple[float, float, float]:
    """Seconds to materialise, to take one triple away, to take a thousand away."""
    times = []
    for _ in range(RUNS):
        base = KnowledgeBase(rules, strategy=strategy)
        quads = read_files(files, base.dictionary)
        base.add_quads(quads)
        times.append(timed(base.flush)[0])
    return median(times), removals(base, quads, 1, 100), removals(base, quads, 1000, 10)


def count_derivations(base: KnowledgeBase) -> tuple[int, int]:
    """Evaluate every nonrecursive rule with all its derivations, and count them by head: derivations, facts."""
    engine = base.state.engine
    strata = engine.strata
    assert strata is not None
    evaluation = Evaluation(engine.facts.get, base._current.configuration.engine.terms)
    derivations = facts = 0
    for use in strata.heads.all():
        template = use.group.template
        inside = {strata.component(use.parameters[atom.relation]) for atom in template.body}
        if strata.component(use.head) in inside or template.head is None:
            continue
        head = template.head.of(use.parameters)
        found = [np.stack(head.columns(rows)) for rows in evaluation.matches(template, use.parameters)]
        if not found:
            continue
        _, counts = np.unique(np.concatenate(found, axis=1), axis=1, return_counts=True)
        derivations, facts = derivations + int(counts.sum()), facts + len(counts)
    return derivations, facts


def main() -> None:
    """Print the table as Markdown."""
    sets: dict[str, tuple[Files, list[str]]] = {
        "LUBM(10,0), owl-rl": ([unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")], ["owl-rl"]),
        "RiC-O, owl-rl and skos": (rico(), ["owl-rl", "skos"]),
    }
    print("| | strategy | materialise | one triple removed | a thousand removed |\n|---|---|---|---|---|")
    for title, (files, rules) in sets.items():
        for name, strategy in strategies().items():
            whole, one, many = measure(files, rules, strategy)
            print(f"| {title} | {name} | {whole * 1e3:.0f} ms | {one * 1e3:.2f} ms | {many * 1e3:.1f} ms |", flush=True)
        base = KnowledgeBase(rules)
        base.add_quads(read_files(files, base.dictionary))
        base.flush()
        seconds, (derivations, facts) = timed(lambda base=base: count_derivations(base))
        print(f"| {title} | to count {derivations:,} derivations of {facts:,} facts | {seconds * 1e3:.0f} ms | | |")


if __name__ == "__main__":
    main()
