"""A job from encoded triples to what follows from them, resumable after any round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Final

import numpy as np
from pyspark.sql import functions as F

from kgreason.errors import ListError
from kgreason.io.encoded.label_tables import CLOSURES, DEFINITIONS, EDGES, NODES, REACHED, checksum
from kgreason.io.encoded.manifest import (
    DICTIONARY,
    MANIFEST,
    TRIPLES,
    DerivedFrom,
    Manifest,
    TermCounts,
    current_version,
)
from kgreason.relations.catalogue import AUTO, Catalogue
from kgreason.relations.schemes import standard_catalogue
from kgreason.store.defective_lists import warn_of
from kgreason_mapping.run_outputs import NTRIPLES, Compression
from kgreason_spark import spark_tuning
from kgreason_spark.budgets import UNLIMITED, within
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.derivation import Derivation
from kgreason_spark.materialisation.driver_derivation import derived_here
from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS, LIMITS, Limits, MovedError, too_many
from kgreason_spark.materialisation.driver_rules import deriving_rules
from kgreason_spark.materialisation.fixpoint import Fixpoint
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.levels import LevelError
from kgreason_spark.materialisation.list_checks import defects, warn
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.round_checkpoints import Checkpoints, Round
from kgreason_spark.materialisation.unspecialised import is_specialised
from kgreason_spark.materialisation.written_out import all_quads
from kgreason_spark.outputs.driver_encoding import PART, by_predicate
from kgreason_spark.outputs.driver_files import write_tables
from kgreason_spark.outputs.encoded import spread, with_parts, write_triples
from kgreason_spark.outputs.statement_files import write_parts
from kgreason_spark.outputs.written_files import list_files
from kgreason_spark.session import compile_plans, session_for_few

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason.engine.budget import Budget
    from kgreason.program.rules import Program


_ROUNDS_SUFFIX: Final = ".rounds"


@dataclass(frozen=True, slots=True)
class MaterialisationReport:
    """The result of a job.

    `rounds` are those of this run and those that it went on after; `inferred` triples were written, `closed` pairs are
    in transitive relations and equivalences that were not; `lines` of N-Triples, None where none were written;
    `seconds` by stage; `lists` says of each list that is cut off or cyclic where it breaks: the axioms that name it say
    nothing.
    """

    explicit: int
    inferred: int
    closed: int
    lines: int | None
    terms: TermCounts
    rounds: tuple[Round, ...]
    seconds: dict[str, float]
    lists: tuple[str, ...] = ()


def materialise(
    spark: SparkSession,
    source: str,
    program: Program,
    target: str,
    *,
    pairs: bool = False,
    ntriples: Compression | None = None,
    overwrite: bool = False,
    strict: bool = False,
    schemes: str | Catalogue = AUTO,
    local_facts: int = spark_tuning.DRIVER_DERIVED,
    driver_facts: int = DRIVER_FACTS,
    budget: Budget = UNLIMITED,
    report: Callable[[int, Round], None] = lambda number, done: None,
) -> MaterialisationReport:
    """Derive what follows from encoded triples, and write it as encoded triples whose dictionary goes on after theirs.

    Few triples are derived on the driver, in one round. Otherwise the rounds are kept beside the target while the job
    lasts: a job that was killed goes on after the last of them when it is started again with the same triples and
    rules.

    Args:
        source: a directory of encoded triples.
        target: a new directory: inferred triples, ``closures/`` and ``definitions.json``
            (`kgreason.io.encoded.label_tables`).
            A store loads it together with the source, and derives nothing again.
        pairs: write the pairs of closures, too, however many they are.
        strict: fail where a list is cut off or cyclic; otherwise there is a ListWarning, and the report says so.
        ntriples: write all triples, explicit and inferred, as N-Triples with this compression, too: in the folder
            NTRIPLES, with all pairs of closures.
        schemes: the storage schemes of closures on the driver and in joins, as for a knowledge base. The classes of
            a scheme that is not kgreason's own must be importable on executors.
        local_facts: the driver derives everything by itself, with the engine of a store, where there are no more
            triples and no more facts follow (`driver_derivation`); with 0 the cluster always does. The results are the
            same.
        driver_facts: at most so many facts of closures and schema come to the driver of a cluster (`driver_limits`).
            The results are the same, but pairs of larger closures are written out; rules about a larger schema are
            joins with all triples (`unspecialised`), with 0 all rules about a schema.
        budget: how much may be derived, and for how long: facts and bytes as of a store's budget where the driver
            derives; on the cluster those of all rounds, and of the schema on the driver as far as no scheme keeps them,
            with `budgets.ARGUMENT_BYTES` for each argument. Rounds that were written count when the job goes on.
        report: called with the number of each round, and the round.

    Raises:
        BudgetError: the budget is exceeded; nothing is left but the rounds.
        LoadError: the source cannot be used.
        RuleError: the rules cannot be used.
        ListError: a list is cut off or cyclic, and this is to be `strict`.
        SparkError: Spark fails, or the target has something in it; nothing is left but the rounds.
    """
    begin = monotonic()
    with (
        within(spark, budget, "deriving"),
        replaced(Directory(spark, target), overwrite=overwrite, last=MANIFEST) as (content, scratch),
    ):
        dataset = Dataset(spark, source)
        dataset.check_files()
        if dataset.manifest.triples <= spark_tuning.UNCOMPILED_TRIPLES:
            dataset = Dataset(session_for_few(spark), source)
        checkpoints = checkpoints_of(dataset, program, target, schemes)
        checkpoints.budget = budget.begun()

        def reported(number: int, done: Round) -> None:
            _compile_for_many(dataset.spark, spark, sum(one.facts for one in checkpoints.rounds))
            report(number, done)

        derivation = _derivation(dataset, program, checkpoints, schemes, (local_facts, driver_facts), reported)
        lists = _defective_lists(derivation, strict)
        derived = monotonic()
        results = Results(derivation, pairs)
        _compile_for_many(dataset.spark, spark, results.most)
        manifest, closed = _write(results, content, program)
        lines = None if ntriples is None else _write_lines(derivation, content / NTRIPLES, scratch, ntriples)
    rounds = tuple(checkpoints.rounds)
    checkpoints.clear()
    seconds = {"deriving": round(derived - begin, 3), "writing": round(monotonic() - derived, 3)}
    counts = (derivation.dataset.manifest.triples, manifest.triples, closed, lines)
    return MaterialisationReport(*counts, manifest.terms, rounds, seconds, lists)


def _compile_for_many(session: SparkSession, spark: SparkSession, facts: int) -> None:
    """Have plans compiled in a session for few rows, which is another one than the caller's, where facts are many."""
    if session is not spark and facts > spark_tuning.UNCOMPILED_TRIPLES:
        compile_plans(session, spark)


def _write_lines(derivation: Derivation, folder: Directory, scratch: Directory, compression: Compression) -> int:
    folder.make()
    return write_parts(all_quads(derivation), folder, scratch, compression)


def _defective_lists(derivation: Derivation, strict: bool) -> tuple[str, ...]:
    """The defects of lists, with a warning; ListError if there are such and this is to be `strict`."""
    breaks, describer = derivation.reasoner.breaks(), derivation.reasoner.describer()
    joined = defects(derivation) if isinstance(derivation, Fixpoint) else []
    found = (*(str(describer.describe(place)) for place in breaks), *joined)
    if found and strict:
        raise ListError(found[0])
    warn_of(breaks, describer)
    warn(joined)
    return found


def checkpoints_of(dataset: Dataset, program: Program, target: str, schemes: str | Catalogue = AUTO) -> Checkpoints:
    """The rounds of the job from a dataset to a target under rules."""
    chosen = standard_catalogue(schemes)
    options = [chosen.default, *sorted(chosen.schemes), *map(repr, sorted(chosen.forced.items()))]
    identity = "\n".join([current_version(), dataset.manifest.to_json(), *options, *map(repr, program.rules)])
    job = sha256(identity.encode()).hexdigest()
    return Checkpoints(dataset.spark, f"{target.rstrip('/')}{_ROUNDS_SUFFIX}", job, Reasoner(program).width())


def _derivation(
    dataset: Dataset,
    program: Program,
    checkpoints: Checkpoints,
    schemes: str | Catalogue,
    limits: tuple[int, int],
    report: Callable[[int, Round], None],
) -> Derivation:
    local_facts, driver_facts = limits
    checkpoints.resume()
    if not checkpoints.rounds and (found := derived_here(dataset, program, checkpoints, schemes, local_facts)):
        report(0, checkpoints.rounds[0])
        return found
    dataset.check_contents()
    return run_rounds(dataset, program, checkpoints, report, limits=Limits(driver_facts=driver_facts), schemes=schemes)


def run_rounds(
    dataset: Dataset,
    program: Program,
    checkpoints: Checkpoints,
    report: Callable[[int, Round], None] = lambda number, done: None,
    *,
    limits: Limits = LIMITS,
    schemes: str | Catalogue = AUTO,
) -> Fixpoint:
    """Derive everything on the cluster: again where levels of negation turn out to be others, or more would come to the
    driver than may. Where nothing may, no rule is specialised.

    Raises:
        StratificationError: the rules cannot be used.
        SparkError: Spark fails; or more would come to the driver than may, and there is no other way.
    """
    rules = deriving_rules(program)
    specialised = {number for number, rule in enumerate(rules) if is_specialised(rule)}
    if not limits.driver_facts and not specialised <= checkpoints.unspecialised:
        checkpoints.move((), specialised)
    while True:
        try:
            fixpoint = Fixpoint(dataset, program, checkpoints, limits, schemes)
            fixpoint.run(report)
        except LevelError as error:
            checkpoints.restart(error.levels)
        except MovedError as error:
            if error.relations <= checkpoints.moved and error.rules <= checkpoints.unspecialised:
                raise too_many("facts of schema relations", limits.driver_facts) from None
            checkpoints.move(error.relations, error.rules)
        else:
            return fixpoint


def _write(results: Results, content: Directory, program: Program) -> tuple[Manifest, int]:
    """Everything but the rounds, and the manifest last; with it how many pairs are in closures.

    The driver writes its own rows and copies the files, without a job of Spark.
    """
    counts, terms = results.terms
    tables = [(f"{DICTIONARY}/{PART}", terms)]
    closed, definitions = 0, None
    if not results.pairs:
        labels = results.labels
        found = ((EDGES, labels.edges), (NODES, labels.nodes), (REACHED, labels.reached))
        tables += [(f"{CLOSURES}/{name}/{PART}", table) for name, table in found]
        content.write_text(DEFINITIONS, results.definitions)
        closed, definitions = results.closed, checksum(results.definitions)
    if results.table is not None:
        subjects, predicates, objects = (column.to_numpy().astype(np.uint32) for column in results.table.columns)
        tables += by_predicate(subjects, predicates, objects, None)
    files = write_tables(content, tables)
    if results.table is None:
        tasks = max(2, 2 * content.spark.sparkContext.defaultParallelism)
        quads = results.triples.withColumn("graph", F.lit(None).cast("bigint"))
        write_triples(spread(with_parts(quads, results.sizes()), tasks), content / TRIPLES)
        files += list_files(content, TRIPLES)
    written = sum(file.rows for file in files if file.path.startswith(f"{TRIPLES}/"))
    dataset = results.derivation.dataset
    origin = DerivedFrom(dataset.path, checksum(dataset.manifest_text), program.digest, current_version(), definitions)
    manifest = Manifest(counts, written, tuple(sorted(files, key=lambda file: file.path)), origin)
    content.write_text(MANIFEST, manifest.to_json())
    return manifest, closed
