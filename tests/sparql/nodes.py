"""Random algebra over a few terms and variables."""

from __future__ import annotations

from itertools import count

from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.sparql import algebra as a
from kgreason.sparql.scope import variables_of

NODES = [IRI(f"urn:{name}") for name in "abcd"]
PREDICATES = [IRI("urn:p"), IRI("urn:q"), IRI("urn:step")]
TYPE = IRI(RDF_TYPE)
CLASSES = [IRI("urn:C"), IRI("urn:D")]
GRAPHS = [IRI("urn:g"), IRI("urn:h")]
LITERALS = [Literal("1"), Literal("x", None, "en")]
NAMES = ["x", "y", "z", "w"]

variables = st.sampled_from(NAMES).map(Variable)
resources = st.sampled_from(NODES)

triples = st.one_of(
    st.tuples(resources, st.sampled_from(PREDICATES), st.one_of(resources, st.sampled_from(LITERALS))),
    st.tuples(resources, st.just(TYPE), st.sampled_from(CLASSES)),
)

subjects = st.one_of(variables, variables, resources)
patterns = st.one_of(
    st.builds(a.TriplePattern, subjects, st.one_of(st.sampled_from(PREDICATES), variables), subjects),
    st.builds(a.TriplePattern, subjects, st.just(TYPE), st.one_of(variables, st.sampled_from(CLASSES))),
    st.builds(a.TriplePattern, subjects, st.sampled_from(PREDICATES), st.one_of(variables, st.sampled_from(LITERALS))),
)
basics = st.lists(patterns, min_size=1, max_size=3).map(lambda atoms: a.Basic(tuple(atoms)))
values = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True).flatmap(
    lambda names: st.lists(
        st.tuples(*[st.one_of(st.none(), st.sampled_from([*NODES, *LITERALS]))] * len(names)), max_size=3
    ).map(lambda rows: a.Values(tuple(names), tuple(rows)))
)
operands = st.one_of(variables, st.sampled_from([*NODES, *LITERALS]))
comparisons = st.builds(
    lambda function, *arguments: Call(function, arguments),
    st.sampled_from(["=", "!=", "sameterm"]),
    operands,
    operands,
)


def _patterns_within(inner: st.SearchStrategy[a.Node]) -> st.SearchStrategy[a.Node]:
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: a.Join(tuple(parts))),
        st.lists(inner, min_size=2, max_size=2).map(lambda parts: a.Union(tuple(parts))),
        st.builds(a.LeftJoin, inner, inner, st.one_of(st.none(), comparisons)),
        st.builds(a.Filter, comparisons, inner),
    )


plain = st.recursive(basics, _patterns_within, max_leaves=3)
conditions = st.one_of(comparisons, st.builds(a.Exists, plain, st.booleans()))


def _nodes_within(inner: st.SearchStrategy[a.Node]) -> st.SearchStrategy[a.Node]:
    names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple)
    return st.one_of(
        _patterns_within(inner),
        st.builds(a.Filter, conditions, inner),
        st.builds(a.Minus, inner, inner),
        st.builds(_extend, inner, st.one_of(operands, comparisons)),
        st.builds(a.Graph, st.one_of(variables, st.sampled_from(GRAPHS)), inner),
        st.builds(a.Project, inner, names),
        st.builds(a.Distinct, inner),
    )


def _extend(inner: a.Node, expression: a.Expression) -> a.Node:
    """BIND to a variable that is not in scope yet, which is all that SPARQL allows."""
    names = variables_of(inner)
    return a.Extend(inner, next(name for n in count() if (name := f"new{n}") not in names), expression)


nodes = st.recursive(st.one_of(basics, basics, values, st.just(a.Basic(()))), _nodes_within, max_leaves=5)
