"""Triples as DataFrames on the caller's session: frames in, frames out.

    from kgreason_spark import as_triples, ingest, materialise, read_ntriples, write_encoded, write_ntriples

    quads = ingest("s3a://raw/mapping.ttl", {"people": spark.table("raw.people")}).quads
    inferred = materialise(quads.unionByName(read_ntriples("s3a://raw/ontology.nt")), "owl-rl")
    write_encoded(quads.unionByName(inferred), "s3a://kg/encoded")

Parquet, Delta or Iceberg are what the session can read and write. All frames of triples have the columns that
`triple_frames` describes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, OptionError, SparkError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.quad_export import quads_of
from kgreason.store.rule_sets import Rules, resolve_rules
from kgreason_mapping.locations import Location, location
from kgreason_mapping.run_outputs import Compression
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import frame_of_arrow, to_arrow
from kgreason_spark.budgets import UNLIMITED, capped, is_of_cap, within
from kgreason_spark.caller_session import caller_session
from kgreason_spark.changes import changes_between
from kgreason_spark.directories import Directory
from kgreason_spark.failures import clear_errors, raised_by_row
from kgreason_spark.frames import DETAIL, QUAD, REASON, ROW, SOURCE
from kgreason_spark.ingestion import ingestion, source_frames
from kgreason_spark.materialisation import job, maintenance
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS
from kgreason_spark.observations import values_of
from kgreason_spark.outputs import encoded, statement_files
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads
from kgreason_spark.sources.statement_rows import NTriplesFiles
from kgreason_spark.triple_frames import decoded_quads

if TYPE_CHECKING:
    from collections.abc import Mapping as AnyMapping

    from pyspark.sql import SparkSession

    from kgreason.io.encoded.manifest import Manifest, TermCounts
    from kgreason.program.rules import Program
    from kgreason_mapping.documents import Mapping


def ingest(
    mapping: Mapping | Location,
    inputs: AnyMapping[str, source_frames.Input] | None = None,
    *,
    directory: Location | None = None,
    database: str | None = None,
    base: str | None = None,
    since: DataFrame | Location | None = None,
    session: SparkSession | None = None,
) -> ingestion.Ingestion:
    """What an RML mapping makes of its sources, as two frames: `quads` and `quarantined`.

    Args:
        mapping: a mapping, or the location of one on any file system.
        inputs: a DataFrame or a location for the name that the mapping has for a source (a table name, a path).
        directory: where the other sources are; by default where the mapping says.
        database: of its tables and queries: a URL, or a file of SQLite or DuckDB that all executors reach. An input may
            be a database, too, by the name of a table or of the database in the mapping.
        base: what stands before relative IRIs.
        since: the triples of an earlier ingestion, or the directory of encoded triples with them: `changes` then has
            what came and what went. Written as encoded triples or N-Triples, a store takes both as one change
            (`store.apply`, `kgreason apply`), but for triples with blank nodes.
        session: by default the active one.

    Raises:
        SparkError: the session cannot be used; says why.
        MappingError: the mapping cannot be used with any data; names the triples map.
        LoadError: a source cannot be read.

    Cost: the mapping and the headers of sources are read at once, the rows whenever a frame is evaluated.
    """
    sources = source_frames.Sources(dict(inputs or {}), directory, database=database)
    spark = caller_session(session)
    made = ingestion.ingest(spark, mapping, sources, base=base)
    if since is None:
        return made
    before = since if isinstance(since, DataFrame) else read_encoded(since, session=spark)
    return replace(made, changes=changes_between(before, made.quads))


def read_ntriples(
    *paths: Location,
    malformed: Literal["fail", "drop"] = "fail",
    unfinished: bool = False,
    session: SparkSession | None = None,
) -> DataFrame:
    """The triples in files and folders of N-Triples and N-Quads, plain or compressed.

    Args:
        malformed: what becomes of lines that are not statements: by default the first one fails the job that evaluates
            the frame, with its file: with a LoadError where a function of this package runs it, and otherwise with
            Spark's exception, which has the same message.
        unfinished: read a directory although something in it says that a job has not finished.

    Raises:
        LoadError: a path that does not exist, or has no such files.
        OptionError: another word for `malformed`.

    Cost: files are listed at once, and read whenever the frame is evaluated.
    """
    if malformed not in ("fail", "drop"):
        raise OptionError(f"malformed={malformed!r}", "malformed", malformed, expected="fail or drop")
    source = NTriplesFiles([location(path) for path in paths], unfinished)
    rows = source.extract(caller_session(session)).rows
    if malformed == "drop":
        return rows.where(F.col(REASON).isNull()).select(*QUAD)
    told = F.concat_ws(": ", SOURCE, REASON, DETAIL, ROW)
    is_good = F.when(F.col(REASON).isNull(), True).otherwise(raised_by_row(told).cast("boolean"))
    return rows.where(is_good).select(*QUAD)


def read_encoded(
    directory: Location, inferred: Location | None = None, *, session: SparkSession | None = None
) -> DataFrame:
    """The triples of a directory of encoded triples, or of the directory `inferred` of what follows from them.

    Raises:
        LoadError: there are no encoded triples, or files are missing or have other sizes than they were written with.

    Cost: sizes are looked at at once; a join with the terms for each column whenever the frame is evaluated.
    """
    spark = caller_session(session)
    folders = [location(one).rstrip("/") for one in (directory, inferred) if one is not None]
    datasets = [Dataset(spark, folder) for folder in folders]
    for dataset in datasets:
        dataset.check_files()
    terms = reduce(DataFrame.unionAll, [dataset.dictionary() for dataset in datasets])
    return decoded_quads(datasets[-1].quads(), terms)


def write_ntriples(
    triples: DataFrame,
    directory: Location,
    compression: Compression = "gzip",
    *,
    overwrite: bool = False,
) -> int:
    """Write parts of N-Triples, or of N-Quads where there are named graphs; the number of lines.

    Raises:
        TermError: a value that is not a term; names it and the column.
        SparkError: the directory has something in it, unless it is to be overwritten; it is then as it was.
    """
    caller_session(None, triples)
    return statement_files.write_ntriples(triples, location(directory), compression, overwrite=overwrite)


def write_encoded(triples: DataFrame, directory: Location, *, overwrite: bool = False) -> Manifest:
    """Write encoded triples, each once, which a store loads without parsing; errors as of `write_ntriples`."""
    caller_session(None, triples)
    return encoded.write_encoded(triples, location(directory), overwrite=overwrite)


def materialise(
    triples: DataFrame,
    rules: Rules = "owl-rl",
    *,
    directory: Location | None = None,
    since: Location | None = None,
    local_facts: int = spark_tuning.DRIVER_DERIVED,
    driver_facts: int = DRIVER_FACTS,
    budget: Budget = UNLIMITED,
) -> DataFrame:
    """What follows from triples under rules, and is not among them, in the default graph.

    At most `local_facts` triples, and as many facts that follow, are derived on the driver by the engine of a store,
    without further jobs. More are derived on the cluster, by way of encoded triples in `directory`: the folders
    ``explicit`` and ``inferred`` of it, which a store loads as its own state.

    Args:
        rules: a name, a text of rules, a path, or a list of these, as for a store.
        directory: a new one on a file system that all executors reach; needed where the driver does not do.
        since: the directory of an earlier call with the same rules: what followed then is maintained (`maintenance`),
            which gives what deriving from the beginning does, and needs a directory.
        driver_facts: at most so many facts of schema and closures come to the driver of the cluster; what exceeds them
            is joined there.
        budget: how much may be derived, and for how long (`job.materialise`).

    Raises:
        BudgetError: the budget is exceeded.
        OptionError: `since` is not such a directory.
        RuleError: the rules cannot be used.
        TermError: a value that is not a term; names it and the column.
        SparkError: there are more triples, and no directory to work in; or Spark fails.
    """
    spark = caller_session(None, triples)
    program = resolve_rules(rules)
    if since is not None and directory is None:
        raise OptionError("what follows since then is written, too", "since", since, expected="directory=")
    if directory is None:
        derived = _derived_here(triples, program, local_facts, budget.begun())
        if derived is None:
            raise SparkError(
                f"more than {local_facts:,} triples, or as many that follow, are derived on the cluster",
                expected="directory=, where it writes on the way",
            )
        return frame_of_arrow(spark, derived)
    folder = location(directory).rstrip("/")
    explicit, inferred = f"{folder}/{maintenance.EXPLICIT}", f"{folder}/{maintenance.INFERRED}"
    earlier = None if since is None else Directory(spark, location(since).rstrip("/"))
    budget = budget.begun()
    with within(spark, budget, "deriving"):
        if earlier is not None and maintenance.sizes_of(earlier, program) > local_facts:
            _check_earlier(earlier)
            with clear_errors("maintaining"):
                if maintenance.prepare(triples, str(earlier), program, folder, driver_facts):
                    local_facts = 0
        else:
            encoded.write_encoded(triples, explicit)
        job.materialise(
            spark, explicit, program, inferred, pairs=True, local_facts=local_facts, driver_facts=driver_facts,
            budget=budget,
        )  # fmt: skip
    return read_encoded(explicit, inferred, session=spark)


def _check_earlier(directory: Directory) -> None:
    """LoadError where a file of an earlier call is missing or damaged."""
    before: tuple[TermCounts, ...] = ()
    for name in (maintenance.EXPLICIT, maintenance.INFERRED):
        dataset = Dataset(directory.spark, str(directory / name))
        dataset.check_files()
        dataset.check_contents(before)
        before = (dataset.manifest.terms,)


def _derived_here(triples: DataFrame, program: Program, most: int, budget: Budget) -> pa.Table | None:
    """The keys of what follows, derived on the driver; None where that is too much for it, but not for a budget."""
    observed = Observation()
    with clear_errors("deriving"):
        table = to_arrow(normal_quads(triples).observe(observed, *no_keys()).limit(most + 1))
    if table.num_rows > most:
        return None
    check_keys(values_of(observed))
    knowledge = KnowledgeBase(program)
    dictionary = knowledge.dictionary
    columns = [table[name].combine_chunks() for name in QUAD[:3]]
    ids = [dictionary.encode_column(column) for column in columns]
    graph = np.full(table.num_rows, DEFAULT_GRAPH, dtype=np.uint32)
    knowledge.add_quads(Quads(graph, *ids))
    knowledge.budget = capped(budget, most)
    try:
        view = knowledge.inferred()
        if view.estimate > most:
            return None
        found = quads_of(view, DEFAULT_GRAPH)
    except BudgetError as error:
        if is_of_cap(error, budget, most):
            return None
        raise
    keys = [pa.array(dictionary.keys(column), pa.string()) for column in (found.subject, found.predicate, found.object)]
    return pa.table([*keys, pa.nulls(len(found), pa.string())], list(QUAD))
