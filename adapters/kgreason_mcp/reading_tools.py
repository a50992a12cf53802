"""What is there: an overview, queries, terms by their labels, and what is said of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rdflib import OWL, RDF, Dataset, Graph
from rdflib.query import Result
from rdflib.term import Node

from kgreason.lookup.label_index import LabelIndex
from kgreason.rdf.vocabulary import OWL as OWL_NAMESPACE
from kgreason.rdf.vocabulary import RDF as RDF_NAMESPACE
from kgreason.rdf.vocabulary import RDFS as RDFS_NAMESPACE
from kgreason.rdf.vocabulary import STANDARD_PREFIXES
from kgreason_mcp.short_answers import AgentOptions, checked_limit, first, joined
from kgreason_mcp.store_tools import StoreTools
from kgreason_mcp.term_texts import TermTexts
from kgreason_rdflib.rdflib_terms import from_model

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore

_RELATIONS: Final = 15
_INCOMING: Final = 8
_VOCABULARY: Final = (RDF_NAMESPACE, RDFS_NAMESPACE, OWL_NAMESPACE)


class ReadingTools(StoreTools):
    """Answers about the store, as texts."""

    def __init__(self, store: ReasoningStore, options: AgentOptions, labels: LabelIndex | None = None) -> None:
        """`labels` is shared by the tools over versions of one store."""
        super().__init__(store, options)
        self._labels = labels or LabelIndex()

    def overview(self) -> str:
        """Sizes, prefixes, and the largest classes and properties."""
        return joined(self._overview())

    def _overview(self) -> Iterator[str]:
        found, texts = self._store.statistics(), self._texts()
        yield f"{found.explicit:,} asserted and {found.inferred:,} inferred triples; {found.rules:,} rules"
        yield "prefixes: " + " ".join(f"{prefix}: <{iri}>" for prefix, iri in self._own(texts.prefixes).items())
        for kind, title in (("class", "classes, by members"), ("property", "properties, by triples")):
            named = (each for each in found.relations if each.kind == kind and each.facts)
            own = [each for each in named if not each.name.startswith((*_VOCABULARY, "_:"))]
            shown = (f"{texts.prefixed(each.name)} {each.facts:,}" for each in own[:_RELATIONS])
            more = f"; {len(own) - _RELATIONS:,} more" if len(own) > _RELATIONS else ""
            yield f"{title}: {', '.join(shown) or 'none'}{more}"

    @staticmethod
    def _own(prefixes: dict[str, str]) -> dict[str, str]:
        """The prefixes of the data, and those that everyone has; rdflib binds others to any graph."""
        usual = {prefix: str(iri) for prefix, iri in Graph(bind_namespaces="rdflib").namespaces()}
        found = {prefix: iri for prefix, iri in prefixes.items() if usual.get(prefix) != iri}
        return STANDARD_PREFIXES | found

    def query(self, sparql: str, limit: int, inferred: bool) -> str:
        """The answer of a SPARQL query."""
        texts = self._texts()
        result = Dataset(store=self._store, default_union=True).query(
            sparql,
            initNs=texts.prefixes,
            timeout=self._options.timeout,
            max_rows=self._options.max_rows,
            include_inferred=inferred,
        )
        return joined(self._answer(result, texts, checked_limit(limit)))

    @staticmethod
    def _answer(result: Result, texts: TermTexts, limit: int) -> Iterator[str]:
        if result.type == "ASK":
            yield "yes" if result.askAnswer else "no"
        elif result.type == "SELECT":
            yield " | ".join(f"?{variable}" for variable in result.vars or ())
            rows, has_more = first(result, limit)
            for row in rows:
                assert isinstance(row, tuple), "a solution is not a row"
                yield " | ".join("" if node is None else texts.term(node) for node in row)
            yield _end(len(rows), "row", has_more)
        else:
            triples, has_more = first(result.graph or Graph(), limit)
            yield from (f"{texts.triple(triple)} ." for triple in triples)
            yield _end(len(triples), "triple", has_more)

    def find(self, text: str, limit: int) -> str:
        """Terms with a label that has the words of a text."""
        texts = self._texts()
        matches = self._labels.find(self._store.knowledge_base, text, checked_limit(limit), self._options.language)
        types, lines = self._store.explicit, []
        for match in matches:
            node = from_model(match.term)
            classes, _ = first(types.objects(node, RDF.type), 3)
            kind = f" ({', '.join(map(texts.term, classes))})" if classes else ""
            lines.append(f"{texts.term(node)} {texts.quoted(match.label.lexical)}{kind}")
        return joined(lines or [f"no label has words that begin as those of {text!r}; try fewer, or shorter ones"])

    def describe(self, term: str, limit: int) -> str:
        """What is asserted of a term and what follows, and what is said of others with it."""
        texts = self._texts()
        return joined(self._description(texts.parsed(term), texts, checked_limit(limit)))

    def _description(self, node: Node, texts: TermTexts, limit: int) -> Iterator[str]:
        yield texts.named(node)
        is_empty = True
        for title, graph in (("asserted", self._store.explicit), ("inferred", self._store.inferred)):
            triples, has_more = first(graph.triples((node, None, None)), limit)
            if triples:
                is_empty = False
                yield f"{title}:"
                yield from self._grouped(triples, texts)
                if has_more:
                    yield f"  ... more: SELECT * {{ {texts.term(node)} ?p ?o }}"
        incoming, has_more = first(self._store.explicit.triples((None, None, node)), _INCOMING)
        if incoming:
            yield "asserted of others with it:"
            yield from (f"  {texts.triple(triple)}" for triple in incoming)
            if has_more:
                yield f"  ... more: SELECT * {{ ?s ?p {texts.term(node)} }}"
        if is_empty and not incoming:
            yield "nothing is known of it"

    @staticmethod
    def _grouped(triples: list[tuple[Node, Node, Node]], texts: TermTexts) -> Iterator[str]:
        """A line for each property, with its values."""
        by_property: dict[Node, list[Node]] = {}
        for _, property, value in triples:
            if (property, value) != (RDF.type, OWL.Thing):
                by_property.setdefault(property, []).append(value)
        for property, values in by_property.items():
            name = "a" if property == RDF.type else texts.term(property)
            yield f"  {name} {', '.join(map(texts.named, values))}"


def _end(count: int, kind: str, has_more: bool) -> str:
    more = ", and more: raise the limit or ask more precisely" if has_more else ""
    return f"({count} {kind}{'' if count == 1 else 's'}{more})"
