"""``kgreason verify``: whether a proof in RDF proves what it says."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.inputs import opened, store_on_disk
from kgreason.cli.options import DEFAULT_RULES, RuleNames, option_groups
from kgreason.cli.progress_bar import progress_bar
from kgreason.errors import ProofError

if TYPE_CHECKING:
    from kgreason.proof_checking.proof_checker import CheckedProof
    from kgreason.store.rule_sets import RuleSource

_FILE: Final = "a file"
_DATA: Final = "files, or one store on disk"


@option_groups
def verify(
    rules: RuleNames,
    *,
    proof: Annotated[
        Path, typer.Argument(metavar="PROOF", help="A proof that explain wrote: .nt, .nq, .ttl, .trig or .jsonld.")
    ],
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="What is asserted: N-Triples, N-Quads, Turtle, TriG, RDF/XML or JSON-LD, also .gz, .bz2, .xz. "
            "Or one store on disk: what was committed to it last.",
        ),
    ],
) -> None:
    """Check a proof by the rules and the data alone: without the reasoner; exit code 1 when a step does not follow.

    Each step has to be in the files, or to be an instance of a rule whose premises are steps, and none rests on itself.
    Blank nodes may have other names in the proof than in the files.
    """
    store = store_on_disk(list(map(str, data)))
    for path in (proof,) if store is not None else (proof, *data):
        if path.is_dir():
            raise UsageError("a directory", path=path, expected=_FILE if path is proof else _DATA)
        if not path.is_file():
            raise UsageError("no such file", path=path)
    checked = _checked(proof, rules, data) if store is None else _checked_by_store(proof, rules, store)
    if not checked.facts:
        raise ProofError("there are no steps of a proof in it", "", path=proof)
    print(f"accepted: {checked.asserted:,} asserted and {checked.derived:,} derived steps")


def _checked_by_store(proof: Path, rules: list[str], store: Path) -> CheckedProof:
    """A proof checked with what is asserted in a store on disk, and with its rules unless there are others."""
    from kgreason.store.triple_writer import write_triples

    knowledge = opened(store)
    content = io.BytesIO()
    write_triples(knowledge.explicit(), knowledge.dictionary, content, "nt")
    return _checked(proof, rules or [knowledge.program], content.getvalue())


def _checked(proof: Path, rules: Sequence[RuleSource], data: list[Path] | bytes) -> CheckedProof:
    from kgreason.proof_checking.proof_checker import check_proof
    from kgreason.store.rule_sets import resolve_rules

    program = resolve_rules(list(rules) or list(DEFAULT_RULES))
    with progress_bar("checking"):
        try:
            return check_proof(proof, program, data)
        except ProofError as error:
            raise error.locate(path=proof) from error
