"""All that is counted and checked of a knowledge base, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kgreason import progress
from kgreason.checkpoints import checkpoint
from kgreason.errors import UnknownTripleError
from kgreason.proofs.proof import Proof
from kgreason.quality.check import Check, Finding
from kgreason.quality.counts import Counts, counts_of
from kgreason.quality.graph_columns import GraphColumns
from kgreason.quality.hierarchy_checks import HIERARCHY_CHECKS
from kgreason.quality.label_checks import LABEL_CHECKS
from kgreason.quality.mapping_checks import MAPPING_CHECKS
from kgreason.quality.ontology_checks import ONTOLOGY_CHECKS, unsatisfiable
from kgreason.quality.term_checks import TERM_CHECKS
from kgreason.rdf.model import IRI, Term
from kgreason.rdf.vocabulary import OWL, RDFS
from kgreason.store.consistency import Inconsistency
from kgreason.store.knowledge_base import KnowledgeBase

CHECKS: Final[tuple[Check, ...]] = (
    *ONTOLOGY_CHECKS,
    *TERM_CHECKS,
    *HIERARCHY_CHECKS,
    *LABEL_CHECKS,
    *MAPPING_CHECKS,
)
PROOFS: Final = 20
"""So many inconsistencies, and so many unsatisfiable classes, are proved: some milliseconds each."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A violated integrity condition, with proofs of those of its triples that are not asserted."""

    inconsistency: Inconsistency
    proofs: tuple[Proof[Term], ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a graph has, and what is wrong with it.

    Args:
        counts: of triples and terms.
        findings: one for each check, also for those that found nothing.
        contradictions: the violated integrity conditions of the rules in use, and defective lists.
        unsatisfiable: a proof for each class that cannot have members, up to `PROOFS`.
    """

    counts: Counts
    findings: tuple[Finding, ...]
    contradictions: tuple[Contradiction, ...]
    unsatisfiable: tuple[Proof[Term], ...]

    @property
    def has_problems(self) -> bool:
        """Whether there is a contradiction, or a finding that is more than a note."""
        return bool(self.contradictions) or any(finding.is_problem for finding in self.findings)


def report_on(knowledge: KnowledgeBase, checks: Sequence[Check] = CHECKS) -> Report:
    """Count and check everything."""
    graph = GraphColumns(knowledge)
    findings = []
    for number, check in enumerate(checks):
        checkpoint()
        progress.begin("checking", check.name, offset=number, total=len(checks))
        findings.append(Finding(check, tuple(check.find(graph))))
    asserted = graph.explicit
    contradictions = []
    for number, found in enumerate(knowledge.inconsistencies()):
        triples = found.triples if number < PROOFS and not found.reason else ()
        contradictions.append(Contradiction(found, tuple(_proofs(knowledge, triples, asserted.contains))))
    classes = unsatisfiable(graph)[:PROOFS].tolist()
    below = [(knowledge.dictionary.decode(term), IRI(RDFS + "subClassOf"), IRI(OWL + "Nothing")) for term in classes]
    return Report(
        counts_of(graph), tuple(findings), tuple(contradictions), tuple(_proofs(knowledge, below, lambda *_: False))
    )


def _proofs(
    knowledge: KnowledgeBase, triples: Iterable[tuple[Term, ...]], is_asserted: Callable[[int, int, int], bool]
) -> Iterable[Proof[Term]]:
    """Proofs of the triples that are not asserted."""
    for triple in triples:
        subject, predicate, object = map(knowledge.dictionary.lookup, triple)
        if subject is None or predicate is None or object is None or is_asserted(subject, predicate, object):
            continue
        try:
            yield knowledge.explain(subject, predicate, object)
        except UnknownTripleError:  # a condition that is no triple of the graph, such as a literal as a subject
            continue
