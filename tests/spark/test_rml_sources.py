"""Where rows come from beside plain CSV and JSON documents: DataFrames, Parquet, JSON lines, dialects, vocabularies."""

from __future__ import annotations

import datetime
import decimal
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kgreason.access import Access
from kgreason.errors import LoadError, MappingError
from kgreason.rdf.vocabulary import XSD
from kgreason_mapping.documents import parse_mapping
from kgreason_spark.ingestion import Sources, ingest
from tests.mapping.rml import PREFIXES, quads_of
from tests.mapping.test_rml_sources import (  # noqa: F401  # they run with the engine of this folder
    test_a_byte_order_mark_before_json_is_no_part_of_it,
    test_a_file_is_read_by_its_name_where_that_is_a_pattern_too,
    test_an_input_of_another_name_is_told,
    test_an_input_that_is_nothing_to_read_is_refused,
    test_dialects_nulls_and_names_of_csv_columns,
    test_fields_over_several_lines_and_other_encodings,
    test_inputs_take_the_place_of_what_the_mapping_names,
    test_json_lines_compressed_and_in_parts,
    test_rml_of_before_the_community_group,
    test_the_name_in_the_mapping_tells_the_format_of_an_input_whose_name_does_not,
    test_two_iterators_over_one_file_count_together,
)
from tests.spark.spark_engine import SparkEngine

S, P = "http://ex.org/1", "http://example.com/p"
VALUE = "rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference '@' ] ] ."
SUBJECT = "rml:subjectMap [ rml:template 'http://ex.org/{id}' ]"


def _mapping(source: str, reference: str = "name") -> str:
    return f"<#m> rml:logicalSource [ {source} ]; {SUBJECT}; " + VALUE.replace("@", reference)


def test_typed_columns_have_natural_datatypes_in_canonical_form(quick_spark: SparkSession, tmp_path: Path) -> None:
    frame = quick_spark.sql(
        """SELECT 1 AS id, array(
             named_struct('k', 'x')) AS nested, named_struct('b', 5L) AS a, cast(-0.25 AS float) AS f,
             double('Infinity') AS inf, 1200D AS d, 0D AS zero, 1.0E-10D AS tiny, cast(4.50 AS decimal(9,4)) AS dec,
             true AS b, date'2020-02-29' AS day, timestamp'2020-01-01 12:00:00.50+02:00' AS t,
             timestamp_ntz'2020-01-01 12:00:00' AS n, X'0aff' AS bin, array(1, NULL, 2) AS many,
               cast(NULL AS int) AS none"""
    )
    path = tmp_path / "typed.parquet"
    frame.write.parquet(str(path))
    expected = {
        "a.b": {'"5"^^' + XSD + "integer"},
        "f": {'"-2.5E-1"^^' + XSD + "double"},
        "inf": {'"INF"^^' + XSD + "double"},
        "d": {'"1.2E3"^^' + XSD + "double"},
        "zero": {'"0.0E0"^^' + XSD + "double"},
        "tiny": {'"1.0E-10"^^' + XSD + "double"},
        "dec": {'"4.5"^^' + XSD + "decimal"},
        "b": {'"true"^^' + XSD + "boolean"},
        "day": {'"2020-02-29"^^' + XSD + "date"},
        "t": {'"2020-01-01T10:00:00.5Z"^^' + XSD + "dateTime"},
        "n": {'"2020-01-01T12:00:00"^^' + XSD + "dateTime"},
        "bin": {'"0AFF"^^' + XSD + "hexBinary"},
        "many": {'"1"^^' + XSD + "integer", '"2"^^' + XSD + "integer"},
        "none": set(),
    }
    pairs = "; ".join(
        f"rml:predicateObjectMap [ rml:predicate <http://p/{name}>; rml:objectMap [ rml:reference '{name}' ] ]"
        for name in expected
    )
    mapping = f"<#m> rml:logicalSource [ rml:source '{path}' ]; {SUBJECT}; {pairs} ."
    allowed = Sources(access=Access(folders=(tmp_path,)))
    made = quads_of(SparkEngine(quick_spark), mapping, access=allowed.access)
    assert {name: {o for _, p, o, _ in made if p == f"http://p/{name}"} for name in expected} == expected
    with pytest.raises(MappingError, match=r"of type (array<)?struct<k:string>"):
        ingest(quick_spark, parse_mapping(PREFIXES + _mapping(f"rml:source '{path}'", "nested")), allowed)
    with pytest.raises(MappingError, match="is outside of"):
        ingest(quick_spark, parse_mapping(PREFIXES + _mapping(f"rml:source '{path}'")))


def test_a_dataframe_from_python_by_its_table_name(quick_spark: SparkSession) -> None:
    rows = [(1, decimal.Decimal("1.50"), datetime.date(2020, 1, 2), "it's")]
    frame = quick_spark.createDataFrame(rows, "id int, `a b` decimal(5,2), day date, name string")
    mapping = """<#m> rr:logicalTable [ rr:tableName '"people"' ];
      rr:subjectMap [ rr:template 'http://ex.org/{id}'; rr:class ex:C ];
      rr:predicateObjectMap [ rr:predicate ex:p; rr:objectMap [ rr:column 'a b' ], [ rr:column 'name';
        rr:language 'en' ] ],
        [ rr:predicate ex:t; rr:objectMap [ rr:template '{day}'; rr:termType rr:Literal ];
          rr:graph rr:defaultGraph ] ."""
    assert quads_of(SparkEngine(quick_spark), mapping, {"people": frame}) == {
        (S, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://example.com/C", None),
        (S, P, f'"1.5"^^{XSD}decimal', None),
        (S, P, '"it\'s"@en', None),
        (S, "http://example.com/t", '"2020-01-02"', None),
    }


def test_fresh_blank_nodes_are_the_same_in_every_reading(quick_spark: SparkSession) -> None:
    frame = quick_spark.range(0, 100, numPartitions=3).select(F.col("id").cast("string").alias("id"))
    mapping = """<#m> rml:logicalSource [ rr:tableName 't' ]; rml:subjectMap [ rml:termType rml:BlankNode ];
      rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference 'id' ] ] ."""
    once, again = (quads_of(SparkEngine(quick_spark), mapping, {"t": frame}) for _ in range(2))
    assert once == again
    assert len({subject for subject, _, _, _ in once}) == 100


def test_each_source_is_scanned_once(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name\n1,a\n")
    mapping = _mapping("rml:source 'a.csv'") + _mapping("rml:source 'a.csv'").replace("<#m>", "<#n>")
    made = ingest(quick_spark, parse_mapping(PREFIXES + mapping, directory=tmp_path))
    plan = made.quads._jdf.queryExecution().executedPlan().toString()
    assert plan.count("FileScan") == 1


@pytest.mark.parametrize("name", ["_a.csv", ".a.jsonl", "_a.xml", "_a.parquet"])
def test_a_file_that_spark_passes_over_is_refused(quick_spark: SparkSession, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("id,name\n1,a\n")
    (tmp_path / "m.ttl").write_text(PREFIXES + _mapping(f"rml:source '{name}'"))

    with pytest.raises(LoadError, match=rf"{re.escape(name)}: Spark passes over files with such a name"):
        ingest(quick_spark, str(tmp_path / "m.ttl"))
