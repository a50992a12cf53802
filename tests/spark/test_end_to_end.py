"""Spark ingests, Spark materialises, a store loads both, and goes on: it equals one that derived by itself.

Compared are all triples, explicit and inferred ones, sizes and proofs, before and after a hundred changes of data and
schema, one by one. Would catch what is lost between Spark's files and a store's state: closures, external facts,
guards, terms. Small data always; LUBM(1,0) and a published thesaurus in the thorough profile.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, SKOS
from kgreason.store import state_changes
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason_mapping.run_outputs import Outputs
from kgreason_spark.frames import Extracted, Source
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.materialisation.job import materialise
from kgreason_spark.pipeline import run
from kgreason_spark.sources.statement_rows import NTriplesFiles
from kgreason_spark.spark_tuning import DRIVER_DERIVED
from tests.facade import EX, Triple, triples
from tests.shared_data import shared, unpacked
from tests.spark.distributed import view_rows
from tests.store.test_adoption import explicit_quads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES = 100
EXAMPLE = Path(__file__).parents[2] / "examples" / "airports"
GEO = "http://example.org/geography#"


@dataclass(frozen=True)
class Both:
    """Two sources as one."""

    first: Source
    second: Source

    def extract(self, spark: SparkSession) -> Extracted:
        one, two = self.first.extract(spark), self.second.extract(spark)
        return Extracted(one.rows.unionAll(two.rows), lambda given: {**one.rows_in(given), **two.rows_in(given)})


@dataclass(frozen=True)
class Case:
    """A source that is made in a folder, rules, and triples that come and go beside those that are loaded."""

    source: Callable[[Path], Source]
    rules: str
    schema: Sequence[Triple]
    compared: int = 1
    checked: int = 1
    """After so many changes each, the triples are compared, and all invariants looked at."""


def parts_of(folder: Path, lines: Sequence[str]) -> Source:
    """Lines in the parts of a job, as Spark writes them."""
    folder.mkdir()
    for number in range(3):
        (folder / f"part-{number:05}.nt").write_text("".join(f"{line} .\n" for line in lines[number::3]))
    (folder / "_SUCCESS").touch()
    return NTriplesFiles((str(folder),))


def lines_of(files: Sequence[Path]) -> Iterator[str]:
    base = KnowledgeBase("none")
    base.add_quads(read_files(files, base.dictionary))
    for triple in triples(base, base.all()):
        yield " ".join(map(str, triple))


def thesaurus(folder: Path) -> Source:
    """A tree of concepts with two cycles, with equivalents, and relations that the rules turn round."""
    concept = [f"<{EX}c{number}>" for number in range(60)]
    lines = [f"{concept[n]} <{SKOS}broader> {concept[n // 2]}" for n in range(1, 60)]
    lines += [f"{concept[n]} <{SKOS}narrower> {concept[(n * 7) % 60]}" for n in (3, 9, 20)]
    lines += [f"{concept[n]} <{SKOS}exactMatch> <{EX}other{n // 3}>" for n in range(0, 30, 2)]
    lines += [f"{concept[n]} <{SKOS}related> {concept[n + 1]}" for n in (4, 8, 15)]
    lines += [f'{concept[n]} <{SKOS}prefLabel> "c {n}"@en' for n in (1, 2)]
    return parts_of(folder / "thesaurus", lines)


def airports(folder: Path) -> Source:
    """Airports of a CSV file and countries of a JSON document by an RML mapping, and what is known beside them."""
    inputs = {"airports.csv": str(folder / "airports.csv")}
    with package_file("airportsdata", "airports.csv").open(encoding="utf-8") as rows:
        (folder / "airports.csv").write_text("".join(islice(rows, 150)), encoding="utf-8")
    inputs["iso3166-1.json"] = str(package_file("pycountry", "databases/iso3166-1.json"))
    mapped = MappedSources.of(EXAMPLE / "airports.rml.ttl", inputs, None, None)
    return Both(mapped, parts_of(folder / "geography", list(lines_of([EXAMPLE / "geography.ttl"]))))


def package_file(package: str, path: str) -> Path:
    pytest.importorskip(package)
    found = find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / path


def shared_source(files: Callable[[], Sequence[Path]]) -> Callable[[Path], Source]:
    return lambda folder: parts_of(folder / "data", list(lines_of(files())))


def geo(*names: str) -> list[Term]:
    return [IRI(GEO + name) for name in names]


def schema(classes: Sequence[Term], properties: Sequence[Term]) -> list[Triple]:
    """Axioms over each two classes or properties that follow each other."""
    found: list[Triple] = []
    for above, below in pairwise(classes):
        found.append((below, IRI(RDFS + "subClassOf"), above))
    for above, below in pairwise(properties):
        found += [(below, IRI(RDFS + "subPropertyOf"), above), (below, IRI(OWL + "inverseOf"), above)]
    for kind in ("TransitiveProperty", "SymmetricProperty"):
        found += [(each, IRI(RDF + "type"), IRI(OWL + kind)) for each in properties]
    return [*found, (properties[0], IRI(RDFS + "domain"), classes[0]), (properties[0], IRI(RDFS + "range"), classes[0])]


UB = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
LUBM_CLASSES = [IRI(UB + name) for name in ("Person", "Student", "Organization", "Course")]
LUBM_PROPERTIES = [IRI(UB + name) for name in ("memberOf", "subOrganizationOf", "advisor")]
LINKS = [IRI(SKOS + name) for name in ("broader", "narrower", "related", "exactMatch", "broadMatch")]
AMONG_CONCEPTS = [(IRI(f"{EX}c{n}"), link, IRI(f"{EX}c{(n * 11) % 60}")) for n in (1, 5, 8) for link in LINKS]

CASES = {
    "a thesaurus with cycles": Case(thesaurus, "skos", AMONG_CONCEPTS),
    "airports": Case(
        airports, "owl-rl", schema(geo("Place", "Airport", "Country"), geo("within", "contains", "country")), 5, 10
    ),
}
LARGE = {
    "LUBM(1,0)": Case(
        shared_source(lambda: [unpacked("lubm/lubm1.nt.bz2"), shared("lubm/univ-bench.owl")]),
        "owl-rl",
        schema(LUBM_CLASSES, LUBM_PROPERTIES),
        10,
        50,
    ),
    "a published thesaurus": Case(
        shared_source(lambda: [unpacked("skos-physh/physh.nt.xz")]), "skos", AMONG_CONCEPTS, 5, 25
    ),
}


def assert_same(found: KnowledgeBase, expected: KnowledgeBase) -> None:
    """Two knowledge bases of which the first has the ids of the second have the same triples."""
    for name in ("all", "explicit", "inferred"):
        rows, wanted = (view_rows(getattr(base, name)()) for base in (found, expected))
        assert np.array_equal(rows, wanted), f"{name}: {len(rows)} triples, and {len(wanted)} are expected"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")  # some changes cut lists off
@pytest.mark.parametrize(
    ("name", "local_facts"),
    [
        *((name, DRIVER_DERIVED) for name in CASES),
        *(pytest.param(name, DRIVER_DERIVED, marks=pytest.mark.thorough) for name in LARGE),
        *(pytest.param(name, 0, marks=pytest.mark.thorough) for name in CASES | LARGE),
    ],
)
def test_what_spark_derived_is_what_a_store_derives(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, local_facts: int
) -> None:
    """On the driver alone; on the cluster in the thorough profile, and less of it in test_driver_derivation."""
    case = (CASES | LARGE)[name]
    encoded, inferred = tmp_path / "encoded", tmp_path / "inferred"
    expected = KnowledgeBase(case.rules)
    run(quick_spark, case.source(tmp_path), str(encoded), Outputs())
    materialise(quick_spark, str(encoded), expected.program, str(inferred), local_facts=local_facts)

    found = KnowledgeBase(case.rules)
    with monkeypatch.context() as patch:
        patch.setattr(state_changes, "apply_to_engine", lambda *_: pytest.fail("something is derived"))
        assert not found.bulk_load(encoded, inferred).notes
    expected.bulk_load(encoded)
    expected.flush()

    found._check()
    # The same terms in both, so that ids can be compared below.
    expected = in_ids_of(found, expected)
    assert_same(found, expected)
    assert sizes(found) == sizes(expected)
    assert_proofs(found, expected)
    change_and_compare(found, expected, case)


def in_ids_of(found: KnowledgeBase, expected: KnowledgeBase) -> KnowledgeBase:
    """A knowledge base that derives by itself, with the same ids of terms as another one."""
    assert triples_count(found) == triples_count(expected)
    again = KnowledgeBase(expected.program, dictionary=Dictionary.of_state(found.dictionary.state()))
    again.add_quads(explicit_quads(found))
    again.flush()
    return again


def triples_count(base: KnowledgeBase) -> tuple[int, int]:
    return base.explicit().count(), base.inferred().count()


def sizes(base: KnowledgeBase) -> set[tuple[str, str, int]]:
    return {(each.name, each.kind, each.facts) for each in base.statistics().relations}


def assert_proofs(found: KnowledgeBase, expected: KnowledgeBase) -> None:
    rows = view_rows(found.inferred())
    for row in rows[:: max(1, len(rows) // 5)].tolist():
        assert str(found.explain(*row)) == str(expected.explain(*row))


def change_and_compare(found: KnowledgeBase, expected: KnowledgeBase, case: Case) -> None:
    """Remove triples, put them elsewhere, add axioms and take them away again, the same in both."""
    rng = random.Random(7)
    data = view_rows(found.explicit()).tolist()
    axioms = [tuple(found.dictionary.encode(term) for term in triple) for triple in case.schema]
    assert axioms == [tuple(expected.dictionary.encode(term) for term in triple) for triple in case.schema]
    added: list[tuple[int, ...]] = []
    for number in range(CHANGES):
        choice = rng.random()
        if added and choice < 0.3:
            change, triple = "remove", added.pop(rng.randrange(len(added)))
        elif choice < 0.55:
            change, triple = "add", rng.choice(axioms)
            added.append(triple)
        elif choice < 0.8:
            change, triple = "remove", tuple(rng.choice(data))
        else:
            one, other = rng.choice(data), rng.choice(data)
            change, triple = "add", (other[0], one[1], one[2])
            added.append(triple)
        for base in (found, expected):
            getattr(base, change)(DEFAULT_GRAPH, *triple)
        if (number + 1) % case.compared == 0:
            assert_same(found, expected)
        if (number + 1) % case.checked == 0:
            found._check()
    assert_same(found, in_ids_of(found, expected))
