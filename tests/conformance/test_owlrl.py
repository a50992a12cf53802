"""owlrl 7.6 on real ontologies: the same closures as owl-rl-full, but for a few kinds of differences, with reasons.

A kind that no longer occurs is a failure, as is a difference of another kind.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Graph, Literal, URIRef
from rdflib.util import guess_format

from kgreason import ReasoningStore
from tests.shared_data import shared, shared_root, unpacked

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shared_root() is None, reason="no shared data"),
    pytest.mark.filterwarnings("ignore"),
]
Triple = tuple
NOT_OWL_RL = {RDF.HTML, RDF.langString, XSD.date, XSD.time}


def is_about_a_literal(triple: Triple, others: Graph) -> bool:
    """RDF has no literals as subjects."""
    return isinstance(triple[0], Literal)


def is_about_another_datatype(triple: Triple, others: Graph) -> bool:
    """owlrl knows four datatypes that are not in OWL 2 RL."""
    subject, predicate, object_ = triple
    about = (RDF.type, RDFS.Datatype), (OWL.sameAs, subject)
    return subject in NOT_OWL_RL and (predicate, object_) in about


def says_that_datatypes_are_disjoint(triple: Triple, others: Graph) -> bool:
    """owlrl says so where literals of both occur; no rule of the W3C does."""
    return triple[1] == OWL.disjointWith and all(str(term).startswith((str(XSD), str(RDF))) for term in triple[::2])


def is_reflexive(triple: Triple, others: Graph) -> bool:
    """owlrl's scm-sco and scm-eqc2 skip what the rules say of c and c, where c is not declared to be a class."""
    return triple[1] in (RDFS.subClassOf, OWL.equivalentClass) and triple[0] == triple[2]


def has_another_literal_of_the_value(triple: Triple, others: Graph) -> bool:
    """owlrl takes literals of different datatypes, such as 1 and 1.0, to be different values (dt-eq)."""
    subject, predicate, literal = triple
    if not isinstance(literal, Literal):
        return False
    values = [other.value for other in others.objects(subject, predicate) if isinstance(other, Literal)]
    return literal.value in values


OWLRL_ONLY = (is_about_a_literal, is_about_another_datatype, says_that_datatypes_are_disjoint)
KGREASON_ONLY = (is_reflexive, has_another_literal_of_the_value)


def sweet(name: str) -> Callable[[], Path]:
    return lambda: next(unpacked("sweet/sweet.tar.xz").rglob(f"{name}.ttl"))


ONTOLOGIES: dict[str, Callable[[], Path]] = {
    "univ-bench": lambda: shared("lubm/univ-bench.owl"),
    "relations": lambda: unpacked("onto-owl/ro.owl.xz"),
    "records-in-contexts": lambda: next(unpacked("rico/rico.tar.xz").rglob("RiC-O_1-1.rdf")),
    "sweet-mathematics": sweet("reprMath"),
    "sweet-units": sweet("reprSciUnits"),
    "sweet-directions": sweet("reprSpaceDirection"),
    "sweet-aerosols": sweet("matrAerosol"),
}


@pytest.fixture(scope="module")
def seen() -> dict[str, set[Callable[[Triple, Graph], bool]]]:
    """The kinds of differences that have occurred, by ontology."""
    return {}


def kinds_of(triple: Triple, kinds: tuple, others: Graph) -> set:
    """The kinds of a difference, one or more."""
    found = {kind for kind in kinds if kind(triple, others)}
    assert found, f"not explained: {' '.join(term.n3() for term in triple)}"
    return found


SLOW = {"relations", "records-in-contexts"}
"""owlrl takes a minute for each."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough) if name in SLOW else name for name in ONTOLOGIES]
)
def test_same_closure(name: str, seen: dict) -> None:
    owlrl = pytest.importorskip("owlrl")
    path = ONTOLOGIES[name]()
    theirs, ours = Graph(), Graph(store=ReasoningStore(rules="owl-rl-full"))
    theirs.parse(path, format="xml" if path.suffix == ".owl" else guess_format(path.name))
    for triple in theirs:
        ours.add(triple)
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(theirs)
    expected, found = set(theirs), set(ours)
    assert all(isinstance(triple[1], URIRef) for triple in expected)
    missing = [kinds_of(triple, OWLRL_ONLY, ours) for triple in expected - found]
    seen[name] = set().union(*missing, *(kinds_of(triple, KGREASON_ONLY, theirs) for triple in found - expected))


def test_every_kind_of_difference_occurs(seen: dict) -> None:
    if seen.keys() != ONTOLOGIES.keys():
        pytest.skip("not all ontologies were compared")
    assert set().union(*seen.values()) == {*OWLRL_ONLY, *KGREASON_ONLY}
