"""Queries through rdflib's interface: what `ReasoningStore.query` does."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from rdflib.graph import Graph
from rdflib.query import Result
from rdflib.term import Identifier, Node, URIRef

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.local_terms import LocalTerms
from kgreason.checkpoints import heeding
from kgreason.errors import QueryError, TermError
from kgreason.rdf.model import Term
from kgreason.sparql import algebra
from kgreason.sparql.limits import Limits, too_deep
from kgreason.sparql.patterns.bound import KnownPaths
from kgreason.sparql.put_query import Answer, answer
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.source import Graphs
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import Scope, Scopes
from kgreason_rdflib.rdflib_terms import to_model
from kgreason_rdflib.sparql.bounded_descriptions import Chunk, Descriptions, described, each_of
from kgreason_rdflib.sparql.construct_templates import construct, has_blank_nodes
from kgreason_rdflib.sparql.fallback import UntranslatableError, check_not_extended, left_to_rdflib
from kgreason_rdflib.sparql.initial_bindings import bound
from kgreason_rdflib.sparql.query_results import LazyResult, MadeResult
from kgreason_rdflib.sparql.query_sources import graphs_for
from kgreason_rdflib.sparql.questions import Clauses, Question, parsed_question
from kgreason_rdflib.sparql.request import Request
from kgreason_rdflib.sparql.result_graphs import ResultGraph
from kgreason_rdflib.sparql.solution_terms import Decoder
from kgreason_rdflib.sparql.translations import KnownPrefixes, Translations
from kgreason_rdflib.term_border import TermBorder

if TYPE_CHECKING:
    import pyarrow as pa
    from rdflib.plugins.sparql.sparql import Query


class QueryEngine:
    """Answers queries over the contents of a store."""

    def __init__(self, contents: Contents, scopes: Scopes) -> None:
        self._contents = contents
        self._scopes = scopes
        self._questions: Translations[Question] = Translations(parsed_question, _of_prepared)
        self._known = KnownPaths()

    def over(self, contents: Contents, scopes: Scopes) -> QueryEngine:
        """One for other contents, which shares the translations."""
        engine = QueryEngine(contents, scopes)
        engine._questions = self._questions
        return engine

    def query(self, request: Request) -> Result:
        """The result of a query.

        Raises:
            NotImplementedError: rdflib's own evaluator has to answer.
            QueryError: it would have to, but does not know the options.
            AccessError: the query reaches for what the store may not.
            QueryLimitError: the query took longer, or made more rows, than it may.
        """
        try:
            check_not_extended()
            question = self._question(request)
        except UntranslatableError as error:
            raise left_to_rdflib(request.query, partial(_parsed, request), error, request.options) from error
        with heeding(request.limits.check):
            return self._result(self._asking(question, request), request)

    def explain(self, request: Request) -> str:
        """The plan by which a query runs, which it does for that: its steps with expected and actual rows.

        Raises:
            QueryLimitError: the query took longer, or made more rows, than it may.
        """
        try:
            question = self._question(request)
        except UntranslatableError as error:
            return f"evaluated by rdflib as a whole, for its {error}"
        with heeding(request.limits.check):
            found = self._asking(question, request).answer(question.variables, explained=True)
            rows = sum(batch.total() for batch in found.batches)
            lines = [f"{question.form.lower()}: {rows:,} solutions"]
            lines += [f"  {line}" for line in found.plan()]
        lines += [f"evaluated by rdflib: {name}" for name in dict.fromkeys(question.foreign)]
        return "\n".join(lines)

    def table(self, request: Request) -> pa.Table:
        """The solutions of a SELECT as an Arrow table; `kgreason.sparql.arrow_results` says what its columns are.

        Raises:
            QueryError: it is not a SELECT, or only rdflib's evaluator could answer it.
            QueryLimitError: the query took longer, or made more rows, than it may.
        """
        from kgreason.sparql.arrow_results import table_of  # other answers need no Arrow

        try:
            question = self._question(request)
        except UntranslatableError as error:
            raise QueryError(f"only rdflib's evaluator knows this, and it makes no tables: {error}") from error
        if question.form != "SELECT":
            raise QueryError(f"only the rows of a SELECT make a table, and this is {question.form}")
        with heeding(request.limits.check):
            return table_of(self._asking(question, request).answer(question.variables))

    def _question(self, request: Request) -> Question:
        with heeding(request.limits.check):
            return self._questions.of(request.query, request.base, request.namespaces)

    def _asking(self, question: Question, request: Request) -> Asking:
        inferred = request.options.include_inferred
        return self.asking(question, request.scope, request.bindings, request.limits, inferred=inferred)

    def _result(self, asking: Asking, request: Request) -> Result:
        question, border = asking.question, asking.border
        match question.form:
            case "SELECT":
                found = asking.answer(question.variables)
                return LazyResult(found.at_once() if request.options.limited else found, border, request.namespaces)
            case "ASK":
                some = asking.answer((), Multiplicity.ANY)
                return MadeResult("ASK", answer=any(batch.length for batch in some.batches))
            case "CONSTRUCT":
                multiplicity = Multiplicity.EACH if has_blank_nodes(question.template) else Multiplicity.ANY
                found = asking.answer(question.variables, multiplicity)
                graph = construct(question.template, found, Decoder(found.terms, border), ResultGraph())
                if request.limits.rows is not None:
                    request.limits.check_answer(len(graph), "triples")
                return MadeResult("CONSTRUCT", graph=graph)
        return MadeResult("DESCRIBE", graph=self._description(asking, request.namespaces))

    def _description(self, asking: Asking, namespaces: Mapping[str, Any]) -> Graph:
        found = asking.answer(asking.question.variables, Multiplicity.ANY)
        graph = ResultGraph(namespaces)
        return described(asking.descriptions(found), asking.border, graph)

    def asked(
        self,
        query: str,
        base: str | None,
        namespaces: Mapping[str, Any],
        scope: Scope,
        dataset: Clauses | None,
        limits: Limits | None,
        *,
        inferred: bool,
    ) -> Asking:
        """A query put to the graphs of this moment; see `ReasoningStore.ask`."""
        limits = limits or Limits()
        with heeding(limits.check):
            question = self._questions.of(query, base, namespaces)
        if dataset is not None:
            question = replace(question, clauses=dataset)
        return self.asking(question, scope, {}, limits, inferred=inferred)

    def asking(
        self,
        question: Question,
        scope: Scope,
        bindings: Mapping[str, Identifier],
        limits: Limits,
        *,
        inferred: bool = True,
    ) -> Asking:
        """A question put to the graphs of this moment.

        Raises:
            TermError: it has an IRI that is not valid and that the store does not have from rdflib; with its place.
        """
        self._check_iris(question)
        with self._contents.lock:
            graphs = graphs_for(question, scope, self._contents, self._scopes, inferred=inferred)
            border = self._contents.border
        return Asking(question, graphs, border, limits, _terms(bindings), self._known)

    def _check_iris(self, question: Question) -> None:
        for odd in question.odd_iris:
            iri = URIRef(odd.value)
            if self._contents.border.lookup(iri) is None and iri not in set(self._scopes):
                raise TermError(odd.reason, odd.value, line=odd.line, column=odd.column)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question put to graphs of one moment, whose ids `border` knows."""

    question: Question
    graphs: Graphs
    border: TermBorder
    limits: Limits
    given: Mapping[str, Term]
    known: KnownPaths

    def answer(
        self,
        variables: tuple[str, ...],
        multiplicity: Multiplicity = Multiplicity.EACH,
        *,
        explained: bool = False,
    ) -> Answer:
        """The solutions of its pattern, or the one that binds nothing where it has none."""
        node = self.question.node or algebra.Basic(())
        if self.given:
            node = _bound(node, self.given)
            for name in variables:
                if name in self.given:
                    node = algebra.Extend(node, name, self.given[name])
        if self.question.form == "ASK":
            node = algebra.Slice(node, 0, 1)
        return answer(
            node,
            variables,
            self.graphs,
            self.border.dictionary,
            limits=self.limits,
            multiplicity=multiplicity,
            explained=explained,
            base=self.question.base,
            known=self.known,
        )

    def triples(self) -> tuple[Iterator[Chunk], LocalTerms]:
        """The triples of a CONSTRUCT or a DESCRIBE as columns of ids, each once, and the terms of these ids."""
        from kgreason_rdflib.sparql.answer_triples import constructed, each_once

        question = self.question
        if question.form == "CONSTRUCT":
            multiplicity = Multiplicity.EACH if has_blank_nodes(question.template) else Multiplicity.ANY
            found = self.answer(question.variables, multiplicity)
            return _counted(each_once(constructed(question.template, found)), self.limits), found.terms
        found = self.answer(question.variables, Multiplicity.ANY)
        return self.descriptions(found), found.terms

    def descriptions(self, found: Answer) -> Iterator[Chunk]:
        """The triples that describe what a DESCRIBE is about."""
        chunks = Descriptions(self.graphs.default, found.terms).of(self._resources(found))
        return _counted(chunks, self.limits)

    def _resources(self, found: Answer) -> Iterator[int]:
        """What a DESCRIBE is about: the resources that it names, and those of its solutions."""
        named = (found.terms.lookup(to_model(name)) for name in self.question.described)
        solved = () if self.question.node is None else found.batches
        columns = chain.from_iterable(batch.columns.values() for batch in solved)
        return chain((each for each in named if each is not None), chain.from_iterable(map(each_of, columns)))


def _counted(chunks: Iterator[Chunk], limits: Limits) -> Iterator[Chunk]:
    """The chunks as long as they have no more triples together than the answer may have."""
    triples = 0
    for chunk in chunks:
        triples += len(chunk[0])
        limits.check_answer(triples, "triples")
        yield chunk


def _parsed(request: Request, text: str) -> Query:
    """A query as rdflib parses it."""
    from rdflib.plugins.sparql import prepareQuery

    parsed_question(text, request.base, KnownPrefixes(request.namespaces))
    return prepareQuery(text, dict(request.namespaces), request.base)


def _of_prepared(query: Query) -> Question:
    from kgreason_rdflib.sparql.prepared_requests import question_of_prepared

    return question_of_prepared(query)


def _terms(bindings: Mapping[str, Identifier]) -> dict[str, Term]:
    """The terms of variables by their names, which may come with a question mark; None leaves one free."""
    given = ((str(name).lstrip("?$"), value) for name, value in bindings.items() if value is not None)
    return {name: to_model(_node(value)) for name, value in given}


def _node(value: Any) -> Node:
    if not isinstance(value, Node):
        raise QueryError(f"{value!r} is bound to a variable, but is not an RDF term")
    return value


def _bound(node: algebra.Node, given: Mapping[str, Term]) -> algebra.Node:
    """A node with terms in the place of variables; each MINUS on such a variable is a level of nesting."""
    try:
        return rewritten(bound(node, given))
    except RecursionError:
        raise too_deep() from None


if gc.isenabled():
    # The modules of SPARQL live as long as the process. What they have made is looked at here, and not within one of
    # the next queries, which would take one to three milliseconds longer.
    gc.collect(1)
