"""The terms of RDF 1.2 that rdflib has no classes for: triple terms, and literals with a base direction.

They stand where rdflib's terms do: `n3` writes them as N-Triples and Turtle of RDF 1.2 do, and equal ones have one
hash. When rdflib has classes of its own, they will come in the place of these.
"""

from __future__ import annotations

from typing import Any

from rdflib.namespace import NamespaceManager
from rdflib.term import _ORDERING, BNode, Literal, Node, URIRef

from kgreason.errors import TermError
from kgreason.rdf import model
from kgreason.rdf.model import DIRECTIONS
from kgreason_rdflib.text_literals import lexical_form


class TripleTerm(Node):
    """A triple as a term, which can be the object of a triple: ``TripleTerm(subject, predicate, object)``.

    Raises:
        TermError: the subject is no IRI or blank node, the predicate no IRI, or the object no term.
    """

    __slots__ = ("object", "predicate", "subject")

    def __init__(self, subject: Node, predicate: Node, object: Node) -> None:
        allowed: tuple[tuple[Any, tuple[type[Any], ...]], ...] = (
            (subject, (URIRef, BNode)),
            (predicate, (URIRef,)),
            (object, (URIRef, BNode, Literal, TripleTerm)),
        )
        for part, (node, classes) in zip(("subject", "predicate", "object"), allowed, strict=True):
            if not isinstance(node, classes):
                raise TermError(f"{node!r} cannot be the {part} of a triple term")
        self.subject, self.predicate, self.object = subject, predicate, object

    def n3(self, namespace_manager: NamespaceManager | None = None) -> str:
        """The term as N-Triples and Turtle write it, always in one line and without prefixes."""
        return f"<<( {' '.join(map(_written, self))} )>>"

    def toPython(self) -> TripleTerm:  # noqa: N802 - the name that rdflib gives it
        """Itself."""
        return self

    def __iter__(self) -> Any:
        return iter((self.subject, self.predicate, self.object))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TripleTerm) and (*self,) == (*other,)

    def __hash__(self) -> int:
        return hash((TripleTerm, *self))

    def __lt__(self, other: Any) -> bool:
        """By subject, predicate and object; before literals, than which rdflib has nothing greater."""
        return (*self,) < (*other,) if isinstance(other, TripleTerm) else isinstance(other, Literal)

    def __gt__(self, other: Any) -> bool:
        return (*self,) > (*other,) if isinstance(other, TripleTerm) else not isinstance(other, Literal)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __repr__(self) -> str:
        return f"TripleTerm({self.subject!r}, {self.predicate!r}, {self.object!r})"

    def __str__(self) -> str:
        return self.n3()

    def __getnewargs__(self) -> tuple[Node, Node, Node]:
        """What rdflib 8 asks of each term."""
        return self.subject, self.predicate, self.object

    def __reduce__(self) -> Any:
        return TripleTerm, (*self,)


class DirectedLiteral(Literal):
    """A string with a language and a base direction: ``DirectedLiteral("...", "ar", "rtl")``.

    `language` is the tag with the direction behind it, ``ar--rtl``, so that rdflib writes N-Triples and Turtle with it;
    `tag` and `direction` are its parts.

    Raises:
        TermError: a direction that is neither ``ltr`` nor ``rtl``.
        ValueError: a language tag that is not one.
    """

    __slots__ = ("direction",)
    direction: str

    def __new__(cls, text: str, language: str, direction: str) -> DirectedLiteral:
        """Make one, with the checks that rdflib has for languages."""
        if direction not in DIRECTIONS:
            raise TermError(f"{direction!r} is not a base direction", expected="ltr or rtl")
        made = super().__new__(cls, text, lang=language)
        assert isinstance(made, DirectedLiteral)
        made._language = f"{made._language}--{direction}"
        made.direction = direction
        return made

    @property
    def tag(self) -> str:
        """The language tag alone."""
        return str(self.language).partition("--")[0]

    def __reduce__(self) -> Any:
        return DirectedLiteral, (str(self), self.tag, self.direction)

    def __repr__(self) -> str:
        return f"DirectedLiteral({str(self)!r}, {self.tag!r}, {self.direction!r})"


def literal_of(node: Literal) -> model.Literal:
    """A literal of rdflib as kgreason's own data."""
    if not node.language:
        return model.Literal(lexical_form(node), None if node.datatype is None else str(node.datatype))
    tag, _, direction = node.language.partition("--")
    return model.Literal(str(node), None, tag, direction or None)


def _written(node: Node) -> str:
    # rdflib writes some literals in several lines.
    return str(literal_of(node)) if isinstance(node, Literal) else node.n3()


# The order of kinds of terms by which rdflib sorts them has a number for each class, and is not open in another way.
_ORDERING[DirectedLiteral] = _ORDERING[Literal]
_ORDERING[TripleTerm] = _ORDERING[Literal] - 1
