"""Random programs as data: safe, and of everything that the text of a program can say."""

from __future__ import annotations

from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.relation_names import AGGREGATES
from kgreason.program.rules import (
    Aggregate,
    AggregateValue,
    Argument,
    Assignment,
    Atom,
    BodyAtom,
    Every,
    Expression,
    FactAtom,
    Member,
    Path,
    Program,
    Rule,
    TripleAtom,
)
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rdf.vocabulary import RDF_TYPE, XSD

VARIABLES = [Variable(name) for name in ("x", "y", "z", "_1", "Größe")]
LIST = Variable("l")
iris = st.sampled_from(["http://e/a", "http://e/b#c", "urn:x:y", "http://e/é%20(,)?x=1&y'", RDF_TYPE]).map(IRI)
blanks = st.sampled_from(["b", "b1.c-d"]).map(BlankNode)
literals = st.one_of(
    st.text(max_size=6).map(Literal),
    st.builds(Literal, st.text(max_size=6), st.sampled_from([XSD + "string", XSD + "integer", "urn:type"])),
    st.builds(Literal, st.text(max_size=6), st.none(), st.sampled_from(["en", "de-AT-1901"])),
)
resources = st.one_of(iris, blanks)
terms = st.one_of(resources, literals)
relation_names = st.one_of(
    st.sampled_from(["reached", "q-r", "Reached", "a", "not", "false_", "http://e/wide"]),
    st.sampled_from(["contains", "isIRI", "IN", "COUNT", "filter", "Bind", "aggregate", "member", "every", "path"]),
)


def arguments(variables: list[Variable]) -> st.SearchStrategy[Argument]:
    return st.one_of(st.sampled_from(variables), terms) if variables else terms


@st.composite
def triples(draw: st.DrawFn, variables: list[Variable]) -> TripleAtom:
    subject = draw(st.one_of(st.sampled_from(variables), resources) if variables else resources)
    predicate = draw(st.one_of(st.sampled_from(variables), iris) if variables else iris)
    return TripleAtom(subject, predicate, draw(arguments(variables)))


@st.composite
def facts(draw: st.DrawFn, variables: list[Variable]) -> FactAtom:
    name = draw(relation_names)
    least = 3 if ":" in name else 1
    return FactAtom(name, tuple(draw(st.lists(arguments(variables), min_size=least, max_size=4))))


def atoms(variables: list[Variable]) -> st.SearchStrategy[Atom]:
    return st.one_of(triples(variables), facts(variables))


def list_atoms(variables: list[Variable]) -> st.SearchStrategy[BodyAtom]:
    pick = st.sampled_from(variables)
    member = Variable("m")
    return st.one_of(
        st.builds(Member, st.just(LIST), pick, st.one_of(pick, terms)),
        st.builds(Path, st.one_of(pick, resources), st.just(LIST), st.one_of(pick, terms)),
        st.builds(
            Every,
            st.just(member),
            st.just(LIST),
            st.lists(atoms([member, *variables]), min_size=1, max_size=2).map(tuple),
        ),
    )


def expressions(variables: list[Variable]) -> st.SearchStrategy[Expression]:
    """Well-formed ones; what they mean does not matter here."""
    binary = st.sampled_from(["||", "&&", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"])
    return st.recursive(
        arguments(variables),
        lambda inner: st.one_of(
            st.builds(lambda operator, a, b: Call(operator, (a, b)), binary, inner, inner),
            st.builds(lambda a: Call("!", (a,)), inner),
            st.builds(lambda sign, a: Call(sign, (a,)), st.sampled_from(["u-", "u+"]), inner),
            st.builds(lambda a: Call("encode_for_uri", (a,)), inner),
            st.builds(lambda *parts: Call("concat", parts), inner, inner, inner),
            st.builds(lambda *parts: Call("contains", parts), inner, inner),
        ),
        max_leaves=5,
    )


@st.composite
def aggregates(draw: st.DrawFn, depth: int = 1) -> Aggregate:
    """A safe aggregate over an auxiliary atom, and perhaps over another aggregate."""
    variables = draw(st.lists(st.sampled_from(VARIABLES), unique=True, min_size=1, max_size=4))
    body: list[BodyAtom] = [FactAtom("known", tuple(variables)), *draw(st.lists(atoms(variables), max_size=1))]
    nested = tuple(draw(st.lists(aggregates(depth - 1), max_size=1))) if depth else ()
    pick = st.sampled_from(variables)
    values = []
    for number in range(draw(st.integers(1, 2))):
        function, distinct = draw(st.sampled_from(sorted(AGGREGATES))), draw(st.lists(pick, max_size=2, unique=True))
        argument = distinct[0] if distinct else draw(st.one_of(pick, st.none() if function == "count" else pick))
        separator = draw(st.text(max_size=3)) if function == "group_concat" else " "
        target = Variable(f"made {depth} {number}".replace(" ", "_"))
        values.append(AggregateValue(target, function, argument, tuple(distinct), separator))
    return Aggregate(
        body=tuple(body),
        group=tuple(draw(st.lists(pick, max_size=2, unique=True))),
        values=tuple(values),
        negated=tuple(draw(st.lists(facts(variables), max_size=1))),
        filters=tuple(draw(st.lists(expressions(variables), max_size=1))),
        assignments=(Assignment(Variable("computed"), draw(expressions(variables))),) if draw(st.booleans()) else (),
        aggregates=nested,
    )


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A safe rule: an auxiliary atom binds all its variables."""
    variables = draw(st.lists(st.sampled_from(VARIABLES), unique=True, max_size=4))
    body: list[BodyAtom] = draw(st.lists(atoms(variables), max_size=2)) if variables else []
    if variables:
        body.insert(0, FactAtom("known", tuple(variables)))
        if draw(st.booleans()):
            body += [TripleAtom(variables[0], IRI("urn:list"), LIST), draw(list_atoms(variables))]
    assignments: list[Assignment] = []
    values = list(variables)
    for name in draw(st.sampled_from([(), ("v",), ("v", "w")])) if variables else ():
        assignments.append(Assignment(Variable(name), draw(expressions(values))))
        values.append(Variable(name))
    # A computed value cannot say which relation an atom is about, so only facts have them.
    derived = st.one_of(triples(variables), facts(values))
    heads = draw(st.lists(derived, min_size=0 if body else 1, max_size=2))
    if variables and draw(st.booleans()):
        heads.append(TripleAtom(variables[0], IRI(RDF_TYPE), IRI("urn:C")))
    return Rule(
        heads=tuple(heads),
        body=tuple(body),
        negated=tuple(draw(st.lists(derived, max_size=2))) if body else (),
        filters=tuple(draw(st.lists(expressions(values), max_size=2))) if body else (),
        assignments=tuple(assignments),
        name=draw(st.sampled_from(["", "prp-trp", 'a "name" \\ of (mine)'])),
        aggregates=tuple(draw(st.lists(aggregates(), max_size=1))) if body else (),
    )


programs = st.builds(
    Program,
    st.lists(rules(), max_size=4).map(tuple),
    st.sampled_from([{}, {"ex": "http://e/"}, {"": "http://e/", "e.x-1": "urn:"}]),
)
