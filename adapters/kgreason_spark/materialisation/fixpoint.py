"""Distributed materialisation: seminaive rounds on the cluster, with the driver's reasoner in step.

A round derives what follows from the facts that the last one brought, takes away what is known (an anti-join),
and is written down. The first one makes copies only, since nearly everything that they give
takes part in the joins of the second. Before each round the driver takes in what is new of the resident
relations: new rules may come of it, new facts of closures, and facts of other relations, which join the next round.

Nothing is done twice: a rule is evaluated over all facts when it is new or reads a resident relation that changed,
and over new facts afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import count
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kgreason.engine.rules.groups import Flags, as_keys
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.program.rules import Program
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.catalogue import AUTO, Catalogue
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason_spark.materialisation.cluster_facts import ClusterFacts
from kgreason_spark.materialisation.copies import compose, is_copying, with_copies
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.derivation import Derivation
from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS, check_residents
from kgreason_spark.materialisation.equivalences import ComponentPairs, Equivalences
from kgreason_spark.materialisation.every_triple import EveryTriple
from kgreason_spark.materialisation.fact_columns import (
    RELATION,
    Numbers,
    argument,
    fact_columns,
    frame_of,
    of_relations,
)
from kgreason_spark.materialisation.group_frames import grouped
from kgreason_spark.materialisation.instance_levels import InstanceLevels
from kgreason_spark.materialisation.list_checks import check_forks
from kgreason_spark.materialisation.operation_frames import Values
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup, on_cluster
from kgreason_spark.materialisation.plans import Plans, smallest
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.residents import BROADCAST_LIMIT, SENT_LIMIT, Limits, rows_of
from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
from kgreason_spark.materialisation.rule_instances import Naming
from kgreason_spark.materialisation.rule_levels import RuleLevels
from kgreason_spark.materialisation.term_ids import Terms
from kgreason_spark.materialisation.unspecialised import LATE_CLASS, LATE_PROPERTY

MOVED_LIMIT: Final = 2_000_000
"""A relation with more facts does not come to the driver only because schema facts follow from it."""

SMALL_LIMIT: Final = 200_000
"""Relations with so many facts together are sent to every executor where rules join them; all others are shuffled."""


@dataclass(slots=True)
class _News:
    """The facts that the driver learned before a round: resident relations with new facts, and facts of other
    relations."""

    residents: set[int] = field(default_factory=set)
    shipped: dict[int, list[Table]] = field(default_factory=dict)

    def follow(self, earlier: _News) -> None:
        """Add what was learned before a round that was not derived from it."""
        self.residents |= earlier.residents
        for code, tables in earlier.shipped.items():
            self.shipped.setdefault(code, []).extend(tables)


class Fixpoint(Derivation):
    """One run to the fixpoint, going on after the rounds that are there."""

    def __init__(
        self,
        dataset: Dataset,
        program: Program,
        checkpoints: Checkpoints,
        *,
        sent_limit: int = SENT_LIMIT,
        broadcast_limit: int = BROADCAST_LIMIT,
        moved_limit: int = MOVED_LIMIT,
        small_limit: int = SMALL_LIMIT,
        driver_facts: int = DRIVER_FACTS,
        schemes: str | Catalogue = AUTO,
    ) -> None:
        reasoner = Reasoner(program, schemes=schemes, unspecialised=frozenset(checkpoints.unspecialised))
        checkpoints.width = reasoner.width()
        terms = Terms(reasoner.dictionary, dataset, checkpoints.terms)
        super().__init__(dataset, reasoner, terms, checkpoints, Limits(sent_limit, broadcast_limit))
        counts = dataset.manifest.terms
        self._first_literal = counts.first_literal
        self._every: EveryTriple | None = None
        if reasoner.triple is not None:
            type_id = int(terms.identify([RDF_TYPE])[0])
            self._every = EveryTriple(reasoner.triple, type_id, counts, terms, self._width)
        self.facts = ClusterFacts(self._triples, checkpoints, self._every)
        self._moved_limit = moved_limit
        self._small_limit = small_limit
        self._driver_facts = driver_facts
        self._equivalences = Equivalences({})
        self._components = ComponentPairs(self._first_literal, self._width, checkpoints.keep)
        self._counts = Counter(self._triples.counts())
        self._seen: dict[int, np.ndarray] = {}
        self._levels = self._rule_levels()

    def run(self, report: Callable[[int, Round], None]) -> None:
        """Derive everything; `report` is called with the number of each round and the round.

        Raises:
            StratificationError: the rules cannot be used.
            LevelError: it must be run again, from the beginning, with the levels that this brings.
            MovedError: the same, with relations that are not the driver's.
            SparkError: more would come to the driver than may.
        """
        last: Round | None = None
        waiting = _News()
        for number in count():
            news = self._absorb(last)
            news.follow(waiting)
            self.terms.mapping()  # one look through the dictionary in place of one for each rule
            groups = [on_cluster(group, self.terms) for group in self.reasoner.groups()]
            came = news.residents | ({*last.relations} if last is not None else set())
            self._levels.find(groups, self._with_facts(), came)
            self._equivalences = Equivalences.of(groups, self.residents)
            is_done = number > 1 and last is not None and not (last.facts or news.residents or news.shipped)
            if is_done and not self._levels.go_on():
                return
            is_given = number == 0 and self._checkpoints.is_given
            waiting = news if is_given else _News()
            due = [] if is_given else self._due_groups(groups, copying=number == 0)
            last = self._checkpoints.next(self._levels.level, partial(self._derived, due, news, last))
            report(number, last)
            check_forks(self, last)
            for group in due:
                self._seen[group.family] = _keys(group)
            self._levels.evaluated(due)

    # -- the driver's part --------------------------------------------------------------------------------------

    def _absorb(self, last: Round | None) -> _News:
        """Let the driver take in what the last round, or the explicit triples, have of resident relations."""
        news = _News()
        if last is None:
            self._note(self.reasoner.begin(), news)
        else:
            self._counts.update(last.relations)
            self._check_residents()
            came = self.residents & last.relations.keys()
            if came:
                self._take(self._checkpoints.last_of(_codes(came)), news)
        while True:
            fresh = self._new_residents()
            if not fresh:
                break
            self.residents |= fresh
            self._check_residents()
            if known := fresh & self._counts.keys():
                self._take(self.facts.gathered(_codes(known)), news)
            news.residents |= {code for code in fresh if self.table(code)}
        for code in news.shipped.keys() & self.residents:
            del news.shipped[code]
        return news

    def _new_residents(self) -> set[int]:
        codes = np.fromiter(self._counts, dtype=np.int64)
        driver = self.terms.relations_to_driver(codes).tolist()
        movable = dict(zip(driver, self._counts.values(), strict=True))
        moved = self.terms.relations_to_driver(_codes(self._checkpoints.moved)).tolist()
        every = [] if self._every is None else [self._every.code]
        found = self.reasoner.residents(
            [*driver, *every], movable, self._moved_limit, self._driver_facts, [*moved, *every]
        )
        return set(self.terms.relations_to_cluster(np.fromiter(found, dtype=np.int64)).tolist()) - self.residents

    def _check_residents(self) -> None:
        """MovedError where resident relations have more facts than may be on the driver."""
        sizes = {code: self._counts[code] for code in self.residents & self._counts.keys()}
        codes = [{self.cluster_code(code) for code in closure} for closure in self.reasoner.closures]
        rules_about = self.reasoner.rules_about
        check_residents(sizes, codes, self._driver_facts, lambda code: rules_about(self.driver_code(code)))

    def _take(self, found: pa.Table, news: _News) -> None:
        """Hand facts of resident relations over to the reasoner."""
        relation = _numbers(found, RELATION)
        columns = [_numbers(found, argument(position)) for position in range(self._width)]
        added: dict[int, tuple[np.ndarray, ...]] = {}
        # One look through the dictionary; 0 stands where a relation has no argument, and is an id or that of no term.
        self.terms.to_driver(np.concatenate([column[column != 0] for column in columns]))
        for code in np.unique(relation).tolist():
            rows = relation == code
            driver = self.driver_code(code)
            arity = self.reasoner.arity(driver)
            added[driver] = tuple(self.terms.to_driver(column[rows]) for column in columns[:arity])
        self._note(self.reasoner.add(added), news)

    def _note(self, added: Mapping[int, Table], news: _News) -> None:
        for driver, table in added.items():
            code = self.cluster_code(driver)
            if code in self.residents:
                news.residents.add(code)
            else:
                news.shipped.setdefault(code, []).append(table)

    def _rule_levels(self) -> RuleLevels:
        auxiliary, every = self.reasoner.auxiliary, self._every
        if every is None:
            return RuleLevels(self._checkpoints.levels, None)
        naming = Naming(every.code, every.type_id, self.reasoner.along_lists())
        instances = InstanceLevels(self.dataset.spark, naming, self.facts_of, self._checkpoints.keep_here)
        return RuleLevels(self._checkpoints.levels, instances, (auxiliary(LATE_CLASS, 1), auxiliary(LATE_PROPERTY, 1)))

    def facts_of(self, code: int) -> DataFrame:
        """The facts of a relation, wherever they are."""
        table = self.table(code) if code in self.residents else None
        codes = np.array([code])
        if table is None:
            return of_relations(self.facts.of(codes), codes)
        return reduce(DataFrame.unionAll, self.prepared({code: table}, table.arity).facts())

    def _with_facts(self) -> Codes:
        """The relations that have facts, here or there."""
        found = [*self._counts, *(code for code in self.residents if self.table(code))]
        return np.array(self.facts.with_every(found), dtype=np.int64)

    # -- the cluster's part -------------------------------------------------------------------------------------

    def _due_groups(self, groups: Sequence[RuleGroup], copying: bool) -> list[RuleGroup]:
        """The groups with rules that are due; in the first round only those that are `copying`."""
        known = self._with_facts()
        due = [group for group in (self._due(group, known) for group in groups) if len(group.parameters)]
        if copying:
            due = [group for group in due if self._copies(group)]
        assert all(group.arity <= self._width for group in due), "a fact has more arguments than there are columns"
        return due

    def _copies(self, group: RuleGroup) -> bool:
        """Whether rules need no join. What is derived of all triples is not copied, but made a fact first."""
        return is_copying(group.template) and not (self._every is not None and self._every.is_in(group))

    def _due(self, group: RuleGroup, known: Codes) -> RuleGroup:
        """The rules that have facts for every body atom, at this level, and that are not the driver's."""
        mask = group.possible(known)
        if not (group.template.negated or group.template.summaries):
            mask &= ~group.confined(self.residents)
            mask &= ~self._equivalences.stands_for(group)
        return group.where(mask & self._levels.allowed(group))

    def _derived(self, due: Sequence[RuleGroup], news: _News, last: Round | None) -> DataFrame | None:
        """The facts that the rules due derive and that are not known; None where no rule finds facts for its body."""
        copying = [group for group in due if self._copies(group)]
        copies = compose(copying, self.residents, self._first_literal)
        tables = [(code, table) for code, each in news.shipped.items() for table in each]
        shipped = [rows_of({code: table}, self.terms, self._width) for code, table in tables]
        base = [frame_of(self.dataset.spark, pa.concat_tables(shipped))] if shipped else []
        if any(self._fresh(group).any() for group in copying):
            base.append(self.facts.all())
        if last is not None:
            joining = [group for group in due if not (self._copies(group) or group.template.summaries)]
            base += self._joined(joining, news, last)
            base += self._grouped([group for group in due if group.template.summaries])
            base += self._components.pairs(self._equivalences, self._counts, self.facts.of)
        if not base:
            return None
        facts = reduce(DataFrame.unionAll, base)
        if self._every is not None:
            facts = self._every.as_facts(facts)
        candidates = with_copies(facts, copies, self._width, self._first_literal)
        return candidates.distinct().join(self.facts.all(), fact_columns(self._width), "left_anti")

    def _joined(self, due: Sequence[RuleGroup], news: _News, last: Round) -> Iterator[DataFrame]:
        """The facts of joins: of rules that are new, or read a resident relation with new facts, everything."""
        if not due:
            return iter(())
        read_anew = self.facts.with_every(news.residents)
        whole = [self._fresh(group) | group.reading(read_anew) for group in due]
        pairs = list(zip(due, whole, strict=True))
        new = self.facts.new() if last.facts else None
        return self._plans(due).derived(
            [group.where(mask) for group, mask in pairs if mask.any()],
            [group.where(~mask) for group, mask in pairs if not mask.all()],
            new,
            self.facts.with_every(last.relations),
        )

    def _grouped(self, due: Sequence[RuleGroup]) -> Iterator[DataFrame]:
        """The facts of grouping rules that are new: their bodies are complete at this level."""
        for group in due:
            fresh = group.where(self._fresh(group))
            for head, source in zip(fresh.heads.tolist(), fresh.body(0).tolist(), strict=True):
                codes = np.array([source])
                if source in self.residents or self._counts[source] <= self._small_limit:
                    table = self.reasoner.grouped(group.template, self._here(source, group.template))
                    if table is not None:
                        yield frame_of(self.dataset.spark, rows_of({head: table}, self.terms, self._width))
                else:
                    facts = of_relations(self.facts.of(codes), codes)
                    yield grouped(facts, group.template, head, self._values(), self._width)

    def _here(self, source: int, template: RuleTemplate) -> Table:
        """All facts of a relation that is resident, or small, with the driver's ids."""
        table = self.table(source) if source in self.residents else None
        if table is None:
            found = self.facts.gathered(np.array([source]))
            columns = [_numbers(found, argument(position)) for position in range(len(template.body[0].arguments))]
            table = table_of(tuple(self.terms.to_driver(column) for column in columns))
        return table

    def _values(self) -> Values:
        every = None if self._every is None else self._every.code
        return Values(self.dictionary, self.terms, self._checkpoints.keep_here, every)

    def _plans(self, due: Sequence[RuleGroup]) -> Plans:
        read = {code for group in due for code in group.reads()}
        reads_every = self._every is not None and self._every.code in read
        here = self.residents if reads_every else read & self.residents
        tables = {code: table for code in here if (table := self.table(code))}
        width = max([self._width, *(table.arity for table in tables.values())])
        residents = self._levels.with_late(self.prepared(tables, width))
        sizes = {code: 0 if code in self.residents else self._counts[code] for code in read}
        sizes |= {code: len(tables[code]) for code in read & tables.keys() if code not in residents.tables}
        facts = self.facts
        if self._every is not None and reads_every:
            facts = replace(facts, others=tuple(residents.facts()))
            sizes[self._every.code] = self._counts.total() + sum(map(len, tables.values()))
        values, small = self._values(), smallest(sizes, self._small_limit)
        return Plans(
            self.dataset.spark, facts.of, facts.gathered, small, residents, values, self._width, self._first_literal
        )

    def _fresh(self, group: RuleGroup) -> Flags:
        seen = self._seen.get(group.family)
        if seen is None or self._levels.is_anew(group):
            return np.ones(len(group.parameters), dtype=np.bool_)
        return ~np.isin(as_keys(group.parameters), seen)


def _keys(group: RuleGroup) -> np.ndarray:
    return as_keys(group.parameters)


def _codes(relations: set[int]) -> Codes:
    return np.array(sorted(relations), dtype=np.int64)


def _numbers(table: pa.Table, name: str) -> Numbers:
    return np.asarray(table[name].to_numpy(), dtype=np.int64)
