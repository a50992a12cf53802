"""DYRE's setting: LUBM under RDFS and OWL 2 RL, where triples, axioms and rules come and go.

``python -m tests.benchmarks.dynamic [--size 1|10]`` runs each rule set in a process of its own, and prints
Markdown. Each change is measured with a read after it, and put back; times are medians, beside what the initial
materialisation takes. The target is that a batch of 1 % of the triples costs at most 3 % of that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TypeAlias

import numpy as np

from kgreason.io.quads import Quads
from kgreason.io.readers import read_files
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests.benchmarks.paper_contestants import MODULAR, changed, facts, knowledge, pick, read
from tests.benchmarks.papers import table
from tests.shared_data import shared, unpacked

Do: TypeAlias = Callable[[], object]
# What changes; medians of taking away and putting back, the dearest of either.
Row: TypeAlias = tuple[str, float, float, float]

TARGET = 0.03
RULE_SETS = ("rdfs", "owl-rl")
TIMES = {"1 %": 7, "50 %": 3}
PREFIXES = """@prefix ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#> . @prefix ex: <http://example.org/> .
"""
USER_RULES = {
    "a rule that is not recursive": "[?x, ex:taughtBy, ?y] :- [?x, ub:takesCourse, ?c], [?y, ub:teacherOf, ?c] .",
    "a rule on inferred types": "[?x, a, ex:Advised] :- [?x, a, ub:Person], [?x, ub:advisor, ?y] .",
    "two recursive rules": """[?x, ex:within, ?y] :- [?x, ub:subOrganizationOf, ?y] .
        [?x, ex:within, ?z] :- [?x, ex:within, ?y], [?y, ub:subOrganizationOf, ?z] .""",
    "two rules of a symmetric and transitive relation": """[?x, ex:near, ?y] :- [?x, ub:worksFor, ?d],
        [?y, ub:worksFor, ?d] . [?y, ex:near, ?x] :- [?x, ex:near, ?y] .
        [?x, ex:near, ?z] :- [?x, ex:near, ?y], [?y, ex:near, ?z] .""",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A materialised knowledge base, with what it was made from, and the seconds that took."""

    base: KnowledgeBase
    data: Quads
    axioms: Quads
    seconds: float


def materialised(rules: str, size: int) -> Setting:
    """LUBM with its ontology, materialised three times."""
    times = []
    for _ in range(3):
        base = knowledge(resolve_rules(rules), MODULAR)
        data = read_files([unpacked(f"lubm/lubm{size}.nt.bz2")], base.dictionary, format="nt")
        axioms = read_files([shared("lubm/univ-bench.owl")], base.dictionary)
        base.add_quads(data)
        base.add_quads(axioms)
        times.append(changed(base, base.flush))
    parts = [base.dictionary.encode(IRI(RDF + name)) for name in ("first", "rest")]
    # A list that is cut off is refused; all other triples of the ontology may go.
    return Setting(base, data, axioms.where(~np.isin(axioms.predicate, parts)), median(times))


def there_and_back(base: KnowledgeBase, title: str, samples: list[tuple[Do, Do]]) -> Row:
    """Make changes, read, undo them, read: seconds; the facts must be those from before."""
    before = facts(base)
    there, back = [], []
    for change, undo in samples:
        there.append(changed(base, change))
        back.append(changed(base, undo))
        assert facts(base) == before, title
    return title, median(there), median(back), max(there + back)


def batches(setting: Setting) -> Iterator[Row]:
    """Shares of the data, and of the axioms."""
    generator = np.random.default_rng(3)
    base = setting.base
    for kind, quads in (("triples", setting.data), ("axioms", setting.axioms)):
        for share, count in (("1 %", len(quads) // 100), ("50 %", len(quads) // 2)):
            chosen = [pick(quads, count, generator) for _ in range(TIMES[share])]
            samples: list[tuple[Do, Do]] = [
                (partial(base.remove_quads, some), partial(base.add_quads, some)) for some in chosen
            ]
            yield there_and_back(base, f"{share} of the {kind} ({count:,}), removed, added", samples)


def rule_changes(setting: Setting) -> Iterator[Row]:
    """Rules of the rule set go and come back; rules of a user come and go."""
    generator = np.random.default_rng(4)
    base = setting.base
    rules = base.program.rules
    for share, count in (("1 %", max(1, len(rules) // 100)), ("50 %", len(rules) // 2)):
        samples: list[tuple[Do, Do]] = []
        for _ in range(TIMES[share]):
            some = Program(tuple(rules[i] for i in generator.choice(len(rules), count, replace=False)))
            samples.append((partial(base.remove_rules, some), partial(base.add_rules, some)))
        yield there_and_back(base, f"{share} of the rules ({count}), removed, added", samples)
    for name, text in USER_RULES.items():
        more = resolve_rules(PREFIXES + text)
        samples = [(partial(base.add_rules, more), partial(base.remove_rules, more))] * 5
        yield there_and_back(base, f"{name}, added, removed", samples)


def measure(rules: str, size: int) -> None:
    """Print one JSON object: the initial materialisation, and the rows."""
    setting = materialised(rules, size)
    rows = [*batches(setting), *rule_changes(setting)]
    print(json.dumps({"seconds": setting.seconds, "triples": read(setting.base), "rows": rows}))


def cells(row: Row, initial: float) -> list[str]:
    """A row of the table; the target is for 1 % of the triples."""
    title, *times = row
    shown = [f"{time * 1000:,.3g} ms ({time / initial:.1%})" for time in times]
    goal = f"{TARGET:.0%}" if title.startswith("1 %") else ""
    met = "" if not goal else "met" if max(times[:2]) <= TARGET * initial else "MISSED"
    return [title, *shown, f"{goal} {met}".strip()]


def main() -> None:
    """Print a table for each rule set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10, choices=(1, 10))
    parser.add_argument("--only", choices=RULE_SETS, help="measure one rule set in this process, and print JSON")
    options = parser.parse_args()
    if options.only:
        measure(options.only, options.size)
        return
    head = "change | there | back | dearest | target"
    print(f"### LUBM({options.size},0) that changes, after DYRE\n")
    for rules in RULE_SETS:
        print(f"LUBM({options.size},0) under {rules} ...", file=sys.stderr)
        command = [sys.executable, "-m", __spec__.name, "--only", rules, "--size", str(options.size)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found = json.loads(done.stdout)
        triples = f"{found['triples']:,} triples"
        print(f"Under {rules}, {triples}; initial materialisation: {found['seconds'] * 1000:,.3g} ms.\n")
        print(table(head, [cells(row, found["seconds"]) for row in found["rows"]]) + "\n", flush=True)


if __name__ == "__main__":
    main()
