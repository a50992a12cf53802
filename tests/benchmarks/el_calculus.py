"""A real program with relations of three arguments: ``python -m tests.benchmarks.el_calculus FOLDER``.

The rules are the calculus by which Nemo classifies ontologies of OWL EL (Kazakov, Krötzsch and Simančík, "The
incredible ELK", JAR 2014, figure 3). FOLDER has the relations of a normalised ontology as Nemo's examples have those of
GALEN (``owl-el/from-preprocessed-csv/data``), a file ``NAME.csv`` or ``NAME.csv.gz`` each. All of them are facts in the
text of the program. Beside it clingo's grounder, with numbers for names; each in a process of its own, processor time.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.benchmarks.papers import table

RULES: Final = """
    init(C) :- main(C). init(C) :- ex(E,R,C).
    sub(C,C) :- init(C).
    sub(C,top) :- main(C).
    sub(C,D1) :- sub(C,Y), conj(Y,D1,D2). sub(C,D2) :- sub(C,Y), conj(Y,D1,D2).
    sub(C,I) :- sub(C,D1), sub(C,D2), conj(I,D1,D2), negative(I).
    ex(E,R,C) :- sub(E,Y), exists(Y,R,C).
    sub(E,Y) :- ex(E,R,C), sub(C,D), role(R,S), exists(Y,S,D), negative(Y).
    ex(E,S,D) :- ex(E,R1,C), ex(C,R2,D), role(R1,S1), role(R2,S2), chain(S1,S2,S).
    sub(C,E) :- sub(C,D), below(D,E).
    sub(E,bottom) :- ex(E,R,C), sub(C,bottom).
    found(A,B) :- sub(A,B), main(A), main(B).
"""
FILES: Final = {
    "main": "isMainClass", "negative": "isSubClass", "conj": "conj", "exists": "exists", "below": "subClassOf",
    "role": "subProp", "chain": "subPropChain",
}  # fmt: skip
DERIVED: Final = {"init": 1, "sub": 2, "ex": 3, "found": 2}
CONSTANTS: Final = ("top", "bottom")
LIMIT: Final = 600


def facts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The name of a relation and the arguments of a fact."""
    for name, file in FILES.items():
        path = next((path for path in folder.glob(f"{file}.csv*")), None)
        if path is not None:
            with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="") as lines:
                yield from ((name, row) for row in csv.reader(lines))


def texts(folder: Path, term: Callable[[str], str]) -> str:
    """The facts as text."""
    return "\n".join(f"{name}({','.join(map(term, row))})." for name, row in facts(folder))


def kgreason(folder: Path) -> tuple[float, float, Mapping[str, int]]:
    """Seconds to read and to derive, and how many facts there are."""
    from kgreason.store.knowledge_base import KnowledgeBase

    rules = re.sub(r"\b([A-Z]\w*)", r"?\1", RULES)
    for name in CONSTANTS:
        rules = re.sub(rf"\b{name}\b", f"<http://e/{name}>", rules)
    text = rules + texts(folder, lambda each: each if each[0] == "<" else f"<http://e/{each}>")
    begin = time.process_time()
    base = KnowledgeBase(text)
    read = time.process_time()
    base.flush()
    derived = time.process_time()
    return read - begin, derived - read, {each.name: each.facts for each in base.statistics().relations}


def clingo(folder: Path) -> tuple[float, float, Mapping[str, int]]:
    """The same of clingo's grounder."""
    import clingo as asp

    numbers: dict[str, str] = {}
    text = texts(folder, lambda each: numbers.setdefault(each, str(len(numbers))))
    control = asp.Control(message_limit=0)
    begin = time.process_time()
    control.add("base", [], text + RULES)
    read = time.process_time()
    control.ground([("base", [])])
    derived = time.process_time()
    atoms = control.symbolic_atoms
    counts = {name: sum(1 for _ in atoms.by_signature(name, arity)) for name, arity in DERIVED.items()}
    return read - begin, derived - read, counts


CONTESTANTS: Final = {"kgreason": kgreason, "clingo": clingo}


def main() -> None:
    """Print the table as Markdown, or the numbers of one contestant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--one", choices=CONTESTANTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        read, derived, counts = CONTESTANTS[options.one](options.folder)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(json.dumps([read, derived, peak, *(counts[name] for name in DERIVED)]))
        return
    rows = []
    for name in CONTESTANTS:
        command = [sys.executable, "-m", "tests.benchmarks.el_calculus", str(options.folder), "--one", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
        read, derived, peak, *counts = json.loads(done.stdout)
        rows.append([name, f"{read:.2f} s", f"{derived:.2f} s", f"{peak} MB", *(f"{each:,}" for each in counts)])
    print(table(f"engine | read | derived | memory of the process | {' | '.join(DERIVED)}", rows))


if __name__ == "__main__":
    main()
