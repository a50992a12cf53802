"""A knowledge base whose explicit quads are those of documents, each of which may be read anew.

    revisions = Revisions(knowledge)
    revision = revisions.begin()                 # a branch
    quads = read("data.ttl", revision.dictionary)
    comparison = revisions.revise(revision, {"data.ttl": quads})
    revisions.accept(comparison)

A document that was read anew is compared with what it was, blank nodes matched, and the difference alone is maintained.
Where anything fails before `accept`, the knowledge base is as it was.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kgreason.comparison.comparison import Comparison
from kgreason.comparison.quad_difference import QuadDifference, quad_difference, quads_without
from kgreason.io.quads import Quads
from kgreason.program.rules import Program, Rule
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.quad_export import quads_of
from kgreason.store.specialised_program import RuleEdit


class Revisions:
    """The quads of each document, and the knowledge base that has them all."""

    def __init__(self, knowledge: KnowledgeBase) -> None:
        """The knowledge base is empty, and changed by nothing else."""
        self.knowledge = knowledge
        self._quads: dict[str, Quads] = {}
        self._next: dict[str, Quads] = {}

    @property
    def quads(self) -> Mapping[str, Quads]:
        """The quads of each document, by the ids of the knowledge base and its next branch."""
        return self._quads

    def begin(self) -> KnowledgeBase:
        """A branch, by whose dictionary documents are to be read."""
        return self.knowledge.branch()

    def revise(
        self, branch: KnowledgeBase, documents: Mapping[str, Quads | None], rules: Mapping[Rule, int] | None = None
    ) -> Comparison:
        """Change a branch to what documents are now, None for one that is gone, and perhaps to other rules.

        Raises:
            KGReasonError: what follows from it cannot be maintained.
        """
        parts = {}
        for name, quads in documents.items():
            known = self._quads.get(name, Quads.empty())
            parts[name] = quad_difference(known, quads or Quads.empty(), branch.dictionary)
        later = dict(self._quads)
        for name, part in parts.items():
            kept = quads_without(self._quads.get(name, Quads.empty()), part.removed)
            later[name] = Quads.concatenated([kept, part.added])
            if documents[name] is None:
                del later[name]
        lost = Quads.concatenated([part.removed for part in parts.values()])
        elsewhere = [quads.where(np.isin(quads.subject, lost.subject)) for quads in later.values()]
        branch.remove_quads(quads_without(lost, Quads.concatenated(elsewhere)))
        branch.add_quads(Quads.concatenated([part.added for part in parts.values()]))
        branch.flush()
        if rules is not None:
            edit = RuleEdit.between(branch.rules, rules)
            branch.remove_rules(Program(edit.removed))
            branch.add_rules(Program(edit.added))
        self._next = later
        difference = branch.difference()
        sides = difference.graphs()
        explicit = QuadDifference(
            Quads.concatenated([quads_of(side.added, graph) for graph, side in sides.items()]),
            Quads.concatenated([quads_of(side.removed, graph) for graph, side in sides.items()]),
            any(part.is_approximate for part in parts.values()),
        )
        return Comparison(self.knowledge, branch, explicit, difference.rules())

    def accept(self, comparison: Comparison) -> None:
        """Have the outcome of the last `revise` from now on."""
        self.knowledge.adopt(comparison.after)
        self._quads = self._next
