"""W3C's suites of SPARQL-RL: syntax, well-formedness, stratification, evaluation.

They are looked for in the folder that the environment variable ``KGREASON_W3C_TESTS`` names, which has a clone of the
repository of the Data Shapes group:

    git clone https://github.com/w3c/data-shapes
    KGREASON_W3C_TESTS=$PWD python -m pytest tests/conformance/test_rule_suites.py

The draft's own suite is ``tests/sparql-rl``; ``tests/rules`` is that of the drafts before, where the language was part
of SHACL. Cases of evaluation are also replayed: their data is added and removed one triple at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyoxigraph as ox

from kgreason.errors import RuleSyntaxError, StratificationError, UnsafeRuleError
from kgreason.sparql_rl.documents import read_file
from kgreason.sparql_rl.reader import read_rule_set
from kgreason.sparql_rl.stratification import check_rules
from kgreason.sparql_rl.wellformedness import check_rule
from tests.conformance.suite import Suite, skip_list
from tests.sparql_rl.replay import replayed
from tests.sparql_rl.stores import canonical, inferred_of, store_with, triples_of

FOLDERS = {"sparql-rl": "SPARQL 1.2 RL", "rules": "SPARQL-RL, earlier drafts"}
KINDS = {"syntax": "Syntax", "wellformed": "WellFormedness", "stratification": "Stratification", "eval": "Eval"}
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
NAMESPACES = ("http://www.w3.org/ns/sparql-rl-tests#", "http://www.w3.org/ns/shacl-rules-test#")


@dataclass(frozen=True)
class Case:
    """A rule set, and for evaluation data and what follows."""

    name: str
    kind: str
    rules: Path
    data: Path | None = None
    result: Path | None = None


def suites() -> dict[str, Suite]:
    """The suites that are there."""
    clones, listed = os.environ.get("KGREASON_W3C_TESTS"), skip_list("rules-skip.txt")
    found: dict[str, Suite] = {}
    for folder, title in FOLDERS.items() if clones else ():
        where = Path(clones) / "data-shapes" / "shacl12-test-suite" / "tests" / folder
        cases = [case for manifest in sorted(where.rglob("manifest.ttl")) for case in _cases(manifest, where)]
        for short, kind in KINDS.items():
            runs = {f"{folder}/{case.name}": partial(passes, case) for case in cases if kind in case.kind}
            if runs:
                found[f"{folder}-{short}"] = Suite(f"{title}, {short}", runs, listed)
        changed = {f"{folder}/{case.name}": partial(passes_changed, case) for case in cases if case.result}
        if changed:
            found[f"{folder}-replayed"] = Suite(f"{title}, eval, triple by triple", changed, listed)
    return found


def _cases(manifest: Path, root: Path) -> Iterator[Case]:
    home = "https://manifest.example/"
    graph = ox.Dataset(ox.parse(manifest.read_bytes(), ox.RdfFormat.TURTLE, base_iri=home))

    def value(subject: ox.NamedNode | ox.BlankNode, predicate: str) -> ox.NamedNode | ox.BlankNode | None:
        return next((q.object for q in graph.quads_for_subject(subject) if q.predicate.value == predicate), None)

    def file(name: ox.NamedNode | None) -> Path | None:
        return None if name is None else manifest.parent / name.value.removeprefix(home)

    def option(action: ox.BlankNode, name: str) -> Path | None:
        return next((file(found) for ns in NAMESPACES if (found := value(action, ns + name))), None)

    node = next((quad.object for quad in graph if quad.predicate.value == f"{MF}entries"), None)
    while node is not None and node.value != f"{RDF}nil":
        entry, node = value(node, f"{RDF}first"), value(node, f"{RDF}rest")
        kind, action = value(entry, f"{RDF}type"), value(entry, f"{MF}action")
        if kind is None or action is None:  # an entry that nothing describes
            continue
        folder, name = manifest.parent.relative_to(root), entry.value.rpartition("#")[2]
        if isinstance(action, ox.BlankNode):
            rules, data = option(action, "ruleset"), option(action, "data")
            yield Case(f"{folder}/{name}", kind.value, rules, data, file(value(entry, f"{MF}result")))
        else:  # named by its file: the numbers of these entries change with each version
            rules = file(action)
            yield Case(f"{folder}/{rules.stem}", kind.value, rules)


def passes(case: Case) -> bool:
    """Whether a case comes out as it should."""
    if "Eval" in case.kind:
        knowledge = store_with(read_file(case.rules), _triples(case.data))
        return inferred_of(knowledge) == canonical(_triples(case.result))
    check, error = _CHECKS[next(kind for kind in _CHECKS if kind in case.kind)]
    try:
        check(case.rules)
    except error:
        return "Negative" in case.kind
    return "Positive" in case.kind


def passes_changed(case: Case) -> bool:
    """Whether a store shows after each triple of the data what one that is made anew does."""
    replayed(read_file(case.rules), _triples(case.data))
    return True


def _triples(path: Path | None) -> list[ox.Triple]:
    return [] if path is None else triples_of(path.read_bytes(), path.as_uri())


def _read(path: Path) -> None:
    read_rule_set(path.read_text(), path.name, path.as_uri())


def _is_well_formed(path: Path) -> None:
    for rule in read_rule_set(path.read_text(), path.name, path.as_uri()).rules:
        check_rule(rule)


def _is_stratified(path: Path) -> None:
    check_rules(read_rule_set(path.read_text(), path.name, path.as_uri()).rules)


_CHECKS: dict[str, tuple[Callable[[Path], None], type[Exception]]] = {
    "Syntax": (_read, RuleSyntaxError),
    "WellFormedness": (_is_well_formed, UnsafeRuleError),
    "Stratification": (_is_stratified, StratificationError),
}
