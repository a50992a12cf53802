"""Would catch a change of raw rows that leaves another store behind than mapping and loading everything anew."""

from __future__ import annotations

import random
from pathlib import Path
from shutil import rmtree

from kgreason import ReasoningStore
from kgreason_mapping.arrow import Sources, map_to_directory
from kgreason_mapping.documents import parse_mapping
from tests.mapping.rml import PREFIXES
from tests.profiles import IS_THOROUGH

CHANGES = 1_000 if IS_THOROUGH else 6
RULES = "ex:colleague(?x, ?y) :- ex:team(?x, ?t), ex:team(?y, ?t), ?x != ?y . ex:under(?x, ?z) :- ex:boss(?x, ?z) ." + (
    "ex:under(?x, ?z) :- ex:boss(?x, ?y), ex:under(?y, ?z) ."
)
MAPPING = """
<#person> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "people.csv" ];
                              rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template "http://example.com/{id}"; rml:class ex:Person ];
  rml:predicateObjectMap
    [ rml:predicate ex:name; rml:objectMap [ rml:reference "name" ] ],
    [ rml:predicate ex:born; rml:objectMap [ rml:reference "born"; rml:datatype xsd:date ] ],
    [ rml:predicate ex:boss; rml:objectMap [ rml:template "http://example.com/{boss}" ] ],
    [ rml:predicate ex:team; rml:objectMap [ rml:parentTriplesMap <#team>;
       rml:joinCondition [ rml:child "team"; rml:parent "key" ] ] ] .
<#team> rml:logicalSource [ rml:source [ rml:root rml:MappingDirectory; rml:path "teams.csv" ];
                            rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template "http://example.com/team/{name}" ] .
"""


def drawn_person(draw: random.Random, number: int) -> str:
    born = f"19{draw.randrange(90, 100)}-02-{draw.choice(['01', '28', '30', ''])}"
    return f"{number},{draw.choice(['Ada', 'Alan', '', 'Émile'])},{born},{draw.randrange(9)},{draw.choice('xyzw')}"


def write(folder: Path, people: dict[int, str], teams: dict[str, str]) -> None:
    lines = ["id,name,born,boss,team", *people.values()]
    (folder / "people.csv").write_text("".join(f"{one}\n" for one in lines))
    lines = ["key,name", *(f"{key},{name}" for key, name in teams.items())]
    (folder / "teams.csv").write_text("".join(f"{one}\n" for one in lines))


def triples(store: ReasoningStore) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    return {tuple(one.n3() for one in triple) for triple in store.explicit}, {
        tuple(one.n3() for one in triple) for triple in store.inferred
    }


def test_store_after_each_change_of_rows_is_as_loaded_anew(tmp_path: Path) -> None:
    draw = random.Random(22)
    rules = f"@prefix ex: <http://example.com/> . {RULES}"
    people = {number: drawn_person(draw, number) for number in range(8)}
    teams = {"x": "ex", "y": "wye"}
    write(tmp_path, people, teams)
    mapping = parse_mapping(PREFIXES + MAPPING, directory=tmp_path)
    before = tmp_path / "0"
    before.mkdir()
    map_to_directory(mapping, before, Sources(), threads=1)
    store = ReasoningStore(rules=rules)
    store.bulk_load(before)

    for change in range(1, CHANGES + 1):
        for _ in range(draw.randrange(1, 4)):
            number = draw.randrange(12)
            if draw.random() < 0.3:
                people.pop(number, None)
            else:
                people[number] = drawn_person(draw, number)
        if draw.random() < 0.3:
            teams[draw.choice("xyzw")] = draw.choice(["ex", "wye", "zed", ""])
        write(tmp_path, people, teams)
        after = tmp_path / str(change)
        after.mkdir()
        map_to_directory(mapping, after, Sources(), threads=1, since=before)
        store.apply(added=after / "changes" / "added", removed=after / "changes" / "removed")

        anew = ReasoningStore(rules=rules)
        anew.bulk_load(after)
        assert triples(store) == triples(anew), f"after change {change}"
        rmtree(before)
        before = after
