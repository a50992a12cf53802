"""What the benchmark of Spark measures, each task in a process of its own: the report is the last line.

Run by `tests.benchmarks.spark` as ``python -m tests.benchmarks.spark_tasks TASK ARGUMENTS...``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np


def ingest(mapping: str, folder: str, output: str, cores: str, target: str) -> dict[str, object]:
    """CSV by a mapping to encoded triples or to N-Triples compressed with gzip."""
    from kgreason_mapping.run_outputs import Outputs
    from kgreason_spark.ingestion.mapped import MappedSources
    from kgreason_spark.pipeline import run
    from kgreason_spark.session import spark_session

    spark = spark_session(f"local[{cores}]")
    source = MappedSources.of(Path(mapping), {}, Path(folder), None)
    outputs = Outputs(encoded=output == "encoded", ntriples="gzip" if output == "ntriples" else None)
    report = run(spark, source, target, outputs, overwrite=True)
    quarantined = sum(report.quarantined.values())
    return {"seconds": dict(report.seconds), "triples": report.triples_read, "quarantined": quarantined}


def materialise(rules: str, target: str, *files: str) -> dict[str, object]:
    """What follows from files, on Spark and in a store, and whether it is the same."""
    from kgreason.io.readers import read_files
    from kgreason.store.knowledge_base import KnowledgeBase
    from kgreason_spark.materialisation.job import materialise as run
    from kgreason_spark.session import spark_session
    from tests.spark.distributed import encode_base, view_rows, written_rows

    base = KnowledgeBase(Path(rules) if Path(rules).exists() else rules)
    base.add_quads(read_files(files, base.dictionary))
    begin = perf_counter()
    base.flush()
    store = perf_counter() - begin
    data = encode_base(Path(target) / "data", base)
    spark = spark_session("local[2]")
    begin = perf_counter()
    report = run(spark, str(data), base.program, f"{target}/out", pairs=True, local_facts=0)
    seconds = perf_counter() - begin
    same = np.array_equal(written_rows(data, Path(target) / "out", base), view_rows(base.inferred()))
    begin = perf_counter()
    run(spark, str(data), base.program, f"{target}/alone", pairs=True, local_facts=report.explicit + report.inferred)
    alone = perf_counter() - begin
    same &= np.array_equal(written_rows(data, Path(target) / "alone", base), view_rows(base.inferred()))
    return {
        "explicit": report.explicit,
        "inferred": report.inferred,
        "rounds": len(report.rounds),
        "seconds": seconds,
        "deriving": report.seconds["deriving"],
        "alone": alone,
        "store": store,
        "same": bool(same),
    }


TASKS: dict[str, Callable[..., dict[str, object]]] = {"ingest": ingest, "materialise": materialise}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
