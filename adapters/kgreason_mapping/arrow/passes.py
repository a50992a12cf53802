"""Passes of a compiled mapping over its sources: batches go through threads, and what they make to sinks in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeVar

from kgreason import progress
from kgreason.errors import MappingError
from kgreason.io.line_blocks import each_in_threads
from kgreason_mapping.arrow.columns import ValueColumn
from kgreason_mapping.arrow.joins import JoinedChild, ParentGathering
from kgreason_mapping.arrow.quads import BatchOutcome, Problem, ProblemKind, translate
from kgreason_mapping.arrow.readers import Sources
from kgreason_mapping.arrow.row_batches import Fault, Reader, Records, no_records
from kgreason_mapping.arrow.sinks import Sink
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.plan import JoinPlan, MappingPlan, SourcePlan
from kgreason_mapping.plan.tree import references_of

THE_MAPPING: Final = "the mapping"

Result = TypeVar("Result")


@dataclass(slots=True)
class Counts:
    """What became of the rows of each source, by its name; problems by their kind; rows without a subject."""

    rows: Counter[str] = field(default_factory=Counter)
    triples: Counter[str] = field(default_factory=Counter)
    problems: Counter[tuple[str, ProblemKind]] = field(default_factory=Counter)
    without_subject: Counter[str] = field(default_factory=Counter)


class Passes:
    """The readers of a plan, and the passes over them."""

    def __init__(
        self,
        plan: MappingPlan,
        sources: Sources,
        threads: int,
        sinks: Sequence[Sink],
        quarantine: Callable[[str, Sequence[Problem]], None],
        samples: int | None,
    ) -> None:
        self._plan = plan
        self._threads, self._sinks, self._quarantine, self._samples = threads, sinks, quarantine, samples
        self._readers = [self._reader(one, sources) for one in plan.sources]
        self._counts = Counts()

    def counts(self) -> Counts:
        """Run everything."""
        for source in self._plan.sources:
            self._check(source)
        parents = [self._parent(join) for join in self._plan.joins]
        for source in self._plan.sources:
            self._map(source, [one for one in parents if one.plan.child == source.number])
        return self._counts

    def _reader(self, plan: SourcePlan, sources: Sources) -> Callable[[], Reader]:
        source = plan.source
        if source is None:
            return _OneRow
        with _named(next(iter(plan.subjects))):
            return sources.reader(source, plan.references())

    def _check(self, source: SourcePlan) -> None:
        """Refuse references that mean nothing, before anything long begins."""
        with _named(next(iter(source.subjects))):
            reader = self._readers[source.number]()
        for problem in source.problems:
            with _named(problem.triples_map):
                for reference in references_of(problem.rule):
                    reader.check(reference.text)

    def _parent(self, join: JoinPlan) -> JoinedChild:
        gathering = ParentGathering(join)
        for part in self._each(join.parent, gathering.part):
            gathering.add(part)
        return JoinedChild(join, gathering.parent())

    def _map(self, source: SourcePlan, joins: Sequence[JoinedChild]) -> None:
        def work(batch: BatchTerms) -> tuple[BatchOutcome, list[Any]]:
            outcome = translate(source, joins, batch, self._samples)
            return outcome, [sink.prepare(outcome) for sink in self._sinks]

        name = THE_MAPPING if source.source is None else source.source.name
        progress.begin("mapping", name)
        counts = self._counts
        counts.rows[name] += 0
        for outcome, prepared in self._each(source.number, work):
            counts.rows[name] += outcome.rows
            counts.triples[name] += outcome.quad_count
            counts.without_subject.update(outcome.without_subject)
            self._quarantine(name, [one for one in outcome.problems if self._is_sample(name, one.kind)])
            for kind, left_out in outcome.left_out.items():
                counts.problems[name, kind] += left_out
            for sink, part in zip(self._sinks, prepared, strict=True):
                sink.take(part)

    def _is_sample(self, source: str, kind: ProblemKind) -> bool:
        """Count a problem, and tell whether it goes to quarantine."""
        self._counts.problems[source, kind] += 1
        return self._samples is None or self._counts.problems[source, kind] <= self._samples

    def _each(self, number: int, work: Callable[[BatchTerms], Result]) -> Iterator[Result]:
        """What the batches of a source give, in order."""
        reader = self._readers[number]()

        def task(numbered: tuple[int, Any]) -> Result:
            position, piece = numbered
            return work(BatchTerms(reader.parse(piece), f"{number}_{position}"))

        return each_in_threads(task, enumerate(reader.pieces()), self._threads)


@contextmanager
def _named(triples_map: str) -> Iterator[None]:
    """Errors of a mapping name a triples map."""
    try:
        yield
    except MappingError as error:
        raise MappingError(error.reason, error.triples_map or triples_map) from None


class _OneRow:
    """The one row, without values, of triples maps without a source."""

    name: Final = THE_MAPPING
    length: Final = 1
    faults: Final[Sequence[Fault]] = ()

    def check(self, reference: str) -> None:
        raise MappingError(f"no logical source has {reference!r}")

    def pieces(self) -> Iterator[_OneRow]:
        yield self

    def parse(self, piece: _OneRow) -> _OneRow:
        return piece

    def values(self, reference: str) -> ValueColumn:
        raise MappingError(f"no logical source has {reference!r}")

    def records(self, iterator: str) -> NoReturn:
        no_records(THE_MAPPING, iterator)

    def nested(self, iterator: str) -> Records:
        return no_records(THE_MAPPING, iterator)

    def row_json(self, row: int) -> str:
        return "{}"
