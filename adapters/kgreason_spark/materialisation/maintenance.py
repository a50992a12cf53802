"""What follows from changed triples, maintained from what followed before them.

    prepare(triples, "kg/monday", resolve_rules("owl-rl"), "kg/tuesday")
    materialise(spark, "kg/tuesday/explicit", program, "kg/tuesday/inferred", pairs=True, local_facts=0)

The new triples are encoded with a dictionary that has all terms of the old ones and of what followed, too, so that
facts before and after are compared by ids. What cannot be lost with the triples that went (`overdeletion`) becomes the
first round of the job, which derives from there: facts deleted too many, and new ones. Where the rules stay the same,
they are evaluated with what has changed alone (`given_round`). What the schema, lists and closures lose is maintained
where the driver derived them alone (`driver_losses`). Otherwise, and under rules with negation, aggregates or relations
that are not triples, everything is derived from the beginning, with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.errors import OptionError
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, Manifest
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_mapping.locations import pattern_of
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, SUBJECT
from kgreason_spark.local_id_frames import TERM
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS, Limits, MovedError
from kgreason_spark.materialisation.driver_losses import NotMaintainedError
from kgreason_spark.materialisation.fact_columns import frame_of
from kgreason_spark.materialisation.job import checkpoints_of
from kgreason_spark.materialisation.overdeletion import DatasetBefore, Overdeletion
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.round_checkpoints import Checkpoints
from kgreason_spark.outputs.encoded import encode, encode_few
from kgreason_spark.session import session_for_few
from kgreason_spark.stage import Size, stage_quads
from kgreason_spark.token_columns import language_tag

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from kgreason.program.rules import Program

EXPLICIT: Final = "explicit"
INFERRED: Final = "inferred"

_TRIPLE: Final = (SUBJECT, PREDICATE, OBJECT)
_WORK: Final = ".before"
_OLD: Final = "old_id"
_NEW: Final = "new_id"
_SIDE: Final = "side"
_BEFORE: Final = 0
_NOW: Final = 1


def sizes_of(directory: Directory, program: Program) -> int:
    """How many triples an earlier directory has, explicit and inferred ones.

    Raises:
        LoadError: it has no encoded triples.
        OptionError: they do not follow from each other under these rules, with all pairs written.
    """
    explicit, inferred = (_manifest(directory / name) for name in (EXPLICIT, INFERRED))
    origin = inferred.derived_from
    if origin is None or origin.rules != program.digest or origin.definitions is not None:
        raise OptionError(f"{directory} was not materialised under these rules", "since", str(directory))
    return explicit.triples + inferred.triples


def prepare(triples: DataFrame, since: str, program: Program, folder: str, driver_facts: int = DRIVER_FACTS) -> bool:
    """Write triples as encoded triples to the folder EXPLICIT, and the first round of the job that derives what follows
    into INFERRED; whether there is such a round.

    Args:
        since: a directory with both folders, as they were for earlier triples.

    Raises:
        TermError: a value that is not a term; names it and the column.
        SparkError: the folder has something in it; or Spark fails.
    """
    spark = triples.sparkSession
    work = Directory(spark, f"{folder}/{INFERRED}{_WORK}")
    target = Directory(spark, f"{folder}/{EXPLICIT}")
    work.delete()
    try:
        with replaced(target, overwrite=False, last=MANIFEST) as (content, scratch):
            staged, size = stage_quads(triples, scratch / "quads")
            before = _before(spark, since, size, work)
            if before is None:
                encode(staged, size, content)
            elif before.here is not None:
                encode_few(staged, size, content, before.here[TERM].combine_chunks())
            else:
                encode(staged, size, content, beside=before.terms)
        if before is None:
            return False
        dataset = Dataset(before.spark, f"{folder}/{EXPLICIT}")
        return _seeded(dataset, program, before, work, f"{folder}/{INFERRED}", driver_facts)
    finally:
        work.delete()


def _before(spark: SparkSession, since: str, size: Size, work: Directory) -> _Before | None:
    """What there was before so many triples; None where it cannot be compared with them, or there is nothing to
    compare."""
    explicit, inferred = (_manifest(Directory(spark, since) / name) for name in (EXPLICIT, INFERRED))
    if not inferred.triples or size.capitals or not size.quads:
        return None
    files = (*explicit.section(DICTIONARY), *inferred.section(DICTIONARY))
    are_few = explicit.triples + inferred.triples + size.quads <= spark_tuning.COMPARED_TRIPLES
    are_short = size.bytes <= spark_tuning.DRIVER_ENCODED_BYTES
    if are_few and are_short and sum(file.bytes for file in files) <= spark_tuning.COMPARED_BYTES:
        session = session_for_few(spark)
        here = to_arrow(_terms_before(session, since))
        before = _Before(session, since, inferred.triples, frame_of(session, here), here)
    else:
        _terms_before(spark, since).write.parquet(str(work / "terms"))
        before = _Before(spark, since, inferred.triples, spark.read.parquet(pattern_of(str(work / "terms"))), None)
    # One tag in two spellings would be two terms.
    return before if _has_no_capitals(before.terms) else None


def _seeded(
    dataset: Dataset,
    program: Program,
    before: _Before,
    work: Directory,
    target: str,
    driver_facts: int,
) -> bool:
    """Write what remains as the first round of the job."""
    spark = dataset.spark
    new = dataset.dictionary().select(F.col("id").alias(_NEW), F.col("term").alias(TERM))
    before.terms.join(new, TERM).select(_OLD, _NEW).write.parquet(str(work / "ids"))
    ids = spark.read.parquet(pattern_of(str(work / "ids")))
    # A triple of several graphs is one fact.
    _with_ids(before.triples(EXPLICIT), ids).distinct().write.parquet(str(work / EXPLICIT))
    earlier = DatasetBefore(spark, dataset.path, str(work / EXPLICIT))
    width = Reasoner(program).width()
    type_id = dataset.ids([RDF_TYPE]).get(RDF_TYPE)
    facts = dataset.facts(type_id, width)
    old = _with_ids(before.triples(INFERRED), ids)
    checkpoints = Checkpoints(spark, str(work / "rounds"), "before", width)
    differences = checkpoints.keep(_differences(earlier.triples(), dataset.triples()))
    removed, added = (facts.of_triples(differences.where(F.col(_SIDE) == side)) for side in (_BEFORE, _NOW))
    try:
        run = Overdeletion(earlier, program, checkpoints, Limits(driver_facts=driver_facts))
        left = run.remaining(facts.of_triples(old), before.inferred, removed, added, facts)
        begun = checkpoints_of(dataset, program, target)
        begun.begin_after(left.facts, left.changed, left.residents, left.terms)
    except (NotMaintainedError, MovedError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Before:
    """What there was before: triples and what followed from them, by ids of dictionaries that go on one after the
    other; `inferred` are so many; `terms` has their terms, each once: the columns _OLD, their id, and TERM; `here` the
    same, where they are few."""

    spark: SparkSession
    directory: str
    inferred: int
    terms: DataFrame
    here: pa.Table | None

    def triples(self, name: str) -> DataFrame:
        """The ids of the explicit triples, or of those that followed."""
        return Dataset(self.spark, f"{self.directory}/{name}").triples()


def _terms_before(spark: SparkSession, directory: str) -> DataFrame:
    """The terms of all triples of an earlier call, each once: the columns _OLD, their id, and TERM."""
    parts = [Dataset(spark, f"{directory}/{name}") for name in (EXPLICIT, INFERRED)]
    terms = parts[0].dictionary().unionByName(parts[1].dictionary())
    all_triples = parts[0].triples().unionByName(parts[1].triples())
    used = all_triples.select(F.explode(F.array(*_TRIPLE)).alias(_OLD)).distinct()
    return terms.select(F.col("id").alias(_OLD), F.col("term").alias(TERM)).join(used, _OLD, "left_semi")


def _manifest(directory: Directory) -> Manifest:
    return Manifest.from_json((directory / MANIFEST).read_text(), f"{directory}/{MANIFEST}")


def _has_no_capitals(terms: DataFrame) -> bool:
    return terms.where(language_tag(F.col(TERM)).rlike("[A-Z]")).isEmpty()


def _differences(before: DataFrame, now: DataFrame) -> DataFrame:
    """The triples that are in one of two frames alone, each once, with its _SIDE: each frame is shuffled once."""
    sides = before.withColumn(_SIDE, F.lit(_BEFORE)).unionAll(now.withColumn(_SIDE, F.lit(_NOW)))
    found = sides.groupBy(*_TRIPLE).agg(F.min(_SIDE).alias(_SIDE), F.max(_SIDE).alias("last"))
    return found.where(F.col(_SIDE) == F.col("last")).drop("last")


def _with_ids(triples: DataFrame, ids: DataFrame) -> DataFrame:
    """Triples with other ids, in the default graph; different ids stay different."""
    for name in _TRIPLE:
        of_place = ids.withColumnRenamed(_OLD, name)
        triples = triples.join(of_place, name).drop(name).withColumnRenamed(_NEW, name)
    return triples.select(*_TRIPLE, F.lit(None).cast("bigint").alias(GRAPH))
