"""The prefixes that queries of SHACL rules may use.

``sh:declare`` states them: the recommendation takes those of ``sh:prefixes/owl:imports*``, and has no meaning for two
namespaces of one prefix. Of a prefix that these do not have, another declaration in the document counts, as SHACL 1.2
has it for queries without ``sh:prefixes``; then the text of the document, since many shapes are written for processors
that go on with its prefixes, as pySHACL and TopBraid's do.

Sources: SHACL (W3C recommendation of 2017), section 5.2.1; SHACL 1.2 SPARQL (W3C working draft of 2026); issue 59 of
w3c/shacl.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from typing import Final

from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import OWL, OWL_IMPORTS, RDF, RDFS, SHACL
from kgreason.rule_translation.rule_graph import RuleGraph, TranslationError

_PREFIXES: Final = IRI(SHACL + "prefixes")
DECLARE: Final = IRI(SHACL + "declare")
_PARTS: Final = (IRI(SHACL + "prefix"), IRI(SHACL + "namespace"))
_IMPORTS: Final = IRI(OWL_IMPORTS)
_ALWAYS: Final = {"rdf": RDF, "rdfs": RDFS, "owl": OWL}
"""What pySHACL puts before each query."""


class QueryPrefixes:
    """The namespaces of prefixes for the queries of a document's rules."""

    def __init__(self, graph: RuleGraph) -> None:
        self._graph = graph

    def of(self, rule: Term) -> dict[str, str]:
        """Those for the query of a rule: O(declarations that it has).

        Raises:
            TranslationError: ``sh:prefixes`` gives a prefix several namespaces, or leads to an incomplete declaration.
        """
        found: dict[str, str] = {}
        for owner in _with_imports(self._graph, self._graph.objects(rule, _PREFIXES)):
            for node in self._graph.objects(owner, DECLARE):
                prefix, namespace = _declaration(self._graph, node)
                if found.setdefault(prefix, namespace) != namespace:
                    raise TranslationError(f"its sh:prefixes declare {prefix}: as {found[prefix]} and as {namespace}")
        return self._others | found

    @cached_property
    def _others(self) -> dict[str, str]:
        """Those that no ``sh:prefixes`` need name: of all declarations in the document but prefixes with several
        namespaces, of its text, and `_ALWAYS`: O(document), once."""
        found: dict[str, set[str]] = {}
        for owner in self._graph.subjects_of(DECLARE):
            for node in self._graph.objects(owner, DECLARE):
                with suppress(TranslationError):
                    prefix, namespace = _declaration(self._graph, node)
                    found.setdefault(prefix, set()).add(namespace)
        declared = {prefix: namespace for prefix, (namespace, *more) in found.items() if not more}
        return _ALWAYS | self._graph.prefixes | declared


def _with_imports(graph: RuleGraph, owners: Iterable[Term]) -> list[Term]:
    """Owners of declarations and all that they import, directly or not."""
    found = list(dict.fromkeys(owners))
    known = set(found)
    for owner in found:
        new = [each for each in graph.objects(owner, _IMPORTS) if each not in known]
        known.update(new)
        found += new
    return found


def _declaration(graph: RuleGraph, node: Term) -> tuple[str, str]:
    prefix, namespace = (graph.required(node, part) for part in _PARTS)
    if not (isinstance(prefix, Literal) and isinstance(namespace, Literal)):
        raise TranslationError("a declaration of a prefix that is not of two literals")
    return prefix.lexical, namespace.lexical
