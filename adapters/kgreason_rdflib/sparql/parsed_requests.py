"""From the text of a query, or from what rdflib prepared of one, to a question that is translated once."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from threading import Lock
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import Identifier, URIRef, Variable

from kgreason.errors import QueryError
from kgreason.sparql import algebra
from kgreason.sparql.put_query import too_deep
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.scope import variables_of
from kgreason_rdflib.sparql.expression_translation import variables_in
from kgreason_rdflib.sparql.lexical_grammar import parsed_query, plain
from kgreason_rdflib.sparql.parameters import STRING, filled, parameterised
from kgreason_rdflib.sparql.path_translation import INVERSE_NEXT
from kgreason_rdflib.sparql.rdflib_algebra import translate_query
from kgreason_rdflib.sparql.syntax_errors import reported
from kgreason_rdflib.sparql.translation import Translation

_KEPT: Final = 512
_CHARACTER: Final = r"""[^\s<>"'{}|\\^`()\[\],;!?$&*/+=]"""
_NAME: Final = rf"{_CHARACTER}*"
_STEP: Final = rf"\^?\s*(?:<[^<>\s]*>|{_NAME}:{_NAME}|a\b)"
_TOKEN: Final = re.compile(
    rf"{STRING}|<[^<>\s]*>|\#[^\n]*|(?P<set>!\s*(?:\(\s*{_STEP}(?:\s*\|\s*{_STEP})*\s*\)|{_STEP}))",
    re.DOTALL,
)
# A prefix ends at the first colon of a name, and is looked for where a name begins: the time is linear.
_PREFIX: Final = re.compile(rf"(?<!{_CHARACTER})((?:(?!:){_CHARACTER})*):")
_OPERATOR: Final = re.compile(r"[-.]")

Parsed = TypeVar("Parsed")
Translated = TypeVar("Translated")
Triples = tuple[tuple[Identifier, Identifier, Identifier], ...]


@dataclass(frozen=True, slots=True)
class Clauses:
    """FROM and FROM NAMED."""

    default: tuple[URIRef, ...]
    named: tuple[URIRef, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A translated query: which form it has, what it asks, and of which graphs."""

    form: str
    node: algebra.Node | None
    """Rewritten."""
    translated: algebra.Node | None
    """As it is written."""
    variables: tuple[str, ...]
    clauses: Clauses | None
    goes_over_graphs: bool
    """Whether it has GRAPH with a variable."""
    graph_names: frozenset[URIRef]
    """Those of GRAPH."""
    foreign: tuple[str, ...]
    base: str | None = None
    template: Triples = ()
    described: tuple[URIRef, ...] = ()


class Translations(Generic[Parsed, Translated]):
    """Translates texts, or what rdflib prepared of them, and remembers the last ones."""

    def __init__(
        self,
        parse: Callable[[str, str | None, Mapping[str, Any]], Translated],
        translate: Callable[[Parsed], Translated],
    ) -> None:
        """`parse` translates a text with its base and namespaces, `translate` what was prepared."""
        self._parse = parse
        self._translate = translate
        self._lock = Lock()
        self._by_text: OrderedDict[Hashable, Translated] = OrderedDict()
        self._prefixes: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._prepared: WeakKeyDictionary[Parsed, Translated] = WeakKeyDictionary()

    def of(self, text: str | Parsed, base: str | None, namespaces: Mapping[str, Any]) -> Translated:
        """The translation.

        Raises:
            UntranslatableError: the text has a construct that is not known here.
            QueryError: it is nested too deeply.
        """
        try:
            return self._translated(text, base, namespaces)
        except RecursionError:
            raise too_deep() from None

    def _translated(self, text: str | Parsed, base: str | None, namespaces: Mapping[str, Any]) -> Translated:
        if not isinstance(text, str):
            # What was prepared has the literals as rdflib tidied them, so the text that rdflib kept counts.
            original = getattr(text, "_original_args", None)
            if original is None or not isinstance(original[0], str):
                return self._of_prepared(text)
            asked, namespaces, base = original
            return self._of_text(asked, base, namespaces)
        return self._of_text(text, base, namespaces)

    def _of_text(self, text: str, base: str | None, namespaces: Mapping[str, Any]) -> Translated:
        # Only the namespaces that the text may use make a difference.
        prefixes = self._prefixes_in(text)
        key = (text, base, tuple(str(namespaces.get(prefix)) for prefix in prefixes))
        with self._lock:
            known = self._by_text.get(key)
            if known is not None:
                self._by_text.move_to_end(key)
                return known
        known = self._parse(text, base, namespaces)
        self._remember(self._by_text, key, known)
        return known

    def _of_prepared(self, prepared: Parsed) -> Translated:
        with self._lock:
            known = self._prepared.get(prepared)
        if known is None:
            known = self._translate(prepared)
            with self._lock:
                self._prepared[prepared] = known
        return known

    def _prefixes_in(self, text: str) -> tuple[str, ...]:
        known = self._prefixes.get(text)
        if known is None:
            known = tuple(dict.fromkeys(name for found in _PREFIX.findall(text) for name in _names(found)))
            self._remember(self._prefixes, text, known)
        return known

    def _remember(self, table: OrderedDict[Any, Any], key: Hashable, value: object) -> None:
        with self._lock:
            table[key] = value
            while len(table) > _KEPT:
                table.popitem(last=False)


def _names(found: str) -> Iterator[str]:
    """The prefixes that the characters before a colon may be: a variable or a numeral with an operator may come first,
    as in ``?x-ex:a`` and ``1e-5-ex:a``."""
    yield found
    for operator in islice(_OPERATOR.finditer(found), 3):
        yield found[operator.end() :]


def questions() -> Translations[Query, Question]:
    """Translates queries."""
    templates = Translations(lambda *text: question_of(*parsed(*text)), question_of)

    def asked(text: str, base: str | None, namespaces: Mapping[str, Any]) -> Question:
        template, places = parameterised(text)
        if not places:
            return templates.of(text, base, namespaces)
        try:
            question = templates.of(template, base, namespaces)
        except QueryError:
            # Nothing may be wrong with the text itself, or something else.
            return templates.of(text, base, namespaces)
        node = filled(question.translated, places)
        return replace(question, node=None if node is None else rewritten(node), translated=node)

    return Translations(asked, question_of)


def parsed(text: str, base: str | None, namespaces: Mapping[str, Any]) -> tuple[Query, list[str] | None]:
    """A query as rdflib parses it; for ``SELECT *`` also the variables of its pattern in the order of their sight."""
    tree = parsed_query(marked(text), base, namespaces)
    query = tree[1]
    everything = not query.projection and query.name == "SelectQuery"
    if query.name == "DescribeQuery" and query.var is None:
        # rdflib's own translation fails on DESCRIBE *.
        query["var"] = list(dict.fromkeys(variables_in(query.where)))
    order = list(dict.fromkeys(map(str, variables_in(query.where)))) if everything else None
    with reported():
        translated: Query = translate_query(tree, base, dict(namespaces))
    return translated, order


def marked(text: str) -> str:
    """The text with a mark before each inverse predicate of a negated property set: rdflib drops its name."""

    def mark(found: re.Match[str]) -> str:
        if found["set"] is None or "^" not in found["set"]:
            return found[0]
        steps = re.sub(rf"\^\s*(?={_STEP})", f"<{INVERSE_NEXT}>|", found["set"].lstrip("!").strip().strip("()"))
        return f"!({steps})"

    return _TOKEN.sub(mark, text) if "^" in text else text


def _template_of(construct: CompValue) -> Triples:
    """The template of a CONSTRUCT, which is its pattern where it has none."""
    triples = construct.template or _pattern(construct.p).triples
    return tuple((plain(subject), plain(predicate), plain(object)) for subject, predicate, object in triples)


def _names_wanted(main: CompValue, template: Triples) -> tuple[str, ...]:
    """The variables that an answer needs: those of the template of a CONSTRUCT, or those that are selected."""
    mentioned = chain.from_iterable(template) if main.name == "ConstructQuery" else main.PV or ()
    return tuple(dict.fromkeys(str(term) for term in mentioned if isinstance(term, Variable)))


def question_of(query: Query, order: list[str] | None = None) -> Question:
    """The question of a parsed query. `order` are the variables of a ``SELECT *``."""
    main = query.algebra
    translation = Translation(query.prologue)
    node = None if main.p is None else translation.node(main.p)
    template = _template_of(main) if main.name == "ConstructQuery" else ()
    names = _names_wanted(main, template)
    if order is not None and node is not None:
        inner = variables_of(_projected(node))
        names = tuple(name for name in dict.fromkeys([*order, *sorted(names)]) if name in inner and name in names)
    return Question(
        form=main.name.removesuffix("Query").upper(),
        node=None if node is None else rewritten(node),
        translated=node,
        variables=names,
        clauses=clauses_of(main.datasetClause),
        goes_over_graphs=translation.goes_over_graphs,
        graph_names=frozenset(translation.graph_names),
        foreign=translation.foreign,
        base=translation.base,
        template=template,
        described=tuple(name for name in main.PV or () if isinstance(name, URIRef)),
    )


def clauses_of(clauses: Any) -> Clauses | None:
    """FROM and FROM NAMED, or USING and USING NAMED; None without any."""
    if not clauses:
        return None
    return Clauses(
        tuple(clause.default for clause in clauses if clause.default),
        tuple(clause.named for clause in clauses if clause.named),
    )


def _pattern(part: CompValue) -> CompValue:
    """The pattern of a CONSTRUCT WHERE, which is its template."""
    while part.name != "BGP":
        part = part.p
    return part


def _projected(node: algebra.Node) -> algebra.Node:
    while isinstance(node, (algebra.Slice, algebra.Distinct)):
        node = node.node
    return node.node if isinstance(node, algebra.Project) else node
