"""Documents of XML as sources of mappings, on Spark: would catch a line that is lost on the way to a task."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kgreason_mapping.documents import parse_mapping
from kgreason_spark import spark_tuning
from tests.mapping.rml import PREFIXES
from tests.mapping.test_xml import (  # noqa: F401  # they run with the engine of this folder
    test_a_row_in_quarantine_is_its_node,
    test_an_empty_file_is_no_document,
    test_values_of_nodes,
)
from tests.spark.spark_engine import SparkEngine

MAPPING = """<#m> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "parts" ];
      rml:iterator "/lib/book"; rml:referenceFormulation rml:XPath ];
  rml:subjectMap [ rml:template "http://example.com/{@id}" ];
  rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference "title" ] ] ."""


@pytest.mark.parametrize(("most", "encoding"), [(1_000, "UTF-16-BE"), (1, "UTF-8")], ids=["streamed", "held"])
def test_documents_of_many_lines_in_many_files(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, encoding: str
) -> None:
    monkeypatch.setattr(spark_tuning, "STREAMED_FILES", most)
    (tmp_path / "parts").mkdir()
    for part in range(3):
        books = "".join(f'<book id="{part}-{n}">\n\n<title>t\u00e9\n{n}</title>\r\n</book>\n' for n in range(40))
        text = f'<?xml version="1.0" encoding="{encoding}"?>\n<lib>{books}</lib>\n'
        (tmp_path / "parts" / f"{part}.xml").write_bytes(text.encode(encoding))
    (tmp_path / "parts" / "cut.xml").write_text('<lib><book id="cut"><title>t</title></book>')
    (tmp_path / "parts" / "blank.xml").write_text("\n")
    (tmp_path / "parts" / "empty.xml").write_text("")
    made = SparkEngine(quick_spark)(parse_mapping(PREFIXES + MAPPING, directory=tmp_path))
    assert sorted((s, o) for s, _, o, _ in made.quads) == sorted(
        (f"http://example.com/{part}-{n}", f'"t\u00e9\n{n}"') for part in range(3) for n in range(40)
    )
    assert (made.reasons, made.rows) == ({"malformed XML": 2}, {"parts": 122})


def test_rows_of_sources_of_several_sessions_are_counted(quick_spark: SparkSession, tmp_path: Path) -> None:
    """Whole files are read in sessions with settings of their own, and a caller may have several, too: Spark counts for
    the one that runs the plan, and an observation of another one would be waited for without an end."""
    mapping = "".join(
        f'''<#{name}> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "{name}.xml" ];
            rml:iterator "/lib/book"; rml:referenceFormulation rml:XPath ];
          rml:subjectMap [ rml:template "http://example.com/{{@id}}" ];
          rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference "title" ] ] .'''
        for name in ("one", "two")
    )
    mapping += '''<#three> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "three" ];
            rml:referenceFormulation rml:CSV ];
          rml:subjectMap [ rml:template "http://example.com/{id}"; rml:class ex:Three ] .'''
    (tmp_path / "one.xml").write_text('<lib><book id="1"><title>a</title></book><book id="2"/><book/></lib>')
    (tmp_path / "two.xml").write_text('<lib><book id="3"><title>b</title></book></lib>')
    table = quick_spark.newSession().createDataFrame([("4",), (None,)], "id string")

    made = SparkEngine(quick_spark)(parse_mapping(PREFIXES + mapping, directory=tmp_path), inputs={"three": table})

    assert {(s, o) for s, _, o, _ in made.quads} == {
        ("http://example.com/1", '"a"'), ("http://example.com/3", '"b"'),
        ("http://example.com/4", "http://example.com/Three"),
    }  # fmt: skip
    assert made.rows == {"one.xml": 3, "two.xml": 1, "three": 2}
    assert sorted(made.without_subject.values()) == [1, 1]
