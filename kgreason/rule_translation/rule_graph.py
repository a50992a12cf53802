"""RDF documents that hold rules: their triples, found by subject and property, and errors that name rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NoReturn, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import RuleError
from kgreason.errors.reports import LONGEST_REASON
from kgreason.program.rules import Argument, Program, Rule
from kgreason.program.safety import check_safety
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE, RDFS_LABEL

Triple: TypeAlias = tuple[Term, Term, Term]
_TYPE, _FIRST, _REST, _NIL = IRI(RDF_TYPE), IRI(RDF_FIRST), IRI(RDF_REST), IRI(RDF_NIL)
_LABEL: Final = IRI(RDFS_LABEL)


class RuleGraph:
    """The triples of a document, in their order."""

    def __init__(self, triples: Iterable[Triple], source: str, prefixes: dict[str, str] | None = None) -> None:
        self.source = source
        self.prefixes = prefixes or {}
        self._objects: dict[tuple[Term, Term], list[Term]] = {}
        self._subjects: dict[tuple[Term, Term], list[Term]] = {}
        self._texts: dict[Term, str] = {}
        self._statements: dict[Term, list[tuple[IRI, Term]]] = {}
        for subject, predicate, object in dict.fromkeys(triples):
            self._objects.setdefault((subject, predicate), []).append(object)
            self._subjects.setdefault((predicate, object), []).append(subject)
            if isinstance(predicate, IRI):
                self._statements.setdefault(subject, []).append((predicate, object))

    def objects(self, subject: Term, predicate: IRI) -> Sequence[Term]:
        """The values of a property."""
        return self._objects.get((subject, predicate), ())

    def subjects(self, predicate: IRI, object: Term) -> Sequence[Term]:
        """What has a value of a property."""
        return self._subjects.get((predicate, object), ())

    def subjects_of(self, predicate: IRI) -> list[Term]:
        """What has any value of a property."""
        return [subject for subject, known in self._objects if known == predicate]

    def statements(self, subject: Term) -> Sequence[tuple[IRI, Term]]:
        """What is said of a node."""
        return self._statements.get(subject, ())

    def text_of(self, node: Term) -> str:
        """What is said of a node, independent of the names of blank nodes: the same each time that a file is read."""
        said = sorted(f"{predicate} {self._text(value)}" for predicate, value in self.statements(node))
        return f"{'' if isinstance(node, BlankNode) else node}[{'; '.join(said)}]"

    def _text(self, node: Term) -> str:
        """A term, or for a blank node a digest of its text: O(what is said of it), once."""
        if not isinstance(node, BlankNode):
            return str(node)
        known = self._texts.get(node)
        if known is None:
            self._texts[node] = "..."  # where it comes back to itself
            is_list = bool(self.objects(node, _FIRST))
            text = " ".join(map(self._text, self.members(node))) if is_list else self.text_of(node)
            known = self._texts[node] = sha256(text.encode()).hexdigest()
        return known

    def has_type(self, node: Term, type: IRI) -> bool:
        """Whether a class is among the types of a node."""
        return type in self.objects(node, _TYPE)

    def instances(self, type: IRI) -> Sequence[Term]:
        """The nodes of a class."""
        return self.subjects(_TYPE, type)

    def value(self, subject: Term, predicate: IRI) -> Term | None:
        """The only value of a property, None where there is none; TranslationError for several."""
        found = self.objects(subject, predicate)
        if len(found) > 1:
            raise TranslationError(f"{len(found)} values of {predicate}, where one may be")
        return found[0] if found else None

    def required(self, subject: Term, predicate: IRI) -> Term:
        """The only value of a property; TranslationError where there is none."""
        found = self.value(subject, predicate)
        if found is None:
            raise TranslationError(f"no value of {predicate}")
        return found

    def members(self, head: Term) -> list[Term]:
        """The members of a list; TranslationError for one that is cut off or cyclic."""
        found: list[Term] = []
        passed: set[Term] = set()
        while head != _NIL:
            if head in passed:
                raise TranslationError("a list without an end")
            passed.add(head)
            found.append(self.required(head, _FIRST))
            head = self.required(head, _REST)
        return found

    def name_of(self, rule: Term) -> str:
        """The name of a rule: its label, its IRI, or nothing."""
        for label in self.objects(rule, _LABEL):
            if isinstance(label, Literal):
                return label.lexical
        return rule.value if isinstance(rule, IRI) else ""


def equate(left: Argument, right: Argument, same: dict[Variable, Argument]) -> bool:
    """Let two arguments be the same one, beside those that are; whether they can be."""
    left, right = (same.get(end, end) if isinstance(end, Variable) else end for end in (left, right))
    if left == right:
        return True
    gone, kept = (left, right) if isinstance(left, Variable) else (right, left)
    if not isinstance(gone, Variable):
        return False
    for variable, value in same.items():
        same[variable] = kept if value == gone else value
    same[gone] = kept
    return True


def digest(text: str) -> str:
    """A short name for what a text says."""
    return sha256(text.encode()).hexdigest()[:12]


class TranslationError(Exception):
    """What a rule says that no rule of ours can say."""


@dataclass(frozen=True, slots=True)
class RuleNodes:
    """The rules of a document in one language: the nodes that are rules, and how one is translated.

    `name_of` names those without a label or an IRI.
    """

    graph: RuleGraph
    nodes: Sequence[Term]
    language: str
    translate: Callable[[Term], Iterable[Rule]]
    name_of: Callable[[Term], str] = lambda node: ""
    left_out: str | None = None
    """How a document says that a rule is not to be used."""

    def program(self) -> Program:
        """The program of them.

        Raises:
            RuleError: of all that cannot be translated, each with its name and reason.
        """
        rules: list[Rule] = []
        refused: dict[str, str] = {}
        for number, node in enumerate(self.nodes, start=1):
            try:
                rules += self._rules_of(node, number)
            except TranslationError as error:
                refused[self._name(node, number)] = str(error)
        if refused:
            self._refuse(refused)
        return Program(tuple(rules), dict(self.graph.prefixes))

    def _refuse(self, refused: Mapping[str, str]) -> NoReturn:
        """Raise the error for rules by their names: with all reasons where one line has room for them, otherwise with
        that of the first."""
        first, expected = next(iter(refused.values())), None
        reason = first
        if len(refused) > 1:
            among = f"{len(refused)} of {len(self.nodes)} {self.language} rules cannot be translated: "
            reason = among + "; ".join(refused.values())
            if len(reason) > LONGEST_REASON:
                reason = f"{among}{', '.join(map(self._short, refused))}; {first}"
        if self.left_out is not None:
            expected = f"{self.left_out} for those to be left out"
        raise RuleError(reason, path=self.graph.source, rule=first, expected=expected)

    def _short(self, name: str) -> str:
        """A name with a prefix of the document where one fits."""
        spaces = [(space, prefix) for prefix, space in self.graph.prefixes.items() if space and name.startswith(space)]
        space, prefix = max(spaces, default=("", ""), key=lambda pair: len(pair[0]))
        return f"{prefix}:{name[len(space) :]}" if space else name

    def _name(self, node: Term, number: int) -> str:
        return self.graph.name_of(node) or self.name_of(node) or f"number {number}"

    def rules(self) -> Iterator[Rule]:
        """The rules of one node after the other, each translated when it is asked for.

        Raises:
            TranslationError: one that cannot be translated, when it is come to.
        """
        for number, node in enumerate(self.nodes, start=1):
            yield from self._rules_of(node, number)

    def _rules_of(self, node: Term, number: int) -> list[Rule]:
        try:
            found = list(self.translate(node))
            for rule in found:
                check_safety(rule)
        except RecursionError:
            reason = "it is nested too deeply"
        except (TranslationError, RuleError) as error:
            reason = error.reason if isinstance(error, RuleError) else str(error)
        else:
            return found
        raise TranslationError(f"rule {self._name(node, number)}: {reason}")
