"""Triples of patterns and templates: property lists, blank nodes, collections, and property paths as verbs."""

from __future__ import annotations

from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.checkpoints import checkpoint
from kgreason.rdf.model import IRI, BlankNode
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_REST
from kgreason.sparql.algebra import Path
from kgreason.sparql.syntax.term_syntax import IRIS, LITERALS, NIL, Namespaces
from kgreason.sparql.syntax.triple_terms import ANNOTATIONS, TYPE, Operand, Triple, TripleTermReader

SUBJECTS: Final = frozenset(("variable", "label", "[", "(", "<<", "<<(", *IRIS, *LITERALS))
"""The kinds of tokens that triples begin with."""
_EACH: Final = 64
"""Before so many subjects the clock is looked at."""
_FIRST: Final = IRI(RDF_FIRST)
_REST: Final = IRI(RDF_REST)
_PATHS: Final = frozenset(("^", "(", "!"))
_VERBS: Final = frozenset(("variable", "a", *IRIS))
_PREDICATES: Final = frozenset(("a", *IRIS))
_PATH_MARKS: Final = frozenset(("/", "|", "*", "+", "?"))
"""What stands behind a predicate that a longer path begins with."""


class TripleReader(TripleTermReader):
    """Reads triples. In a pattern blank nodes are variables, whose names begin with ``_:``."""

    def __init__(self, text: str, base: str | None, namespaces: Namespaces) -> None:
        super().__init__(text, base, namespaces)
        self._fresh = 0
        self._labels: dict[str, int] = {}
        self.basic = 0
        """The number of the basic graph pattern: a label may be in one alone."""
        self.without_variables: str | None = None
        """The operation that takes no variables."""
        self.without_blanks: str | None = None
        """The operation that takes no blank nodes."""
        self.data_labels: set[str] | None = None
        """The labels in the data of an operation."""

    def new_scope(self) -> None:
        """Begin a part of the text whose labels of blank nodes are its own."""
        self._labels = {}

    def triples(self, found: list[Triple]) -> bool:
        """Triples with dots between them; whether a dot is at the end, so that more may follow."""
        subjects = 0
        while True:
            if not subjects % _EACH:
                checkpoint()
            self._same_subject(found)
            subjects += 1
            if not self.take("."):
                return False
            if self.kind not in SUBJECTS:
                return True

    def _same_subject(self, found: list[Triple]) -> None:
        if self.kind in ("[", "(", "<<"):
            start = self.at
            subject = self.node(found)
            if self.at > start + 2 and self.kind not in _VERBS and self.kind not in _PATHS:
                return
        else:
            subject = self.node(found)
        self.properties(subject, found)

    def properties(self, subject: Operand, found: list[Triple]) -> None:
        """What is said of a subject."""
        verb = self._verb()
        while True:
            object = self.node(found)
            found.append((subject, verb, object))
            if self.kind in ANNOTATIONS:
                self.annotations(subject, verb, object, found)
            if self.kind == ",":
                self.next()
                continue
            if self.kind != ";":
                return
            while self.take(";"):
                pass
            if self.kind not in _VERBS and not (self.in_pattern and self.kind in _PATHS):
                return
            verb = self._verb()

    def _verb(self) -> Path | Variable:
        kind = self.kind
        if kind == "variable":
            return self.operand_variable()
        if self.in_pattern and (kind not in _PREDICATES or self.kind_after() in _PATH_MARKS):
            return self.path()
        if self.take("a"):
            return TYPE
        return self.iri("a variable", "'a'")

    def operand_variable(self) -> Variable:
        """A variable, where the operation takes one."""
        if self.without_variables is not None:
            self.wrong(f"a variable in it: {self.text}", part=self.without_variables, expected="data")
        return self.variable()

    # -- subjects and objects ------------------------------------------------------------------------------------

    def node(self, found: list[Triple]) -> Operand:
        """A subject or an object, with the triples that it stands for."""
        kind = self.kind
        if kind == "variable":
            return self.operand_variable()
        if kind in IRIS:
            return self.iri()
        if kind in LITERALS:
            return self.literal()
        if kind == "label":
            return self._labelled()
        if kind == "(":
            return self._collection(found)
        if kind == "[":
            return self._blank(found)
        if kind == "<<(":
            return self.triple_term(found)
        if kind == "<<":
            return self.reified(found)
        variable = () if self.without_variables else ("a variable",)
        blank = () if self.without_blanks else ("a blank node", "'('")
        self.refuse_iri(*variable, "an IRI", "a literal", *blank)

    def _labelled(self) -> Operand:
        label = self.text
        self.take_no_blank()
        if self.in_pattern:
            if self._labels.setdefault(label, self.basic) != self.basic:
                self.wrong(f"{label} is in two basic graph patterns", expected="a label of its own in each")
            self.next()
            return Variable(label)
        if self.data_labels is not None:
            self.data_labels.add(label)
        self.next()
        return BlankNode(label[2:])

    def take_no_blank(self) -> None:
        """Refuse a blank node where the operation takes none."""
        if self.without_blanks is not None:
            self.wrong("a blank node in it", part=self.without_blanks, expected="IRIs, literals or variables")

    def new_node(self) -> Operand:
        """A new blank node; no label of a text looks like it."""
        self._fresh += 1
        label = f"#{self._fresh}"
        return Variable(f"_:{label}") if self.in_pattern else BlankNode(label)

    def _blank(self, found: list[Triple]) -> Operand:
        self.take_no_blank()
        self.next()
        node = self.new_node()
        if self.take("]"):
            return node
        self.enter()
        self.properties(node, found)
        self.expect("]", "';'", "','")
        self.leave()
        return node

    def _collection(self, found: list[Triple]) -> Operand:
        if self.kind_after() == ")":
            self.next()
            self.next()
            return NIL
        self.take_no_blank()
        self.enter()
        self.next()
        head = last = self.new_node()
        while True:
            found.append((last, _FIRST, self.node(found)))
            if self.take(")"):
                break
            following = self.new_node()
            found.append((last, _REST, following))
            last = following
        found.append((last, _REST, NIL))
        self.leave()
        return head
