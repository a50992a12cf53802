"""The RML-Core cases over JSON, and the older cases over CSV, as their authors wrote them.

They are no part of this project: the folder `rml` of the shared data has `rml-core` and `rml-test-cases`, checkouts of
https://github.com/kg-construct/rml-core and https://github.com/kg-construct/rml-test-cases, or the folders `test-cases`
of these. A case that expects an error passes when the mapping is refused or a row is in quarantine.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import pytest
from pyoxigraph import CanonicalizationAlgorithm, Dataset, RdfFormat, parse

from kgreason.errors import KGReasonError
from tests.mapping.engines import Engine
from tests.mapping.rml import dataset
from tests.shared_data import shared_root

SUITES: Final = {"rml-core": ("JSON", "http://example.com/"), "rml-test-cases": ("CSV", "http://example.com/base/")}
OTHERWISE: Final = {
    "rml-core/RMLTC0027b-JSON": "its output is not N-Quads: an IRI with a space in it, which goes to quarantine here",
    "rml-test-cases/RMLTC0015b-CSV": "english is a well-formed language tag (BCP 47), though nobody has registered it",
}
"""Cases that do not pass, with the reason."""

def _folder(suite: str) -> Path | None:
    root = shared_root()
    candidates = [] if root is None else [root / "rml" / suite / "test-cases", root / "rml" / suite]
    return next((one for one in candidates if any(one.glob("RMLTC*"))), None)


def _fails(folder: Path, name: str) -> bool:
    """Whether the metadata of a suite say that a case expects an error."""
    metadata = next(one for one in (folder / "metadata.csv", folder.parent / "metadata.csv") if one.exists())
    with metadata.open(newline="") as stream:
        row = next(row for row in csv.DictReader(stream) if name in row.values())
    return (row.get("error") or row["error expected?"]) == "true"


def _cases() -> list[tuple[str, str]]:
    found = []
    for suite, (form, _) in SUITES.items():
        folder = _folder(suite)
        found += [] if folder is None else [(suite, path.name) for path in sorted(folder.glob(f"RMLTC*-{form}"))]
    return found


@pytest.mark.parametrize("suite", SUITES)
def test_suite_is_there(suite: str) -> None:
    folder = _folder(suite)
    if folder is None:
        pytest.skip(f"the shared data has no rml/{suite} (see the beginning of this file)")
    assert len([name for one, name in _cases() if one == suite]) > 35


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "name"), _cases(), ids=[f"{suite}/{name}" for suite, name in _cases()])
def test_case(suite: str, name: str, engine: Engine) -> None:
    if reason := OTHERWISE.get(f"{suite}/{name}"):
        pytest.skip(reason)
    folder = _folder(suite)
    assert folder is not None
    try:
        made = engine(folder / name / "mapping.ttl", directory=folder / name, base=SUITES[suite][1])
        quads, refused = made.quads, made.quarantined != []
    except KGReasonError:
        quads, refused = [], True

    if _fails(folder, name):
        assert refused
        return
    expected = Dataset(parse(path=folder / name / "output.nq", format=RdfFormat.N_QUADS))
    expected.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    assert dataset(quads) == expected
