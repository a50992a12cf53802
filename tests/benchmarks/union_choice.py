"""What it costs to keep unions virtual that rules join: ``python -m tests.benchmarks.union_choice``.

Time and bytes of the closures of LUBM(10,0) and RiC-O with its examples, for several limits of the catalogue
(`Catalogue.join_limit`), and with every relation written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from kgreason.io.readers import read_files
from kgreason.relations.catalogue import PLAIN, Catalogue
from kgreason.relations.schemes import standard_catalogue
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks.contestants import RUNS, timed
from tests.conformance.test_schemes_on_data import rico
from tests.shared_data import shared, unpacked

CHOICES: dict[str, Catalogue] = {
    "limit 0": standard_catalogue(),
    "limit 5": replace(standard_catalogue(), join_limit=5),
    "no limit": replace(standard_catalogue(), join_limit=10**9),
    "plain": standard_catalogue(PLAIN),
}


def measure(files: Sequence[Path | str], rules: Sequence[str], choice: Catalogue) -> tuple[float, float, int, int]:
    """Seconds to materialise, seconds for one change and a count, bytes of the relations, virtual relations."""
    times, changes = [], []
    for _ in range(RUNS):
        base = KnowledgeBase(rules, choice)
        quads = read_files(files, base.dictionary)
        base.add_quads(quads)
        times.append(timed(base.flush)[0])
        len(base.all())
        one = quads.where(quads.subject == quads.subject[len(quads.subject) // 2])
        for change in (base.remove_quads, base.add_quads):
            change(one)
            changes.append(timed(lambda base=base: len(base.all()))[0])
    relations = base.statistics().relations
    virtual = sum(relation.scheme in ("union", "transitive", "equivalence", "inverse") for relation in relations)
    return median(times), median(changes), sum(relation.bytes for relation in relations), virtual


def main() -> None:
    """Print the table as Markdown."""
    sets = {
        "LUBM(10,0), owl-rl": ([unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")], ["owl-rl"]),
        "LUBM(10,0), rdfs": ([unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")], ["rdfs"]),
        "RiC-O, owl-rl and skos": (rico(), ["owl-rl", "skos"]),
    }
    print("| | unions | materialise | change a resource, count | bytes | virtual |\n|---|---|---|---|---|---|")
    for title, (files, rules) in sets.items():
        for name, choice in CHOICES.items():
            seconds, change, size, virtual = measure(files, rules, choice)
            figures = f"{seconds * 1e3:.0f} ms | {change * 1e3:.1f} ms | {size / 1e6:.1f} MB | {virtual}"
            print(f"| {title} | {name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
