"""``kgreason spark materialise``: what follows from encoded triples, on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.ingestion_options import PartCompression
from kgreason.cli.options import Limits, RuleNamesWithoutStore, option_groups
from kgreason.cli.printed_tables import print_table
from kgreason.cli.progress_bar import progress_bar
from kgreason.cli.spark.spark_options import (
    Master,
    Overwrite,
    ReportFile,
    check_inputs,
    check_output,
    check_report,
    write_report,
)

if TYPE_CHECKING:
    from kgreason_spark.materialisation.job import MaterialisationReport


@option_groups
def materialise(
    source: Annotated[str, typer.Argument(metavar="DIR", help="A directory of encoded triples.")],
    rules: RuleNamesWithoutStore,
    output: Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Where to write: a new directory.")],
    *,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Write closures out as pairs, however many; otherwise as labels.")
    ] = False,
    ntriples: Annotated[
        PartCompression | None,
        typer.Option(
            "--ntriples",
            help="Write all triples as N-Triples, too, explicit and inferred, with all pairs: in DIR/ntriples.",
        ),
    ] = None,
    local_facts: Annotated[
        int | None,
        typer.Option(
            "--local-facts",
            metavar="N",
            min=0,
            help="Derive on the driver alone, in seconds, where there are at most N triples and at most N facts follow;"
            " 0 for never.",
            show_default="2,000,000",
        ),
    ] = None,
    driver_facts: Annotated[
        int | None,
        typer.Option(
            "--driver-facts",
            metavar="N",
            min=0,
            help="At most N facts of schema and closures come to the driver of a cluster; larger closures are evaluated"
            " there, and written as pairs; rules about a larger schema are joins with all triples.",
            show_default="10,000,000",
        ),
    ] = None,
    master: Master = None,
    overwrite: Overwrite = False,
    report: ReportFile = None,
    limits: Limits,
) -> None:
    """Derive what follows from encoded triples: as encoded triples apart from them.

    All commands read the two directories together, and derive nothing again. Transitive relations and equivalences are
    written as labels, in DIR/closures. Few triples are derived on the driver; a job on the cluster that was killed
    resumes when it is started again.
    """
    check_report(report)
    from kgreason.store.rule_sets import resolve_rules
    from kgreason_spark.session import spark_session

    program = resolve_rules(list(rules))
    with progress_bar("starting Spark") as progress:
        session = spark_session(master)
        check_inputs(session, [source])
        check_output(session, output, overwrite)
        from kgreason_spark import spark_tuning
        from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS  # needs pyspark, as spark_session tells
        from kgreason_spark.materialisation.job import materialise as run

        done = run(
            session, source, program, output, pairs=pairs, overwrite=overwrite, strict=limits.strict,
            budget=limits.budget,
            ntriples=None if ntriples is None else ntriples.value,
            local_facts=spark_tuning.DRIVER_DERIVED if local_facts is None else local_facts,
            driver_facts=DRIVER_FACTS if driver_facts is None else driver_facts,
            report=lambda number, derived: progress(f"round {number}", derived.facts) if progress else None,
        )  # fmt: skip
    write_report(session, report, done)
    _print_report(done)


def _print_report(report: MaterialisationReport) -> None:
    rows = [
        (str(number), str(done.level), f"{done.facts:,}", f"{done.seconds:.1f}")
        for number, done in enumerate(report.rounds)
    ]
    print_table(("round", "level of negation", "facts", "seconds"), rows, frozenset(range(4)))
    print()
    totals = {
        "explicit triples": report.explicit,
        "inferred triples written": report.inferred,
        "pairs in closures": report.closed,
        "new terms": len(report.terms),
        "lines of N-Triples": report.lines,
    }
    counts = [(name, f"{value:,}") for name, value in totals.items() if value is not None]
    seconds = [(f"seconds of {stage}", f"{value:.1f}") for stage, value in report.seconds.items()]
    print_table(("total", "count"), [*counts, *seconds], frozenset({1}))
