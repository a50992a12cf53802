"""The steps of a document in the vocabulary of `kgreason.proofs.provenance`; other triples in it do not matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kgreason.errors import ProofError
from kgreason.proof_checking.fact_index import TRIPLE, Fact
from kgreason.proof_checking.terms import Triple
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import (
    ASSERTED,
    DERIVED_FROM,
    PROVED_ARGUMENTS,
    PROVED_RELATION,
    RDF_FIRST,
    RDF_NIL,
    RDF_OBJECT,
    RDF_PREDICATE,
    RDF_REIFIES,
    RDF_REST,
    RDF_SUBJECT,
    RDF_TYPE,
    RDFS_LABEL,
    RULE_TEXT,
    SOURCE_RULE,
)

Name: TypeAlias = IRI | BlankNode
Statements: TypeAlias = dict[Term, dict[str, list[Term]]]

_USED: Final = frozenset((
    ASSERTED, DERIVED_FROM, PROVED_ARGUMENTS, PROVED_RELATION, RDF_FIRST, RDF_OBJECT, RDF_PREDICATE, RDF_REIFIES,
    RDF_REST, RDF_SUBJECT, RDF_TYPE, RDFS_LABEL, RULE_TEXT, SOURCE_RULE,
))  # fmt: skip
_PARTS: Final = (RDF_SUBJECT, RDF_PREDICATE, RDF_OBJECT)
_NIL: Final = IRI(RDF_NIL)


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A step as a document has it: asserted without a `rule`, which is a name and a text."""

    name: Term
    conclusion: Fact
    rule: tuple[str, str] | None
    premises: tuple[Term, ...]


def read_steps(triples: Iterable[Triple]) -> dict[Term, ReadStep]:
    """The steps of a document, by their names.

    Raises:
        ProofError: a step that is not one.
    """
    said: Statements = {}
    for subject, predicate, object in triples:
        if isinstance(predicate, IRI) and predicate.value in _USED:
            said.setdefault(subject, {}).setdefault(predicate.value, []).append(object)
    return {name: _step(name, said) for name in _names(said)}


def _names(said: Statements) -> Iterator[Term]:
    """What says that it is a step, or is a premise of one."""
    found: dict[Term, None] = {}
    for subject, parts in said.items():
        premises = parts.get(DERIVED_FROM, [])
        if premises or SOURCE_RULE in parts or IRI(ASSERTED) in parts.get(RDF_TYPE, []):
            found[subject] = None
            found.update(dict.fromkeys(premises))
    return iter(found)


def _step(name: Term, said: Statements) -> ReadStep:
    parts = said.get(name)
    if parts is None:
        raise _wrong(name, "a premise that has no step")
    conclusion = _conclusion(name, parts, said)
    is_asserted = IRI(ASSERTED) in parts.get(RDF_TYPE, [])
    rules, premises = parts.get(SOURCE_RULE, []), tuple(dict.fromkeys(parts.get(DERIVED_FROM, [])))
    if is_asserted and (rules or premises):
        raise _wrong(name, "it is asserted, and has a rule or premises as well")
    if not is_asserted and len(rules) != 1:
        raise _wrong(name, f"it is not asserted, and has {len(rules)} rules", "one")
    return ReadStep(name, conclusion, None if is_asserted else _rule(rules[0], name, said), premises)


def _conclusion(name: Term, parts: dict[str, list[Term]], said: Statements) -> Fact:
    found = [
        Fact(TRIPLE, (term.subject, term.predicate, term.object))
        for term in parts.get(RDF_REIFIES, [])
        if isinstance(term, TripleTerm)
    ]
    if any(part in parts for part in _PARTS):
        subject, predicate, object = (_only(name, parts, part) for part in _PARTS)
        if isinstance(subject, Literal | TripleTerm) or not isinstance(predicate, IRI):
            raise _wrong(name, "its conclusion is not a triple")
        found.append(Fact(TRIPLE, (subject, predicate, object)))
    if PROVED_RELATION in parts:
        relation = _only(name, parts, PROVED_RELATION)
        arguments = tuple(_list(name, _only(name, parts, PROVED_ARGUMENTS), said))
        if not isinstance(relation, Literal) or not relation.lexical or not arguments:
            raise _wrong(name, "its conclusion is not a fact")
        found.append(Fact(relation.lexical, arguments))
    if len(found) != 1:
        raise _wrong(name, f"it concludes {len(found)} facts", "one")
    return found[0]


def _rule(rule: Term, name: Term, said: Statements) -> tuple[str, str]:
    parts = said.get(rule, {})
    text = _only(name, parts, RULE_TEXT)
    label = _only(name, parts, RDFS_LABEL) if RDFS_LABEL in parts else Literal("")
    if not (isinstance(text, Literal) and isinstance(label, Literal)):
        raise _wrong(name, "its rule has a name or a text that is not a literal")
    return label.lexical, text.lexical


def _list(name: Term, cell: Term, said: Statements) -> Iterator[Term]:
    passed: set[Term] = set()
    while cell != _NIL:
        if cell in passed:
            raise _wrong(name, "its arguments are a list without an end")
        passed.add(cell)
        parts = said.get(cell, {})
        yield _only(name, parts, RDF_FIRST)
        cell = _only(name, parts, RDF_REST)


def _only(name: Term, parts: dict[str, list[Term]], predicate: str) -> Term:
    found = parts.get(predicate, [])
    if len(found) != 1:
        raise _wrong(name, f"there are {len(found)} values of <{predicate}>", "one")
    return found[0]


def _wrong(name: Term, reason: str, expected: str | None = None) -> ProofError:
    return ProofError(reason, str(name), expected=expected)
