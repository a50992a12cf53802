"""CONSTRUCT queries as rules: one for each triple of the template and each way to match the pattern.

`query_patterns` takes the pattern apart. What has no counterpart is refused: beside what is refused there, FROM,
services and blank nodes in the template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kgreason.algebra.expressions.function_table import function_of_iri
from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import QueryError
from kgreason.program.rules import Argument, Rule, TripleAtom
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rule_translation.query_patterns import PatternReader
from kgreason.rule_translation.rule_graph import TranslationError
from kgreason.rule_translation.ways import Way
from kgreason.sparql import algebra
from kgreason.sparql.algebra import Expression as QueryExpression
from kgreason.sparql.algebra import TriplePattern
from kgreason.sparql.syntax.queries import parse_query
from kgreason.sparql.syntax.requests import Service, TemplateTriple


def construct_rules(text: str, prefixes: Mapping[str, str], base: Way, name: str) -> list[Rule]:
    """The rules that a CONSTRUCT stands for; `base` is what holds beside its pattern, such as what ``$this`` is.

    Raises:
        TranslationError: it is no CONSTRUCT, or has what no rule can say.
    """
    try:
        query = parse_query(text, None, prefixes, _Functions())
    except QueryError as error:
        place = f" (line {error.line}, column {error.column})" if error.line else ""
        raise TranslationError(f"its query{place}: {error.reason}") from error
    if query.form != "CONSTRUCT" or query.node is None:
        raise TranslationError(f"a {query.form} query, where a CONSTRUCT is needed")
    if query.dataset is not None:
        raise TranslationError("FROM in its query")
    node = query.node.node if isinstance(query.node, algebra.Project) else query.node
    reader = PatternReader(base, name)
    ways = [base.joined(each) for each in reader.ways(_unguarded(node, query.template))]
    return list(template_rules(query.template, ways, name))


def _unguarded(node: algebra.Node, template: Sequence[TemplateTriple]) -> algebra.Node:
    """A pattern without each FILTER NOT EXISTS that asks whether all triples of the template are there already: where
    they are, to make them again changes nothing, and as a rule the query would depend on its own negation."""
    if not isinstance(node, algebra.Filter):
        return node
    inner = _unguarded(node.node, template)
    match node.condition:
        case algebra.Exists(algebra.Basic(atoms), True):
            asked = {(each.subject, each.predicate, each.object) for each in atoms if isinstance(each, TriplePattern)}
            if asked.issuperset(template):
                return inner
    return replace(node, node=inner)


def template_rules(
    template: Sequence[tuple[Argument, Argument, Argument]], ways: Sequence[Way], name: str
) -> Iterator[Rule]:
    """A rule for each triple of a template and each way that binds its variables."""
    for way in ways:
        yield from way.rules
    for triple in template:
        if any(isinstance(part, BlankNode) for part in triple):
            raise TranslationError("a blank node in the template, which would be a new one for each solution")
        if isinstance(triple[0], Literal):
            raise TranslationError(f"the literal {triple[0]} as a subject in the template")
        variables = {part for part in triple if isinstance(part, Variable)}
        possible = [way for way in ways if variables <= way.bound]
        if not possible:
            unbound = variables - {variable for way in ways for variable in way.bound} or variables
            raise TranslationError(f"nothing binds {', '.join(sorted(map(str, unbound)))} of the template")
        for way in possible:
            yield from way.rule((TripleAtom(*triple),), name)


class _Functions:
    """What a query may call beside what SPARQL has: casts."""

    def function(
        self, iri: IRI, arguments: Sequence[QueryExpression], base: str | None
    ) -> tuple[QueryExpression, bool]:
        """A cast."""
        known = function_of_iri(iri.value, len(arguments))
        if known is None:
            raise TranslationError(f"the function {iri}")
        return Call(known, tuple(arguments)), False

    def service(self, service: Service) -> algebra.Fallback:
        """Refused."""
        raise TranslationError("SERVICE")
