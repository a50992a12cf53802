"""RDF documents that hold rules: their triples, found by subject and property, and errors that name rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import RuleError
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

    def program(self) -> Program:
        """The program of them.

        Raises:
            RuleError: of all that cannot be translated, each with its name and reason.
        """
        rules: list[Rule] = []
        refused: list[str] = []
        for number, node in enumerate(self.nodes, start=1):
            try:
                rules += self._rules_of(node, number)
            except TranslationError as error:
                refused.append(str(error))
        if refused:
            among = f"{len(refused)} of {len(self.nodes)} {self.language} rules cannot be translated: "
            text = "; ".join(refused)
            raise RuleError(among + text if len(refused) > 1 else text, path=self.graph.source, rule=refused[0])
        return Program(tuple(rules), dict(self.graph.prefixes))

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
            name, reason = self.graph.name_of(node), "it is nested too deeply"
        except (TranslationError, RuleError) as error:
            name = self.graph.name_of(node) or self.name_of(node)
            reason = error.reason if isinstance(error, RuleError) else str(error)
        else:
            return found
        raise TranslationError(f"rule {name or f'number {number}'}: {reason}")
