"""A mapping as frozen data: triples maps over logical sources.

Constant terms are dictionary keys (`kgreason.dictionary.dictionary`), references are texts in the
language of their source.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class TermType(Enum):
    """The kind of term that a reference or a template makes; the URI types percent-encode all but ASCII, the unsafe
    ones nothing."""

    IRI = "IRI"
    URI = "URI"
    UNSAFE_IRI = "UnsafeIRI"
    UNSAFE_URI = "UnsafeURI"
    BLANK_NODE = "BlankNode"
    LITERAL = "Literal"


@dataclass(frozen=True, slots=True)
class Constant:
    """The same term for every row, as a dictionary key."""

    key: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A column, or a path into a row."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """What a function (`kgreason_mapping.documents.functions`) makes of texts, for each of its parameters one."""

    function: str
    arguments: tuple[Text, ...]


Text: TypeAlias = tuple[str | Reference | Call, ...]
"""A text of a row: fixed texts and values, one after the other; none where a value is none."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text with references in it, in order."""

    parts: Text


@dataclass(frozen=True, slots=True)
class Fresh:
    """A blank node of its own for every row; `number` tells the term maps apart that make such."""

    number: int


Expression: TypeAlias = Constant | Reference | Template | Call | Fresh


@dataclass(frozen=True, slots=True)
class TermMap:
    """A rule that makes a term of a row; at most one of `language` and `datatype` is given. With a `condition` there is
    a term only where that is the text ``true``."""

    expression: Expression
    term_type: TermType
    language: Expression | None = None
    datatype: TermMap | None = None
    condition: Text | None = None


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """Equality of a value of the child's row with a value of the parent's row."""

    child: Expression
    parent: Expression


@dataclass(frozen=True, slots=True)
class ReferencingObjectMap:
    """The subjects that another triples map makes of the rows that satisfy all conditions, as objects."""

    parent: str
    conditions: tuple[JoinCondition, ...]


@dataclass(frozen=True, slots=True)
class PredicateObjectMap:
    """Every predicate with every object, in every graph."""

    predicates: tuple[TermMap, ...]
    objects: tuple[TermMap, ...]
    referencing: tuple[ReferencingObjectMap, ...]
    graphs: tuple[TermMap, ...]


class Formulation(Enum):
    """How the references of a source are written, and so what format it has."""

    COLUMNS = "columns"
    CSV = "CSV"
    JSON = "JSONPath"
    XML = "XPath"
    PARQUET = "Parquet"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV file is written (https://www.w3.org/TR/tabular-metadata/#dialect-descriptions).

    Attributes:
        delimiter: between fields, one character.
        quote: around fields, one character; None where no field is quoted.
        double_quote: whether a quotation mark in a quoted field is doubled; otherwise it follows a backslash, which
            takes the meaning of any character after it.
        header: whether the first row has the names of columns; otherwise they are ``_col.1``, ``_col.2``, ...
        skip_rows: how many lines come before the header, or before the rows where there is none.
        comment: how lines begin that are not rows; None where all lines are.
        trim: whether white space around values does not belong to them.
    """

    delimiter: str = ","
    quote: str | None = '"'
    double_quote: bool = True
    header: bool = True
    skip_rows: int = 0
    comment: str | None = None
    trim: bool = False


@dataclass(frozen=True, slots=True)
class LogicalSource:
    """Where rows come from. Two equal ones are read once.

    `location` is a path, or the name of a table; `root` what a relative path is relative to: None for the directory of
    the mapping. `formulation` is None where only the file or the table can tell. `iterator` is a JSONPath or an XPath,
    with the `namespaces` of prefixes. `nulls` are values that stand for none. `query` is what a database is asked for,
    and `database` how the mapping calls that.
    """

    location: str
    root: str | None = None
    formulation: Formulation | None = None
    iterator: str | None = None
    nulls: frozenset[str] = frozenset()
    dialect: Dialect | None = None
    encoding: str | None = None
    namespaces: tuple[tuple[str, str], ...] = ()
    query: str | None = None
    database: str | None = None

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.location


@dataclass(frozen=True, slots=True)
class ExpressionField:
    """The values of an expression on each record; `fields` are those of records in the text of such a value."""

    name: str
    expression: Expression
    fields: tuple[IterableField, ...] = ()


@dataclass(frozen=True, slots=True)
class IterableField:
    """The records that an iterator selects in each record, or in a text of some formulation; None for that of the
    record."""

    name: str
    formulation: Formulation | None
    iterator: str | None
    namespaces: tuple[tuple[str, str], ...]
    fields: tuple[Field, ...]


Field: TypeAlias = ExpressionField | IterableField


@dataclass(frozen=True, slots=True)
class ViewJoin:
    """Fields from the rows of another view that satisfy all conditions. Rows without such stay, with no values, unless
    the join `is_inner`."""

    parent: LogicalView
    conditions: tuple[JoinCondition, ...]
    fields: tuple[ExpressionField, ...]
    is_inner: bool


@dataclass(frozen=True, slots=True)
class LogicalView:
    """A source as a table with a column for each field: all combinations of the values of fields, with none where a
    field has none. References are names of fields, ``outer.inner``, and their positions, ``outer.inner.#``.

    Source: https://w3id.org/rml/lv/spec.
    """

    name: str
    on: AnySource
    fields: tuple[Field, ...]
    joins: tuple[ViewJoin, ...] = ()


AnySource: TypeAlias = LogicalSource | LogicalView


@dataclass(frozen=True, slots=True)
class TriplesMap:
    """A rule that makes triples of the rows of a source; without a source there is one row, and all is constant."""

    name: str
    source: AnySource | None
    subject: TermMap
    classes: tuple[str, ...]
    graphs: tuple[TermMap, ...]
    predicate_objects: tuple[PredicateObjectMap, ...]
    base: str | None


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping document: its triples maps by name, and the location of its directory."""

    triples_maps: tuple[TriplesMap, ...]
    directory: str | None = None

    def triples_map(self, name: str) -> TriplesMap:
        """The triples map of a name, which exists."""
        return next(one for one in self.triples_maps if one.name == name)

    def _check(self) -> None:
        names = [one.name for one in self.triples_maps]
        assert len(set(names)) == len(names), "two triples maps have one name"
        parents = {
            reference.parent
            for one in self.triples_maps
            for pair in one.predicate_objects
            for reference in pair.referencing
        }
        assert parents <= set(names), "a parent is not a triples map"
