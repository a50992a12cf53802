"""Triple terms, reifiers and annotations of SPARQL 1.2, in patterns and in templates.

In a pattern a triple term with variables is a variable that a `TripleTermPattern` binds. In a template it is a variable
that is worked out for each solution: `computed` has the calls by which.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from kgreason.algebra.expressions.tree import Call, Variable, leaves
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_REIFIES, RDF_TYPE
from kgreason.sparql.algebra import Expression, Extend, Node, Path, TripleTermPattern
from kgreason.sparql.syntax.path_syntax import PathReader
from kgreason.sparql.syntax.term_syntax import IRIS, LITERALS, Namespaces

Operand: TypeAlias = Variable | Term
Triple: TypeAlias = tuple[Operand, Path | Variable, Operand] | TripleTermPattern
"""A triple of a pattern or a template; or that a variable of a pattern is a triple term of some parts."""

TYPE: Final = IRI(RDF_TYPE)
REIFIES: Final = IRI(RDF_REIFIES)
_NAMES: Final = frozenset(("variable", "label", *IRIS))
ANNOTATIONS: Final = frozenset(("~", "{|"))
"""The kinds of tokens that the annotations of a triple begin with."""


class TripleTermReader(PathReader, ABC):
    """Reads triple terms, reifiers and annotations."""

    def __init__(self, text: str, base: str | None, namespaces: Namespaces) -> None:
        super().__init__(text, base, namespaces)
        self.in_pattern = False
        self.computed: dict[str, Expression] = {}
        """For the variables of a template that no pattern binds, what gives their values."""

    @abstractmethod
    def node(self, found: list[Triple]) -> Operand:
        """A subject or an object, with the triples that it stands for."""

    @abstractmethod
    def new_node(self) -> Operand:
        """A new blank node, which is a variable in a pattern."""

    @abstractmethod
    def properties(self, subject: Operand, found: list[Triple]) -> None:
        """What is said of a subject."""

    @abstractmethod
    def operand_variable(self) -> Variable:
        """A variable, where the operation takes one."""

    @abstractmethod
    def take_no_blank(self) -> None:
        """Refuse a blank node where the operation takes none."""

    # -- terms ---------------------------------------------------------------------------------------------------

    def triple_term(self, found: list[Triple]) -> Operand:
        """``<<( s p o )>>``"""
        self.enter()
        self.next()
        subject, verb, object = self._part(found), self.plain_verb(), self._part(found)
        self.expect(")>>")
        self.leave()
        return self._term_of(subject, verb, object, found)

    def _term_of(self, subject: Operand, verb: IRI | Variable, object: Operand, found: list[Triple]) -> Operand:
        parts = (subject, verb, object)
        if not any(isinstance(part, Variable | BlankNode) for part in parts):
            return TripleTerm(*parts)  # type: ignore[arg-type]  # `key_of` refuses misplaced parts
        name = self.new_variable()
        if self.in_pattern:
            found.append(TripleTermPattern(name, *parts))
        else:
            self.computed[name.name] = Call("triple", tuple(map(self._as_variable, parts)))
        return name

    def _as_variable(self, part: Operand) -> Operand:
        """A blank node of a template in a triple term: a variable that is a new blank node in each solution."""
        if not isinstance(part, BlankNode):
            return part
        name = _name_of_new(part)
        # It comes before what it is a part of.
        self.computed = {name: Call("bnode", ()), **self.computed}
        return Variable(name)

    def _part(self, found: list[Triple], *, reified: bool = False) -> Operand:
        """The subject or object of a triple term or of what is reified: no list, and nothing with properties."""
        kind = self.kind
        if kind in _NAMES or kind in LITERALS or kind == "<<(" or (kind == "<<" and reified):
            return self.node(found)
        if kind == "[" and self.kind_after() == "]":
            return self.node(found)
        if kind in ("[", "("):
            self.wrong("a list, or a blank node with properties, in a triple term", expected="a term or a variable")
        self.refuse_iri("a variable", "an IRI", "a literal", "'[]'", "'<<('")

    def plain_verb(self) -> IRI | Variable:
        """A predicate or a variable: no path."""
        if self.kind == "variable":
            return self.operand_variable()
        return TYPE if self.take("a") else self.iri("a variable", "'a'")

    def new_variable(self) -> Variable:
        """A variable that no text has."""
        made = self.new_node()
        return made if isinstance(made, Variable) else Variable(f"_:{made}")

    def taken_computed(self) -> dict[str, Expression]:
        """What is computed for the templates that were read."""
        found, self.computed = self.computed, {}
        return found

    # -- reifiers ------------------------------------------------------------------------------------------------

    def reified(self, found: list[Triple]) -> Operand:
        """``<< s p o ~ r >>``: its reifier."""
        self.enter()
        self.next()
        subject = self._part(found, reified=True)
        verb, object = self.plain_verb(), self._part(found, reified=True)
        reifier = self._reifier() if self.take("~") else self._new_reifier()
        self.expect(">>", "'~'")
        self.leave()
        found.append((reifier, REIFIES, self._term_of(subject, verb, object, found)))
        return reifier

    def annotations(self, subject: Operand, verb: Path | Variable, object: Operand, found: list[Triple]) -> None:
        """Reifiers and annotations behind the object of a triple."""
        if not isinstance(verb, IRI | Variable):
            self.wrong("an annotation of a path", expected="a predicate or a variable")
        term = self._term_of(subject, verb, object, found)
        reifier: Operand | None = None
        while self.kind in ANNOTATIONS:
            if self.take("~"):
                reifier = self._reifier()
                found.append((reifier, REIFIES, term))
                continue
            if reifier is None:
                reifier = self._new_reifier()
                found.append((reifier, REIFIES, term))
            self.enter()
            self.next()
            self.properties(reifier, found)
            self.expect("|}", "';'", "','")
            self.leave()
            reifier = None

    def _reifier(self) -> Operand:
        """What stands behind ``~``: perhaps nothing."""
        if self.kind in _NAMES or (self.kind == "[" and self.kind_after() == "]"):
            return self.node([])
        return self._new_reifier()

    def _new_reifier(self) -> Operand:
        self.take_no_blank()
        return self.new_node()

    # -- expressions and data ------------------------------------------------------------------------------------

    def triple_data(self) -> TripleTerm:
        """A triple term of constants."""
        self.enter()
        self.next()
        subject = self.iri()
        verb = TYPE if self.take("a") else self.iri("'a'")
        object = self.data_value()
        self.expect(")>>")
        self.leave()
        return TripleTerm(subject, verb, object)

    def data_value(self, *others: str) -> IRI | Literal | TripleTerm:
        """A constant; `others` could stand here, too."""
        if self.kind in IRIS:
            return self.iri()
        if self.kind in LITERALS:
            return self.literal()
        if self.kind == "<<(":
            return self.triple_data()
        self.refuse_iri("an IRI", "a literal", "'<<('", *others)

    def triple_expression(self) -> Expression:
        """A triple term in an expression."""
        self.enter()
        self.next()
        subject = self.operand_variable() if self.kind == "variable" else self.iri("a variable")
        verb = self.plain_verb()
        object: Expression
        if self.kind == "variable":
            object = self.operand_variable()
        elif self.kind == "<<(":
            object = self.triple_expression()
        else:
            object = self.data_value("a variable")
        self.expect(")>>")
        self.leave()
        return Call("triple", (subject, verb, object))


def _name_of_new(blank: BlankNode) -> str:
    """The variable that stands for a blank node of a template where a triple term has it."""
    return f"_:new {blank.label}"


def with_computed(place: Operand, computed: Mapping[str, Expression]) -> Operand:
    """What stands in a template, with a variable for each blank node that is computed."""
    if isinstance(place, BlankNode) and _name_of_new(place) in computed:
        return Variable(_name_of_new(place))
    return place


def extended(node: Node, computed: Mapping[str, Expression]) -> Node:
    """A pattern whose solutions have what is computed."""
    for name, expression in computed.items():
        node = Extend(node, name, expression)
    return node


def read_names(names: Iterable[str], computed: Mapping[str, Expression]) -> tuple[str, ...]:
    """Of the variables of a template those of the pattern, with what is computed from."""
    others = (leaf.name for call in computed.values() for leaf in leaves(call) if isinstance(leaf, Variable))
    return tuple(dict.fromkeys(name for name in (*names, *others) if name not in computed))
