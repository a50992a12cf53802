"""Thresholds shrunk, so that what is rare with large data happens all the time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from kgreason import tuning
from kgreason.algebra import algebra_tuning
from kgreason.dictionary import term_tuning
from kgreason.disk import disk_tuning
from kgreason.engine import rule_tuning
from kgreason.io import file_tuning
from kgreason.relations import table_tuning
from kgreason.relations.transitive import closure_tuning
from kgreason.sparql import query_tuning
from kgreason.store import store_tuning
from kgreason_rdflib import rdflib_tuning

_FILES = (
    tuning, algebra_tuning, term_tuning, table_tuning, closure_tuning, rule_tuning,
    file_tuning, query_tuning, store_tuning, disk_tuning, rdflib_tuning,
)  # fmt: skip


class Tuned(Protocol):
    """Replaces tuned constants (`kgreason.tuning`, and the files it names) until the end of a test or a context."""

    def __call__(self, **values: int) -> None:
        """Other values from now on."""


@contextmanager
def replaced_constants(**values: int) -> Iterator[None]:
    """Other values of tuned constants in the whole process, until the context is left; AttributeError for an unknown
    name:

        with replaced_constants(CHUNK=4, SEGMENT_LEAST=1, NUMBERS_LEAST=1):
            ...
    """
    holders = {name: _constants_with(name) for name in values}
    before = {name: constants[name] for name, constants in holders.items()}
    for name, value in values.items():
        holders[name][name] = value
    try:
        yield
    finally:
        for name, value in before.items():
            holders[name][name] = value


def _constants_with(name: str) -> dict[str, int]:
    found = [vars(file) for file in _FILES if name.isupper() and name in vars(file)]
    if len(found) != 1:
        raise AttributeError(f"{len(found)} tuned constants are called {name}")
    return found[0]


@contextmanager
def tuning_context() -> Iterator[Tuned]:
    """What replaces tuned constants until the context is left."""
    with ExitStack() as stack:

        def tuned(**values: int) -> None:
            stack.enter_context(replaced_constants(**values))

        yield tuned


def shrink(tuned: Tuned) -> None:
    """Merge blocks and sets, relabel, read in chunks, and join batch by batch at every opportunity; never close from
    scratch for speed."""
    tuned(
        BLOCKS_MERGE_LEAST=2,
        SCANS=1,
        MANY_OBJECTS_SCANS=1,
        SCANNED_PAIRS=1,
        KEPT=2,
        KEPT_ANSWERS=1,
        KEPT_FOR_A_TERM=0,
        BACKWARD_SEARCHES=1,
        FEW_SUBJECTS=1,
        WRITTEN_FEW=2,
        ASKED_PAIRS=2,
        UNITED_LOOKUPS=0,
        MERGED_UNION=6,
        ROWS_A_CALL=0,
        SETS_MERGE_LEAST=1,
        HUB_LEAST=2,
        HUB_SHARE=1 << 40,
        REMADE_SETS_LEAST=1 << 40,
        LIVE_SETS=2,
        EDGES_FIRST=1,
        SMALL_SET=1,
        LABELLED_ONCE=1,
        RELABEL_LEAST=8,
        CLOSE_FRACTION=-1,
        CLOSE_BATCH_FRACTION=-1,
        DETOUR_SHARE=1,
        DETOUR_EDGES=3,
        PENDING_FRACTION=1,
        SUBJECTS=1,
        CHUNK=4,
        PLAIN_CHUNK=4,
        JOIN_ROWS=3,
        GROUPED_ROWS=2,
        GROUPED_PAIRS=0,
        GROUPED_EACH=0,
        GROUPED_FEW=1,
        LATE_LEAST=1,
        BATCHED_RULES=2,
        UNEXAMINED_SHARE=2,
        IMPOSSIBLE_SHARE=2,
        WAITING_ROWS=2,
        JOIN_FIRST=1,
        STREAMED_FIRST=1,
        STREAMED_GROWTH=2,
        BATCH_ROWS=1,
        COMPRESSED_ROWS=0,
        FEW_WITH_ENDS=0,
        FEW_TYPED=0,
        SAMPLED_ROWS=1,
        OUTDONE=1,
        MULTIPLIED=1,
        GUARD_ROWS=1,
        RIVAL_ROWS=1,
        RIVAL_FACTS=0,
        CONDENSED_ROWS=2,
        CONDENSED_SAMPLE=2,
        CONDENSED_GAIN=1,
        WITNESS_ROWS=4,
        WITNESS_STEP=1,
        CONJUNCTION_WORK=6,
        WITNESS_GAIN=1,
        SEARCH_GAIN=0,
        SEARCH_SAMPLE=1,
        SEARCH_PASSING=0,
        FEW_PAIRED=0,
        OWN_ENDS_GAIN=1,
        ENDS_GAIN=1,
        ENDS_ATOMS=2,
        ENDS_SAMPLE=1,
        REDUCED_STEP=0,
        REDUCED_SAMPLE=1,
        REDUCED_GAIN=0,
        FORGETTING=1 << 20,
        HASHED_VALUES=2,
        HASH_ROWS=2,
        PRODUCT_ROWS=1,
        CLASS_GAIN=0,
        PRODUCT_GAIN=1 << 40,
        PRODUCT_FANOUT=0,
        PRODUCT_WORDS=2,
        PRODUCT_CELLS=128,
        PRODUCT_APART=3,
        PRODUCT_PART=2,
        PLANNED_WORK=0,
        PLANNED_GAIN=0,
        MANY_KEYS=2,
        PAIR_CELLS=64,
        FLAGS_PER_KEY=64,
        MERGED_LEAST=1,
        COMPARED_BLOCK=2,
        COMPARED_LEAST=0,
        COMPARED_SETS=0,
        COMPARED_SHARE=1 << 20,
        SOUGHT_BLOCK=2,
        RULE_WORK=1,
        SWEPT_KEYS=2,
        REMADE_LEAST=1,
        GATHERED_LEAST=0,
        GATHERED_ROWS=2,
        REMADE_SHARE=4,
        REMADE_SAMPLED=0,
        REMADE_SAMPLES=2,
        REMADE_READ=0,
        WAITING_SHARE=1 << 40,
        DELTA_LEAST=2,
        COMPARED_HEADS=1,
        KNOWN_HEADS=1 << 10,
        KNOWN_EACH=1 << 40,
        DOUBTFUL_LEAST=0,
        NOTED_SCANS=0,
        WIDE_SCANS=1,
        WIDE_SHARE=2,
        WIDE_ORDERS=1,
        FEW_ROWS=1,
        FEW_FACTS=2,
        PROJECTED_ENDS=2,
        MORE_FACTS=2,
        FACTS_OF_ONE=2,
        FACTS_A_RUN=3,
        LOOKED_AT=2,
        FEW_ASKED=1,
        REACHED_ROUNDS=1,
        EMPTIED=1,
        REACHED_EACH=1 << 40,
        GUARDS_TOGETHER=1 << 40,
        NARROWED=4,
        LAYERS=1,
        LAYER_SETS=2,
        SEARCHED_EACH=1,
        FEW_ENDS=1,
        FEW_BETWEEN=1,
        LINKS_LOOKED_AT=1,
        FEW_MEMBERS=1,
        SOUGHT_MEMBERS=1,
        SUBJECTS_ONE_BY_ONE=1,
        WRITTEN_CHANGES=1,
        WRITTEN_GAIN=1,
        WRITTEN_DIFFERENCE=2,
        UNREAD_LOSS=1,
        SORTED_PREFIX=2,
        MANY_IDS=2,
        FEW_KEYS=1,
        INSERTED_KEYS=1,
        INSERTED_APART=4,
        MOVED_ROWS=2,
        CACHED_ROWS=2,
        SEARCH_ROWS=2,
        FEW_ATOMS=2,
        SEMIJOIN=1 << 20,
        TESTED_GAIN=1,
        PROJECTED_GAIN=1,
        INTERCHANGED_GAIN=1,
        FEW_BESIDE=1,
        FIRST_ROWS=1,
        PROPAGATED_ROUNDS=1,
        PROPAGATED_PAIRS=1 << 40,
        SHORT_ROW=2,
        PROPAGATED_LOSS=0,
        LONG_BODY=1,
        PASSING_EACH=8,
        NARROWED_SHARE=4,
        LIST_ROWS=2,
        FEW_LISTS=1,
        CELLS_BACK=1,
        MANY_RULES=1,
        RUNNING_ON=1,
        LARGE_CHANGE=2,
        INDEX_SHARE=1000,
        STALE_CHANGES=1,
        WAITING_CHANGES=1,
        FEW_QUADS=1,
        ASKED_GRAPHS=0,
        CHANGED_GRAPHS=2,
        CHARACTERISTIC_SETS=1,
        OVERLAID_CHANGES=2,
        OVERLAID_READS=3,
        LEARNED_BYTES=1,
        RECENT_KEYS=2,
        FEW_READ_KEYS=1,
        SLICED_TEXTS=1,
        FEW_SUFFIXED=1,
        DIGIT_ROWS=2,
        TRIPLE_TERM_ROWS=2,
        FORKS_DEEPEST=1,
        KEPT_TERMS=2,
        FEW_JOINED=0,
    )
