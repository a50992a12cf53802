"""A proof: the steps that lead from what was asserted to a triple."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from kgreason.proofs.proof_texts import Names, Tree, as_data, as_markdown, as_text
from kgreason.proofs.steps import Fact, Step
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

T = TypeVar("T")
U = TypeVar("U")


class Printer(Protocol):
    """What IPython prints with."""

    def text(self, text: str) -> None:
        """Print a text."""


@dataclass(frozen=True, slots=True)
class Proof(Generic[T]):
    """Why a triple holds. `steps` come in an order in which each rests on earlier ones; the last is the conclusion.

    `show` gives a term in N-Triples, `namespaces` are the prefixes that text and Markdown use.
    """

    steps: tuple[Step[T], ...]
    namespaces: Mapping[str, str] = field(default_factory=lambda: STANDARD_PREFIXES, compare=False, repr=False)
    show: Callable[[T], str] = field(default=str, compare=False, repr=False)

    @property
    def triple(self) -> tuple[T, T, T]:
        """The triple that is proved."""
        return _triple(self.steps[-1].conclusion)

    def asserted(self) -> list[tuple[T, T, T]]:
        """The asserted triples that it rests on."""
        return [_triple(step.conclusion) for step in self.steps if step.rule is None]

    def __str__(self) -> str:
        """An indented tree down to asserted triples; lines below 100 levels begin with the number of theirs."""
        return as_text(self._tree())

    def to_markdown(self) -> str:
        """The tree as a list of lists."""
        return as_markdown(self._tree())

    def to_json(self) -> str:
        """The steps by number, with the names and the texts of their rules."""
        return json.dumps(as_data(self.steps, self.show), indent=2, ensure_ascii=False)

    def to_rdf(self, format: str = "ttl", *, reification: str | None = None) -> str:
        """The steps as RDF (`proofs.provenance`), in N-Triples ("nt"), "nq", Turtle ("ttl"), "trig" or "jsonld".

        Triples are reified by "triple-terms" of RDF 1.2, or in JSON-LD and where it is wanted as "statements".

        Raises:
            OptionError: an unknown format or reification.
            WriteError: a term that the format cannot say.
        """
        # Most proofs are read as text: RDF, and pages below, are imported when something first asks for them.
        from kgreason.proofs.proof_documents import document, reification_for
        from kgreason.proofs.provenance import Provenance

        provenance = Provenance(self.show, set(), reification_for(format, reification))
        return document(provenance.lines(self.steps), format, self.namespaces)

    def _repr_html_(self) -> str:
        """The tree for a notebook, to be unfolded step by step; of a long proof the first steps."""
        from kgreason.proofs.proof_page import as_html

        return as_html(self._tree())

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        """The text, for IPython on a terminal."""
        printer.text(str(self))

    def with_prefixes(self, namespaces: Mapping[str, str]) -> Proof[T]:
        """The same proof, with other prefixes in text and Markdown."""
        return replace(self, namespaces=namespaces)

    def translated(self, convert: Callable[[T], U], show: Callable[[U], str]) -> Proof[U]:
        """The same proof over other terms."""
        return Proof(tuple(step.translated(convert) for step in self.steps), self.namespaces, show)

    def _tree(self) -> Tree[T]:
        return Tree(self.steps, self.show, Names(self.namespaces))


def _triple(fact: Fact[T]) -> tuple[T, T, T]:
    subject, predicate, object = fact.arguments
    return subject, predicate, object
