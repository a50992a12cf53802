"""The plan of a source over a batch of rows: its quads as columns of terms, and its problems."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from kgreason.rdf.keys import BLANK_KIND
from kgreason_mapping.arrow.columns import Mask, Rows, combinations, mask_of, taken
from kgreason_mapping.arrow.joins import JoinedChild
from kgreason_mapping.arrow.term_columns import Pieces, TermColumn
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.plan.compilation import DEFAULT_GRAPH
from kgreason_mapping.plan.tree import ProblemRule, SourcePlan, TermRule, TextValue, references_of


@dataclass(frozen=True, slots=True)
class Placed:
    """The terms of a column at positions; None for all as they are."""

    column: TermColumn
    positions: Rows | None

    def terms(self) -> TermColumn:
        """The terms, one for each position."""
        return self.column.at(self.positions)

    def token_pieces(self, rows: slice) -> Pieces:
        """The pieces of the tokens of some of the terms."""
        pieces = self.column.token_pieces
        if self.positions is None:
            return tuple(piece if isinstance(piece, str) else piece[rows] for piece in pieces)
        chosen = self.positions[rows]
        return tuple(piece if isinstance(piece, str) else taken(piece, chosen) for piece in pieces)


@dataclass(frozen=True, slots=True)
class QuadColumns:
    """Quads of good terms; `graph` is None in the default graph."""

    length: int
    subject: Placed
    predicate: Placed
    object: Placed
    graph: Placed | None

    @property
    def terms(self) -> list[Placed]:
        """Subjects, predicates and objects, and graphs unless these are the default one."""
        return [self.subject, self.predicate, self.object, *([] if self.graph is None else [self.graph])]


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """What problems are counted by: where in the mapping the rule is, the references that it has, and the reason; only
    the reason for rows that cannot be read."""

    triples_map: str | None
    part: str | None
    references: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """What could not become a quad: the text that is not a term, and its row."""

    kind: ProblemKind
    text: str | None
    row: str

    @property
    def triples_map(self) -> str | None:
        """The name of the triples map; None for a row that cannot be read."""
        return self.kind.triples_map

    @property
    def reason(self) -> str:
        """Why there is no quad."""
        return self.kind.reason

    @property
    def detail(self) -> str | None:
        """The part of the triples map, and the text."""
        part = self.kind.part
        return part if part is None or self.text is None else f"{part}: {self.text}"


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What a batch makes."""

    rows: int
    quads: list[QuadColumns]
    problems: list[Problem] = field(default_factory=list)
    left_out: dict[ProblemKind, int] = field(default_factory=dict)
    without_subject: dict[str, int] = field(default_factory=dict)

    @property
    def quad_count(self) -> int:
        """How many quads there are."""
        return sum(one.length for one in self.quads)


def translate(
    plan: SourcePlan, joins: Sequence[JoinedChild], batch: BatchTerms, samples: int | None = None
) -> BatchOutcome:
    """What the rows of a batch make; of each kind of problems so many `samples`, and the number of the others."""
    rows = batch.rows
    quads: list[QuadColumns] = []
    for rule in plan.quads:
        quads += _quads(batch, rule.subject, rule.predicate, batch.terms(rule.object), rule.graph)
    for join in joins:
        found = join.objects(batch)
        if found.length:
            for subject, predicate, graph in join.plan.quads:
                quads += _quads(batch, subject, predicate, found, graph)
    problems = [Problem(ProblemKind(None, None, (), fault.reason), None, fault.row) for fault in rows.faults]
    left_out: dict[ProblemKind, int] = {}
    for problem in plan.problems:
        problems += _problems(batch, problem, samples, left_out)
    without = {
        name: count
        for name, subject in plan.subjects.items()
        if (count := rows.length - int(batch.rows_with(subject, bad_too=True).sum()))
    }
    return BatchOutcome(rows.length + len(rows.faults), quads, problems, left_out, without)


def _quads(
    batch: BatchTerms, subject: TermRule, predicate: TermRule, objects: TermColumn, graph: TermRule | None
) -> Iterator[QuadColumns]:
    """The quads of all combinations of good terms."""
    columns = [batch.terms(subject), batch.terms(predicate), objects]
    columns += [] if graph is None else [batch.terms(graph)]
    rows, positions = combinations([one.rows for one in columns])
    length = batch.rows.length if rows is None else len(rows)
    chosen = _where_good(columns, positions)
    if chosen is not None:
        positions = [chosen if at is None else at[chosen] for at in positions]
        length = len(chosen)
    if not length:
        return
    if graph is None:
        yield _placed(columns, positions, length, None)
        return
    names = columns[3]
    is_default = _is_default(names, positions[3], length)
    for mask, named in ((~is_default, names), (is_default, None)):
        some = np.flatnonzero(mask)
        if len(some) == length:
            yield _placed(columns, positions, length, named)
        elif len(some):
            yield _placed(columns, [some if at is None else at[some] for at in positions], len(some), named)


def _placed(
    columns: Sequence[TermColumn], positions: Sequence[Rows | None], length: int, graph: TermColumn | None
) -> QuadColumns:
    subject, predicate, object_ = map(Placed, columns[:3], positions[:3])
    if graph is None:
        return QuadColumns(length, subject, predicate, object_, None)
    at = None if graph.is_constant else positions[3]
    names = graph.at(at)
    return QuadColumns(length, _scoped(subject, names), predicate, _scoped(object_, names), Placed(names, None))


def _scoped(placed: Placed, graph: TermColumn) -> Placed:
    """The terms for a named graph, which blank nodes belong to."""
    return Placed(placed.terms().in_graph(graph), None) if placed.column.kind == BLANK_KIND else placed


def _where_good(columns: Sequence[TermColumn], positions: Sequence[Rows | None]) -> Rows | None:
    """The combinations in which all terms are good; None where all are."""
    good: Mask | None = None
    for column, at in zip(columns, positions, strict=True):
        if column.good is not None:
            mask = column.good if at is None else column.good[at]
            good = mask if good is None else good & mask
    return None if good is None or good.all() else np.flatnonzero(good)


def _is_default(graph: TermColumn, positions: Rows | None, length: int) -> Mask:
    if graph.is_constant:
        return np.zeros(length, dtype=np.bool_)
    mask = mask_of(pc.equal(graph.keys, DEFAULT_GRAPH))
    return mask if positions is None else mask[positions]


def _problems(
    batch: BatchTerms, problem: ProblemRule, samples: int | None, left_out: dict[ProblemKind, int]
) -> Iterator[Problem]:
    if isinstance(problem.rule, TextValue):
        texts = batch.texts(problem.rule)
        reason, rows, keys = texts.problem, texts.rows, texts.texts
    else:
        column = batch.terms(problem.rule)
        reason, rows = column.reason, column.rows
        keys = column.keys if reason is not None else None
    if reason is None:
        return
    bad = np.flatnonzero(mask_of(reason.is_valid()))
    own = bad if rows is None else rows[bad]
    if problem.only_with is not None:
        kept = batch.rows_with(problem.only_with)[own]
        bad, own = bad[kept], own[kept]
    references = tuple(dict.fromkeys(one.text for one in references_of(problem.rule)))
    seen: Counter[ProblemKind] = Counter()
    for at, row in zip(bad.tolist(), own.tolist(), strict=True):
        kind = ProblemKind(problem.triples_map, problem.part, references, reason[at].as_py())
        seen[kind] += 1
        if samples is None or seen[kind] <= samples:
            yield Problem(kind, keys[at].as_py(), batch.rows.row_json(row))
        else:
            left_out[kind] = left_out.get(kind, 0) + 1


def json_line(source: str, problem: Problem) -> str:
    """A line of quarantine, with those of its fields that it has."""
    fields = {
        "source": source, "triples_map": problem.triples_map, "reason": problem.reason, "detail": problem.detail,
        "row": problem.row,
    }  # fmt: skip
    known = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(known, ensure_ascii=False, separators=(",", ":")) + "\n"
