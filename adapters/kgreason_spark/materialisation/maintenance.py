"""What follows from changed triples, maintained from what followed before them.

    prepare(triples, "kg/monday", resolve_rules("owl-rl"), "kg/tuesday")
    materialise(spark, "kg/tuesday/explicit", program, "kg/tuesday/inferred", pairs=True, local_facts=0)

The new triples are encoded with a dictionary that has all terms of the old ones and of what followed, too, so that
facts before and after are compared by ids. What cannot be lost with the triples that went (`overdeletion`) becomes the
first round of the job, which derives from there: facts deleted too many, and new ones. A change that takes something
from the schema, a list or a closure, and rules with negation, aggregates or relations that are not triples have
everything derived from the beginning, with the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.errors import OptionError
from kgreason.io.encoded.manifest import DICTIONARY, MANIFEST, TRIPLES, Manifest
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.frames import GRAPH, OBJECT, PREDICATE, QUAD, SUBJECT
from kgreason_spark.materialisation.dataset import Dataset
from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS, MovedError
from kgreason_spark.materialisation.job import checkpoints_of
from kgreason_spark.materialisation.overdeletion import DatasetBefore, NotMaintainedError, Overdeletion
from kgreason_spark.materialisation.reasoner import Reasoner
from kgreason_spark.materialisation.round_checkpoints import Checkpoints
from kgreason_spark.outputs.encoded import encode
from kgreason_spark.stage import stage_quads
from kgreason_spark.token_columns import language_tag
from kgreason_spark.triple_frames import decoded_quads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kgreason.program.rules import Program

EXPLICIT: Final = "explicit"
INFERRED: Final = "inferred"

_TRIPLE: Final = (SUBJECT, PREDICATE, OBJECT)
_IDS: Final = "subject long, object long, graph long, predicate long"
_WORK: Final = ".before"


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
    before, followed = (_keys(spark, since, *names) for names in ((EXPLICIT,), (EXPLICIT, INFERRED)))
    old = before.unionByName(followed)
    with replaced(Directory(spark, f"{folder}/{EXPLICIT}"), overwrite=False, last=MANIFEST) as (content, scratch):
        staged, size = stage_quads(triples, scratch / "quads")
        # One tag in two spellings would be two terms.
        is_comparable = not size.capitals and _has_no_capitals(old)
        encode(staged, size, content, beside=old if is_comparable else None)
    if not is_comparable or not size.quads:
        return False
    dataset = Dataset(spark, f"{folder}/{EXPLICIT}")
    work = Directory(spark, f"{folder}/{INFERRED}{_WORK}")
    try:
        return _seeded(dataset, program, before, followed, work, f"{folder}/{INFERRED}", driver_facts)
    finally:
        work.delete()


def _seeded(
    dataset: Dataset,
    program: Program,
    before: DataFrame,
    followed: DataFrame,
    work: Directory,
    target: str,
    driver_facts: int,
) -> bool:
    """Write what remains as the first round of the job."""
    spark = dataset.spark
    for keys, name in ((before, "explicit"), (followed, "inferred")):
        _with_ids(keys, dataset).write.parquet(str(work / name))
    earlier = DatasetBefore(spark, dataset.path, str(work / "explicit"))
    width = Reasoner(program).width()
    type_id = dataset.ids([RDF_TYPE]).get(RDF_TYPE)
    facts = dataset.facts(type_id, width)
    old = spark.read.parquet(str(work / "inferred"))
    checkpoints = Checkpoints(spark, str(work / "rounds"), "before", width)
    checkpoints.begin_with(facts.of_triples(old))
    explicit = facts.all()
    removed = earlier.triples().join(dataset.triples(), [*_TRIPLE], "left_anti")
    try:
        run = Overdeletion(earlier, program, checkpoints, driver_facts=driver_facts)
        remaining = run.remaining(facts.of_triples(removed), explicit)
        checkpoints_of(dataset, program, target).begin_with(remaining)
    except (NotMaintainedError, MovedError):
        return False
    return True


def _keys(spark: SparkSession, directory: str, *names: str) -> DataFrame:
    """The triples of the last of some folders, whose dictionaries go on one after the other."""
    folders = [f"{directory}/{name}" for name in names]
    terms = spark.read.schema("id long, term string").parquet(*(f"{folder}/{DICTIONARY}" for folder in folders))
    ids = spark.read.schema(_IDS).parquet(f"{folders[-1]}/{TRIPLES}")
    return decoded_quads(ids.select(*QUAD), terms)


def _manifest(directory: Directory) -> Manifest:
    return Manifest.from_json((directory / MANIFEST).read_text(), f"{directory}/{MANIFEST}")


def _with_ids(keys: DataFrame, dataset: Dataset) -> DataFrame:
    """Triples of keys with the ids of a dictionary that has them all."""
    for name in _TRIPLE:
        terms = dataset.dictionary().select(F.col("id").alias(f"{name}_id"), F.col("term").alias(name))
        keys = keys.join(terms, name).drop(name).withColumnRenamed(f"{name}_id", name)
    return keys.select(*_TRIPLE, F.lit(None).cast("bigint").alias(GRAPH)).distinct()


def _has_no_capitals(keys: DataFrame) -> bool:
    return keys.where(language_tag(F.col(OBJECT)).rlike("[A-Z]")).isEmpty()
