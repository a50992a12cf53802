"""``kgreason verify``: whether a proof in RDF proves what it says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.options import DEFAULT_RULES, RuleNamesWithoutStore, option_groups
from kgreason.cli.progress_bar import progress_bar
from kgreason.errors import ProofError

if TYPE_CHECKING:
    from kgreason.proof_checking.proof_checker import CheckedProof


@option_groups
def verify(
    rules: RuleNamesWithoutStore,
    *,
    proof: Annotated[
        Path, typer.Argument(metavar="PROOF", help="A proof that explain wrote: .nt, .nq, .ttl, .trig or .jsonld.")
    ],
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="What is asserted: N-Triples, N-Quads, Turtle, TriG, RDF/XML or JSON-LD, also .gz, .bz2, .xz.",
        ),
    ],
) -> None:
    """Check a proof by the rules and the data alone: without the reasoner; exit code 1 when a step does not follow.

    Each step has to be in the files, or to be an instance of a rule whose premises are steps, and none rests on itself.
    Blank nodes may have other names in the proof than in the files.
    """
    for path in (proof, *data):
        if not path.is_file():
            raise UsageError("no such file", path=path)
    checked = _checked(proof, rules, data)
    print(f"accepted: {checked.asserted:,} asserted and {checked.derived:,} derived steps")


def _checked(proof: Path, rules: list[str], data: list[Path]) -> CheckedProof:
    from kgreason.proof_checking.proof_checker import check_proof
    from kgreason.store.rule_sets import resolve_rules

    program = resolve_rules(rules or list(DEFAULT_RULES))
    with progress_bar("checking"):
        try:
            return check_proof(proof, program, data)
        except ProofError as error:
            raise error.locate(path=proof) from error
