"""What does not fit the driver would be lost, or come to it after all: closures beyond their cap, components of
equivalences in frames, and terms that rules compute; schemas are in test_unspecialised."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from kgreason.errors import SparkError
from kgreason_spark.arrow_frames import frame_of_arrow, to_arrow
from kgreason_spark.materialisation import driver_limits
from kgreason_spark.materialisation.inferred_frames import Results
from kgreason_spark.materialisation.star_components import COMPONENT, NODE, components
from tests.spark.cases import CASES, local
from tests.spark.distributed import encode_base, fixpoint, inferred, keys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAME = (
    "[?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] ."
    "[?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z], ?x != ?z ."
    "[?x, owl:sameAs, ?y] :- e:key(?x, ?k), e:key(?y, ?k), ?x != ?y ."
    "e:p(?y, ?z) :- [?x, owl:sameAs, ?y], e:p(?x, ?z) . e:key(?y, ?k) :- e:p(?x, ?y), e:late(?x, ?k) ."
    "e:alone(?x) :- e:k(?x), ~[?x, owl:sameAs, e:n1] ."
    "e:like(?y, ?x) :- e:like(?x, ?y) . e:like(?x, ?z) :- e:like(?x, ?y), e:like(?y, ?z) ."
    "[?x, e:size, #count(?y)] :- [?x, owl:sameAs, ?y] ."
)
SAME_DATA = (
    "".join(f"e:n{n} owl:sameAs e:n{n + 1} . e:n{n} a e:k . " for n in range(1, 6))
    + "e:n20 e:key 5 . e:n21 e:key 5 . e:n22 e:key 6 . e:n21 e:p e:n30 . e:n30 e:late 6 ."
    "e:n3 e:p e:n31 . e:n31 e:late 6 ."
    "e:n40 e:like e:n41, e:n41, 'a' . e:n41 e:like 'b' . e:n42 e:like e:n42 . e:n43 e:like 'c' . e:n20 a e:k ."
)
HIERARCHY = (
    "".join(f"e:c{n} skos:broader e:c{n // 2} . " for n in range(2, 16))
    + "".join(f"e:c{n} skos:broader e:c{n + 1} . " for n in range(20, 36))
    + "e:c36 skos:broader e:c30 . e:c30 skos:narrower e:c15 . e:c1 skos:exactMatch e:m1 . e:m1 skos:exactMatch e:m2 ."
)
ALL = {**CASES, "equal things": (SAME, SAME_DATA), "a deep hierarchy with a cycle": ("skos", HIERARCHY)}
USUAL = ("closures of derived edges, joined and denied", "equal things", "a deep hierarchy with a cycle")
OTHERS = ("closures with nothing bound", "what is made of closures", "computed terms in closures",
          "aggregates at several levels")  # fmt: skip


@pytest.mark.parametrize("name", [*USUAL, *(pytest.param(one, marks=pytest.mark.thorough) for one in OTHERS)])
@pytest.mark.parametrize("most", [0, pytest.param(7, marks=pytest.mark.thorough)])
def test_closures_beyond_the_cap_are_the_clusters(
    quick_spark: SparkSession, tmp_path: Path, name: str, most: int
) -> None:
    rules, text = ALL[name]
    base = local(rules, "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . " + text)
    data = encode_base(tmp_path / "data", base)
    run = fixpoint(quick_spark, data, tmp_path / "work", base.program, small=0, driver_facts=most)

    expected, found = keys(base, base.inferred()), inferred(Results(run, pairs=True))

    assert not any(run.table(code) for code in run.residents) or most
    assert found == expected, f"missing: {expected - found}\nwrong: {found - expected}"


def test_components_are_those_of_a_search(quick_spark: SparkSession, tmp_path: Path) -> None:
    draw = random.Random(7)
    edges = {(3, n, n + 1) for n in range(100, 140)} | {(7, n, n) for n in (1, 100)}
    edges |= {(7, draw.randrange(80), draw.randrange(80)) for _ in range(60)} | {(3, 1, n) for n in range(2, 9)}
    facts = pa.table(dict(zip(("relation", "a0", "a1"), map(list, zip(*edges, strict=True)), strict=True)))
    count = 0

    def keep(rows):
        nonlocal count
        count += 1
        rows.write.parquet(str(tmp_path / str(count)))
        return quick_spark.read.parquet(str(tmp_path / str(count)))

    found = to_arrow(components(frame_of_arrow(quick_spark, facts), keep)).to_pylist()

    least = {(code, node): node for code, *ends in edges for node in ends}
    while True:
        before = dict(least)
        for code, one, other in edges:
            least[code, one] = least[code, other] = min(least[code, one], least[code, other])
        if least == before:
            break
    assert {(row["relation"], row[NODE]): row[COMPONENT] for row in found} == least
    assert len(found) == len(least)


def test_computed_terms_beyond_the_cap_are_refused(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver_limits, "TERMS", 2)
    base = local("e:s(?x, ?z) :- e:age(?x, ?y), ?z = ?y + 1 .", "e:n1 e:age 1, 2, 3 .")
    data = encode_base(tmp_path / "data", base)

    with pytest.raises(SparkError, match=r"^more than 2 terms that rules compute would come to the driver$"):
        fixpoint(quick_spark, data, tmp_path / "work", base.program)
