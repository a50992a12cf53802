"""Additions of a reasoning store to rdflib's `Store`: rules, the change feed, proofs, inconsistencies, statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from reprlib import repr
from typing import IO, TYPE_CHECKING, Any, cast

from rdflib.graph import Graph
from rdflib.term import Node

from kgreason.errors import UnknownTripleError
from kgreason.rdf.vocabulary import STANDARD_PREFIXES
from kgreason.store.rule_sets import Rules
from kgreason.store.rule_warnings import warn_of_misspelt_relations
from kgreason.store.triple_view import View
from kgreason_rdflib.change_graphs import ChangeStore
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.notebook_cells import cell_of_inconsistencies
from kgreason_rdflib.prefixes import Prefixes
from kgreason_rdflib.rdflib_terms import Triple, from_model, to_model
from kgreason_rdflib.read_only_views import ReadOnlyView
from kgreason_rdflib.whole_files import whole_file

if TYPE_CHECKING:
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.why_not import WhyNot
    from kgreason.store.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """An integrity condition that is violated: the name of its rule, and the triples that clash.

    A list that is cut off or cyclic is reported under the name "list". Its triples are those of the axioms that name
    it, which have no effect, and those of the list as far as it goes; its `reason` says where it breaks. The `reason`
    of a rule is empty. `namespaces` are the prefixes that a notebook shows.
    """

    rule: str
    triples: tuple[Triple, ...]
    reason: str = ""
    namespaces: Mapping[str, str] = field(default_factory=lambda: STANDARD_PREFIXES, compare=False, repr=False)

    def __str__(self) -> str:
        name = f"{self.rule}: {self.reason}" if self.reason else self.rule
        return f"{name}: " + "; ".join(" ".join(node.n3() for node in triple) for triple in self.triples)

    def _repr_html_(self) -> str:
        """The rule and the triples, for a notebook."""
        return cell_of_inconsistencies([self])


class Inconsistencies(list[Inconsistency]):
    """A list that a notebook shows as rules with the triples that clash, the first ones where it is long."""

    def _repr_html_(self) -> str:
        return cell_of_inconsistencies(self)


class Reasoning:
    """The part of `ReasoningStore` that rdflib does not ask for."""

    _contents: Contents
    _prefixes: Prefixes

    def add_rules(self, rules: Rules) -> None:
        """Add rules, given as in the constructor; what follows from them shows at once.

        A text may use the prefixes that the store knows: those bound by `graph.bind` and by the files that were loaded.
        A relation that a body names and no rule derives is a warning (`RulesWarning`) where a rule derives one of
        nearly the same name; the rules for others may come later.

        Raises:
            RuleError: rules that cannot be used; nothing has changed.
            BudgetError: reading and maintaining them takes more than the budget allows; the same.
        """
        knowledge = self._contents.knowledge
        added = knowledge.add_rules(rules, self._declared_prefixes())
        warn_of_misspelt_relations(added, knowledge.rules)

    def remove_rules(self, rules: Rules) -> None:
        """Remove rules equal to the given ones, which are read as by `add_rules`, and what follows only from them.

        A rule that is not there changes nothing, as a triple that is not there; one that was added twice is there until
        it is removed twice. Rules are equal whose variables have the same names.
        """
        self._contents.knowledge.remove_rules(rules, self._declared_prefixes())

    def _declared_prefixes(self) -> dict[str, str]:
        return {prefix: str(namespace) for prefix, namespace in self._prefixes}

    def subscribe(self, callback: Callable[[Graph, Graph], None]) -> Callable[[], None]:
        """Call back with what was added and what was removed after each change; call what is given back to stop.

        Both are read-only graphs of explicit and inferred triples: the net change of a batch, each triple once, and
        none that was there before and after. The call comes when the change is maintained, that is with the next
        read, `commit`, or change of rules, and on the same thread; it may read the store and change it, but must not
        wait for another thread that does. Triples are made when they are read.

        Raises:
            TypeError: it cannot be called.
        """
        if not callable(callback):
            raise TypeError(f"the callback is of type {type(callback).__name__} (expected a function of two graphs)")
        contents = self._contents

        def listen(*sides: View) -> None:
            added, removed = (ReadOnlyView(ChangeStore(side, contents.border)) for side in sides)
            callback(added, removed)

        with contents.lock:
            return contents.knowledge.subscribe(listen)

    def inconsistencies(self) -> Inconsistencies:
        """The integrity conditions that are violated, each with the triples that clash; then the lists of axioms that
        are cut off or cyclic, which contradict nothing, but keep their axioms from saying anything."""
        namespaces = self._namespaces()
        return Inconsistencies(
            Inconsistency(
                clash.rule,
                tuple((from_model(s), from_model(p), from_model(o)) for s, p, o in clash.triples),
                clash.reason,
                namespaces,
            )
            for clash in self._contents.knowledge.inconsistencies()
        )

    def explain(self, triple: Triple) -> Proof[Node]:
        """Why a triple holds: a proof down to asserted triples, whose text is an indented tree with the name of a rule
        in each line; `to_json` and `to_markdown` give the same in other forms. Mostly a millisecond for each step.

        Raises:
            TermError: a part of it is not an RDF term.
            TypeError: it does not have three parts.
            UnknownTripleError: the triple neither is asserted nor follows.
        """
        contents = self._contents
        with contents.lock:
            contents.knowledge.flush()
            proof = contents.knowledge.explain(*self._goal(triple))
        shown: Proof[Node] = proof.translated(from_model, _as_text)
        return shown.with_prefixes(self._namespaces())

    def write_proofs(
        self,
        destination: str | PathLike[str] | IO[bytes],
        triples: Iterable[Triple] | None = None,
        *,
        format: str | None = None,
        reification: str | None = None,
    ) -> None:
        """Write proofs as RDF: of triples, such as the result of a CONSTRUCT, or of all that is inferred.

        They are written as they are found, each step once; memory grows by some bytes for each fact. A file has all of
        them or stays as it was.

        Args:
            destination: a path, or a stream of bytes.
            triples: which ones; without, all inferred triples.
            format: "nt", "nq", "ttl", "trig" or "jsonld"; without, that of the path, or N-Triples.
            reification: "triple-terms" of RDF 1.2, or "statements" (rdf:Statement), as in JSON-LD.

        Raises:
            OptionError: an unknown format or reification.
            TermError: a triple that has a part which is not an RDF term.
            UnknownTripleError: a triple that neither is asserted nor follows.
            WriteError: a term that the format cannot say, or a file that cannot be written.
        """
        from kgreason.proofs.proof_documents import reification_for, write_document

        path = Path(destination) if isinstance(destination, str | PathLike) else None
        known = format or (path.suffix[1:] if path else "") or "nt"
        reified = reification_for(known, reification)
        contents = self._contents
        with contents.lock:
            contents.knowledge.flush()
            goals = None if triples is None else map(self._goal, triples)
            lines = contents.knowledge.proof_lines(goals, reified)
        with whole_file(path) if path else nullcontext(cast("IO[bytes]", destination)) as out:
            write_document(lines, out, known, self._namespaces())

    def _goal(self, triple: Triple) -> tuple[int, int, int]:
        triple = _three(triple)
        terms, ids = [to_model(node) for node in triple], self._contents.ids(triple)
        if ids is None:
            raise UnknownTripleError(" ".join(map(str, terms)))
        subject, predicate, object = (part for part in ids if part is not None)
        return subject, predicate, object

    def why_not(self, pattern: tuple[Node | None, Node | None, Node | None], *, most: int = 10) -> WhyNot[Node]:
        """Why a triple does not hold, or why none matches a pattern, in which None stands for any term.

        Gives about `most` failed derivations: rules that could give such a triple, each with the facts that its body
        matches and the atoms that nothing matches; those that lack least come first. Mostly some milliseconds.

        Raises:
            KnownTripleError: a triple matches the pattern.
            TermError: a part of it is not an RDF term.
        """
        subject, predicate, object = (None if node is None else to_model(node) for node in _three(pattern))
        found = self._contents.knowledge.why_not(subject, predicate, object, most=most)
        shown: WhyNot[Node] = found.translated(from_model, _as_text)
        return shown.with_prefixes(self._namespaces())

    def _namespaces(self) -> dict[str, str]:
        """From the prefixes that are bound, and the usual ones, to their namespaces."""
        return STANDARD_PREFIXES | {prefix: str(namespace) for prefix, namespace in self._prefixes}

    def statistics(self) -> Statistics:
        """Sizes: triples, terms, rules, bytes, and for each relation its scheme, facts and bytes."""
        return self._contents.knowledge.statistics()


def _three(triple: Any) -> Any:
    """The parts of a triple or a pattern; TypeError for what has fewer or more."""
    parts = tuple(triple) if isinstance(triple, Iterable) else ()
    if len(parts) != 3:
        raise TypeError(f"{repr(triple)} is not a triple (expected a subject, a predicate and an object)")
    return parts


def _as_text(node: Node) -> str:
    """A term in N-Triples, which rdflib's `n3` breaks into lines where a literal has some."""
    return str(to_model(node))
