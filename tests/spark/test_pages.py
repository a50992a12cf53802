"""Would catch a page or the example of airports that starts Spark and fails, or prints other numbers than it shows.

They share the Java process of these tests.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import SparkSession

from kgreason_spark import session
from tests.examples import pages

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = [path for path in sorted(ROOT.glob("docs/**/*.md")) if pages.SPARK in path.read_text(encoding="utf-8")]
OF_AIRPORTS: Final = (
    "airports.csv: 28,298 rows, 149,372 triples, 0 quarantined",
    "iso3166-1.json: 249 rows, 498 triples, 0 quarantined",
    "149,886 triples loaded, 61,032 inferred",
    "Nordic airports: 454",
    "the highest airport in the Andes: Laguna Choclococha Airport, 14965",
)


@pytest.mark.parametrize("page", [path.relative_to(ROOT).as_posix() for path in PAGES])
def test_code_runs_as_a_reader_runs_it(
    spark: SparkSession, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert pages.run(ROOT / page)


def test_airports(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "spark_session", lambda master: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda spark: None)

    runpy.run_path(str(ROOT / "examples" / "airports" / "airports.py"), run_name="__main__")

    printed = capsys.readouterr()
    assert printed.err == ""
    assert [text for text in OF_AIRPORTS if text not in printed.out] == []
