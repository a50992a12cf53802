"""Would catch a quad that comes out with another term than it was made of, or a term of a piece that no quad has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from kgreason_mapping.arrow import Sources
from kgreason_mapping.arrow.local_ids import NO_GRAPH, LocalQuads, local_columns, local_quads, unpacked
from kgreason_mapping.arrow.passes import Passes
from kgreason_mapping.arrow.quads import BatchOutcome
from kgreason_mapping.arrow.sinks import quad_batch
from kgreason_mapping.documents import parse_mapping
from kgreason_mapping.plan import compile_mapping
from tests.mapping.rml import PREFIXES

MAPPING = """
<#m> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "a.csv" ];
                         rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:reference "id"; rml:termType rml:IRI; rml:class ex:C;
                   rml:graphMap [ rml:template "http://example.com/{graph}" ] ];
  rml:predicateObjectMap
    [ rml:predicate ex:n; rml:objectMap [ rml:reference "n"; rml:datatype xsd:integer ] ],
    [ rml:predicate ex:b; rml:objectMap [ rml:template "b{n}"; rml:termType rml:BlankNode ] ],
    [ rml:predicateMap [ rml:template "http://example.com/{graph}" ]; rml:object "same", ex:C ] ,
    [ rml:predicate ex:other; rml:objectMap [ rml:parentTriplesMap <#other>;
        rml:joinCondition [ rml:child "n"; rml:parent "n" ] ] ] .
<#other> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "a.csv" ];
                             rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template "http://example.com/other/{n}"; rml:graph rml:defaultGraph ] ;
  rml:predicateObjectMap [ rml:predicate ex:p; rml:objectMap [ rml:reference "id" ] ] .
"""
ROWS = "id,n,graph\nhttp://e/1,1,g\nno iri,2,g\nhttp://e/2,bad,h\nhttp://e/1,1,g\nhttp://e/3,,g\nhttp://e/4,7,\n"

Quad = tuple[str, ...]


class Kept:
    """A sink that keeps both forms of each batch."""

    def __init__(self) -> None:
        self.batches: list[tuple[list[Quad], LocalQuads]] = []

    def prepare(self, outcome: BatchOutcome) -> Any:
        keys = [tuple(row.values()) for quads in outcome.quads for row in quad_batch(quads).to_pylist()]
        return keys, local_quads(outcome.quads)

    def take(self, prepared: Any) -> None:
        self.batches.append(prepared)


def decoded(quads: LocalQuads) -> list[Quad]:
    terms = quads.terms.to_pylist()
    columns: Sequence[Any] = unpacked(quads.packed())
    return [
        tuple(None if one == NO_GRAPH else terms[one] for one in row)
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]


def test_quads_of_a_mapping_come_back_with_the_terms_that_they_use(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS)
    kept = Kept()
    plan = compile_mapping(parse_mapping(PREFIXES + MAPPING, directory=tmp_path))
    sources = Sources().of_mapping(str(tmp_path))
    Passes(plan, sources, 1, [kept], lambda _source, _problems: None, None).counts()

    assert sum(len(keys) for keys, _ in kept.batches) > 20
    for keys, quads in kept.batches:
        assert decoded(quads) == keys
        terms = quads.terms.to_pylist()
        assert sorted(terms) == sorted({term for quad in keys for term in quad if term is not None})
        uses = dict(zip(terms, quads.predicate_uses().to_pylist(), strict=True))
        assert {term: count for term, count in uses.items() if count} == {
            term: sum(quad[1] == term for quad in keys) for term in {quad[1] for quad in keys}
        }


def test_columns_of_keys_come_back() -> None:
    columns = [["a:s", "_:b"], ["a:p", "a:p"], ['"x"@en', "a:s"], [None, "a:g"]]
    quads = local_columns([pa.array(column, pa.string()) for column in columns])

    assert decoded(quads) == list(zip(*columns, strict=True))
    assert quads.predicate_uses().to_pylist() == [2 if term == "a:p" else 0 for term in quads.terms.to_pylist()]


def test_a_null_in_place_of_a_predicate_is_not_a_use() -> None:
    quads = local_columns([pa.array(column, pa.string()) for column in (["a:s"], [None], ["a:s"], [None])])

    assert quads.predicate_uses().to_pylist() == [0]
