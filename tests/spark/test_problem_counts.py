"""What is in quarantine, by rule and column on Spark: would catch a count that differs from that of `kgreason map`, and
samples that leave out a kind of problems."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kgreason_mapping.arrow import Sources, map_to_directory
from kgreason_mapping.documents import parse_mapping
from kgreason_mapping.run_outputs import QUARANTINE, Outputs
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.pipeline import run
from tests.mapping.rml import PREFIXES

ROWS = "id,born,lang\n1,1815-12-10,en\n2,31.12.1,no good\n3,never,en\n4,1815-12-10\n,1815-12-10,de\n"
MAPPING = """<#person> rml:logicalSource [ rml:source "people.csv" ] ;
    rml:subjectMap [ rml:template "http://e/{id}" ] ;
    rml:predicateObjectMap [ rml:predicate ex:born ; rml:objectMap [ rml:reference "born" ; rml:datatype xsd:date ] ] ,
        [ rml:predicate ex:said ; rml:objectMap [ rml:reference "born" ;
            rml:languageMap [ rml:reference "lang" ] ] ] ."""


@pytest.mark.parametrize("outputs", [Outputs(), Outputs(encoded=False, ntriples="gzip"), Outputs(ntriples="gzip")])
def test_problems_are_counted_as_on_one_machine(spark: SparkSession, tmp_path: Path, outputs: Outputs) -> None:
    (tmp_path / "people.csv").write_text(ROWS)
    mapping = parse_mapping(PREFIXES + MAPPING, directory=tmp_path)
    (tmp_path / "here").mkdir()
    here = map_to_directory(mapping, tmp_path / "here", Sources(directory=str(tmp_path)))

    there = run(spark, MappedSources(mapping), str(tmp_path / "there"), outputs, samples=1)

    assert Counter(there.problems) == Counter(here.problems)
    assert {one.rows for one in there.problems if one.references == ("born",)} == {2}
    assert there.quarantined == here.quarantined
    assert there.sources == here.sources
    files = (tmp_path / "there" / QUARANTINE).glob("part-*")
    kept = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    assert len(kept) == len(there.problems) == 4
