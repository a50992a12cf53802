"""Distributed materialisation: seminaive rounds on the cluster, with the driver's reasoner in step.

A round derives what follows from the facts that the last one brought, takes away what is known (an anti-join, with the
relations concerned alone where that is little), and is written down. The first one makes copies only, since nearly
everything that they give takes part in the joins of the second. Before each round the driver takes in what is new of
the resident relations: new rules may come of it, new facts of closures, and facts of other relations, which join the
next round.

Nothing is done twice: a rule is evaluated over all facts when it is new or reads a resident relation that changed,
and over new facts afterwards. Where the first round was given (`given_round`), the second asks rules that were
evaluated before for what has changed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import count

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kgreason.engine.rules.guard_rows import Flags, as_keys
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.program.rules import Program
from kgreason.relations.catalogue import AUTO, Catalogue
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.absorption import Absorption, News, numbers
from kgreason_spark.materialisation.copies import compose, is_copying, with_copies
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_limits import LIMITS, Limits
from kgreason_spark.materialisation.equivalences import ComponentPairs, Equivalences
from kgreason_spark.materialisation.fact_columns import argument, frame_of, of_relations
from kgreason_spark.materialisation.given_round import GivenRound
from kgreason_spark.materialisation.group_frames import grouped
from kgreason_spark.materialisation.instance_levels import InstanceLevels
from kgreason_spark.materialisation.list_checks import check_forks
from kgreason_spark.materialisation.operation_frames import Values
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup, on_cluster
from kgreason_spark.materialisation.plans import Plans, smallest
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.residents import rows_of
from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
from kgreason_spark.materialisation.rule_instances import Naming
from kgreason_spark.materialisation.rule_levels import RuleLevels
from kgreason_spark.materialisation.term_ids import Terms
from kgreason_spark.materialisation.unspecialised import LATE_CLASS, LATE_PROPERTY


class Fixpoint(Absorption):
    """One run to the fixpoint, going on after the rounds that are there."""

    def __init__(
        self,
        dataset: Dataset,
        program: Program,
        checkpoints: Checkpoints,
        limits: Limits = LIMITS,
        schemes: str | Catalogue = AUTO,
    ) -> None:
        unspecialised, budget = frozenset(checkpoints.unspecialised), checkpoints.budget
        reasoner = Reasoner(program, schemes=schemes, unspecialised=unspecialised, budget=budget)
        checkpoints.width = reasoner.width()
        terms = Terms(reasoner.dictionary, dataset, checkpoints.terms)
        super().__init__(dataset, reasoner, terms, checkpoints, limits)
        self._first_literal = dataset.manifest.terms.first_literal
        self._equivalences = Equivalences({})
        self._components = ComponentPairs(self._first_literal, self._width, checkpoints.keep)
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
        waiting = News()
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
            is_given = number == 0 and self._checkpoints.given is not None
            waiting = news if is_given else News()
            due = [] if is_given else self._due_groups(groups, copying=number == 0)
            given = self._checkpoints.given if number == 1 else None
            derive = partial(self._derived, due, news, last)
            if given is not None and self._is_change_of_data(given):
                derive = partial(self._derived_after, given, due, news)
            last = self._checkpoints.next(self._levels.level, derive)
            report(number, last)
            check_forks(self, last)
            for group in due:
                self._seen[group.family] = as_keys(group.parameters)
            self._levels.evaluated(due)

    def _rule_levels(self) -> RuleLevels:
        auxiliary, every = self.reasoner.auxiliary, self._every
        if every is None:
            return RuleLevels(self._checkpoints.levels, None)
        naming = Naming(every.code, every.type_id, self.reasoner.along_lists())
        instances = InstanceLevels(self.dataset.spark, naming, self.facts_of, self._checkpoints.keep_here)
        return RuleLevels(self._checkpoints.levels, instances, (auxiliary(LATE_CLASS, 1), auxiliary(LATE_PROPERTY, 1)))

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

    def _derived(self, due: Sequence[RuleGroup], news: News, last: Round | None) -> DataFrame | None:
        """The facts that the rules due derive and that are not known; None where no rule finds facts for its body."""
        copying = [group for group in due if self._copies(group)]
        base = self._shipped(news)
        if any(self._fresh(group).any() for group in copying):
            base.append(self.facts.all())
        if last is not None:
            base += self._joined(self._joining(due), news, last)
            base += self._grouped([group for group in due if group.template.summaries])
            base += self._components.pairs(self._equivalences, self._counts, self.facts.of)
        is_little = last is not None and self._are_few(last.facts)
        return self._unknown(base, copying, is_little and not any(self._is_whole(group, news).any() for group in due))

    def _derived_after(self, given: GivenRound, due: Sequence[RuleGroup], news: News) -> DataFrame | None:
        """The same after a change, where rules were evaluated before it: what they derive with a fact that came, and
        those of the facts that are gone that they derive in another way (DRed, Gupta and others 1993)."""
        changed, came, gone = self._checkpoints.changed, self._of_cluster(given.came), [*given.gone]
        copying, joining = [group for group in due if self._copies(group)], self._joining(due)
        gained = self._gained(given)
        pairs = [(group, group.reading(gained) | _computes(group, gone)) for group in joining]
        plans = self._plans(due)
        base = [*self._shipped(news), changed.came]
        whole, partly = [group.where(mask) for group, mask in pairs], [group.where(~mask) for group, mask in pairs]
        base += plans.derived(_with_rules(whole), _with_rules(partly), changed.came, came)
        base += plans.derived_again(_with_rules([*partly, *copying]), changed.gone, gone)
        base += self._components.pairs(self._equivalences, self._counts, self.facts.of)
        changes = sum(given.came.values()) + sum(given.gone.values())
        return self._unknown(base, copying, not gained and self._are_few(changes))

    def _gained(self, given: GivenRound) -> set[int]:
        """The resident relations with more facts than a change has left them."""
        return {
            code
            for code in self.residents
            if (table := self.table(code)) and len(table) != given.residents.get(code, 0)
        }

    def _is_change_of_data(self, given: GivenRound) -> bool:
        """Whether a change leaves rules and the residence of relations as they were."""
        about = (self.reasoner.rules_about(self.driver_code(code)) for code in self._gained(given))
        return given.residents.keys() <= self.residents and not any(about)

    def _joining(self, due: Sequence[RuleGroup]) -> list[RuleGroup]:
        return [group for group in due if not (self._copies(group) or group.template.summaries)]

    def _shipped(self, news: News) -> list[DataFrame]:
        """The facts that the driver has derived of relations of the cluster."""
        tables = [(code, table) for code, each in news.shipped.items() for table in each]
        rows = [rows_of({code: table}, self.terms, self._width) for code, table in tables]
        return [frame_of(self.dataset.spark, pa.concat_tables(rows))] if rows else []

    def _are_few(self, new: int) -> bool:
        """Whether so many facts are a small part of those that there are, which are many."""
        every = self._counts.total()
        return every > self._limits.small and new * spark_tuning.NEW_PART <= every

    def _unknown(self, base: Sequence[DataFrame], copying: Sequence[RuleGroup], are_few: bool) -> DataFrame | None:
        """Of some facts, and of what copies make of them, those that are not known; they probably `are_few`."""
        if not base:
            return None
        facts = reduce(DataFrame.unionAll, base)
        if self._every is not None:
            facts = self._every.as_facts(facts)
        copies = compose(copying, self.residents, self._first_literal)
        candidates = with_copies(facts, copies, self._width, self._first_literal)
        find = self.facts.few_unknown if are_few else self.facts.unknown
        return find(candidates.distinct())

    def _joined(self, due: Sequence[RuleGroup], news: News, last: Round) -> Iterator[DataFrame]:
        """The facts of joins: of rules that are new, or read a resident relation with new facts, everything."""
        if not due:
            return iter(())
        whole = [self._is_whole(group, news) for group in due]
        pairs = list(zip(due, whole, strict=True))
        new = self.facts.new() if last.facts else None
        return self._plans(due).derived(
            [group.where(mask) for group, mask in pairs if mask.any()],
            [group.where(~mask) for group, mask in pairs if not mask.all()],
            new,
            self._of_cluster(self.facts.with_every(last.relations)),
        )

    def _of_cluster(self, relations: Iterable[int]) -> list[int]:
        """The relations that are not resident: rules that read new facts of the others are evaluated on all facts."""
        return [code for code in relations if code not in self.residents]

    def _grouped(self, due: Sequence[RuleGroup]) -> Iterator[DataFrame]:
        """The facts of grouping rules that are new: their bodies are complete at this level."""
        for group in due:
            fresh = group.where(self._fresh(group))
            for head, source in zip(fresh.heads.tolist(), fresh.body(0).tolist(), strict=True):
                codes = np.array([source])
                if source in self.residents or self._counts[source] <= self._limits.small:
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
            columns = [numbers(found, argument(position)) for position in range(len(template.body[0].arguments))]
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
        values, small = self._values(), smallest(sizes, self._limits.small)
        return Plans(
            self.dataset.spark, facts.of, facts.gathered, small, residents, values, self._width, self._first_literal
        )

    def _is_whole(self, group: RuleGroup, news: News) -> Flags:
        """The rules of a group that are evaluated on all facts: new ones, and those that read a resident relation with
        new facts."""
        return self._fresh(group) | group.reading(self.facts.with_every(news.residents))

    def _fresh(self, group: RuleGroup) -> Flags:
        seen = self._seen.get(group.family)
        if seen is None or self._levels.is_anew(group):
            return np.ones(len(group.parameters), dtype=np.bool_)
        return ~np.isin(as_keys(group.parameters), seen)


def _with_rules(groups: Sequence[RuleGroup]) -> list[RuleGroup]:
    return [group for group in groups if len(group.parameters)]


def _computes(group: RuleGroup, relations: Sequence[int]) -> Flags:
    """For each rule whether it derives one of some relations, and terms that no atom of its body has."""
    return np.isin(group.heads, relations) & bool(group.template.assignments)
