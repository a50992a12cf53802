"""Logical views (RML-LV): would catch a combination of values that is lost or invented, a position that is another
one's, and a bad text in a value that takes good ones with it or goes away silently.

`naive_people` and `naive_orders` are the specification in plain Python: rows are dictionaries, joins are loops.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgreason.errors import MappingError
from kgreason_mapping.documents import parse_mapping
from tests.mapping.engines import ArrowEngine, Engine, Mapped
from tests.mapping.rml import PREFIXES

E = "http://e/"
PEOPLE = """
:people a rml:LogicalView ; rml:viewOn [ rml:source "people.json" ; rml:referenceFormulation rml:JSONPath ;
        rml:iterator "$[*]" ] ;
    rml:field [ rml:fieldName "id" ; rml:reference "$.id" ] ,
        [ rml:fieldName "tag" ; rml:reference "$.tags[*]" ] ,
        [ a rml:IterableField ; rml:fieldName "item" ; rml:iterator "$.items[*]" ;
          rml:field [ rml:fieldName "type" ; rml:reference "$.type" ] ,
            [ rml:fieldName "part" ; rml:iterator "$.parts[*]" ;
              rml:field [ rml:fieldName "n" ; rml:reference "$.n" ] ] ] ,
        [ rml:fieldName "note" ; rml:reference "$.note" ; rml:field [ rml:fieldName "line" ;
            rml:referenceFormulation rml:CSV ; rml:field [ rml:fieldName "word" ; rml:reference "word" ] ] ] .
"""
ORDERS = """
:orders a rml:LogicalView ; rml:viewOn [ rml:source "orders.csv" ; rml:referenceFormulation rml:CSV ] ;
    rml:field [ rml:fieldName "order" ; rml:reference "order" ] , [ rml:fieldName "who" ; rml:reference "who" ] ;
    rml:%s [ rml:parentLogicalView :people ; rml:joinCondition [ rml:child "who" ; rml:parent "id" ] ;
        rml:field [ rml:fieldName "type" ; rml:reference "item.type" ] ] ;
    rml:leftJoin [ rml:parentLogicalView :prices ; rml:joinCondition [ rml:child "order" ; rml:parent "of" ] ;
        rml:field [ rml:fieldName "price" ; rml:template "{amount} EUR" ] ] .
:prices a rml:LogicalView ; rml:viewOn [ rml:source "prices.csv" ; rml:referenceFormulation rml:CSV ] ;
    rml:field [ rml:fieldName "of" ; rml:reference "order" ] , [ rml:fieldName "amount" ; rml:reference "amount" ] .
"""
PEOPLE_KEYS = ("#", "id", "tag", "tag.#", "item.#", "item.type", "item.part.n", "item.part.#", "note.line.word")
ORDER_KEYS = ("#", "order", "who", "type", "type.#", "price", "price.#")

Row = dict[str, str | None]


def mapping_of(views: str, view: str, keys: Sequence[str]) -> str:
    """A mapping whose triples tell which values stand together in a row of a view, three at a time."""
    maps = ", ".join(
        f'[ rml:predicate <{property_of(a, b, c)}> ; rml:objectMap [ rml:termType rml:Literal ; '
        f'rml:template "{{{a}}}|{{{b}}}|{{{c}}}" ] ]'
        for a, b, c in combinations(keys, 3)
    )
    return (
        f"{PREFIXES} @prefix : <{E}> . {views} "
        f":m rml:logicalSource :{view} ; rml:subjectMap [ rml:constant :row ] ; rml:predicateObjectMap {maps} ."
    )


def property_of(*keys: str) -> str:
    """The property of three keys."""
    return E + "-".join(keys).replace("#", "place")


def told(rows: Iterable[Row], keys: Sequence[str]) -> set[tuple[str, str]]:
    """The triples of that mapping, by predicate and object."""
    return {
        (property_of(a, b, c), f'"{row[a]}|{row[b]}|{row[c]}"')
        for row in rows
        for a, b, c in combinations(keys, 3)
        if None not in (row[a], row[b], row[c])
    }


def naive_people(people: list[dict[str, Any]]) -> list[Row]:
    rows: list[Row] = []
    for number, person in enumerate(people):
        tags: list[Row] = [
            {"tag": tag, "tag.#": str(at)} for at, tag in enumerate(person.get("tags") or []) if tag is not None
        ]
        items: list[Row] = []
        for at, item in enumerate(person.get("items") or []):
            parts: list[Row] = [
                {"item.part.n": _text(part.get("n")), "item.part.#": str(place)}
                for place, part in enumerate(item.get("parts") or [])
            ]
            own = {"item.#": str(at), "item.type": item.get("type")}
            items += [own | part for part in parts or [{"item.part.n": None, "item.part.#": None}]]
        words: list[Row] = [{"note.line.word": word} for word in (person.get("note") or "word").split("\n")[1:]]
        for tag, item, word in product(
            tags or [{"tag": None, "tag.#": None}],
            items or [dict.fromkeys(("item.#", "item.type", "item.part.n", "item.part.#"))],
            words or [{"note.line.word": None}],
        ):
            rows.append({"#": str(number), "id": _text(person.get("id"))} | tag | item | word)
    return rows


def naive_orders(
    orders: list[Row], prices: list[Row], people: list[Row], is_inner: bool
) -> list[Row]:
    rows: list[Row] = []
    for number, order in enumerate(orders):
        # A text that is empty is a value of CSV, and is equal to no id.
        types: list[Row] = [
            {"type": one["item.type"], "type.#": str(at)}
            for at, one in enumerate(one for one in people if one["id"] is not None and one["id"] == order["who"])
        ]
        costs: list[Row] = [
            {"price": f"{one['amount']} EUR", "price.#": str(at)}
            for at, one in enumerate(one for one in prices if one["order"] == order["order"])
        ]
        if not types and is_inner:
            continue
        for kind, cost in product(
            types or [{"type": None, "type.#": None}], costs or [{"price": None, "price.#": None}]
        ):
            rows.append({"#": str(number), **order} | kind | cost)
    return rows


def write_data(folder: Path, seed: int) -> tuple[list[dict[str, Any]], list[Row], list[Row]]:
    """People, orders and prices at random, as files of a folder."""
    chance = random.Random(seed)
    people = [
        {
            "id": chance.choice([number, f"p{number}", None]),
            "tags": chance.choice([[], None, ["a"], ["b", None, "c"]]),
            "items": [
                {"type": chance.choice(["t", "u", None]), "parts": [{"n": n} for n in range(chance.randrange(3))]}
                for _ in range(chance.randrange(3))
            ],
            "note": chance.choice([None, "word\nx", "word,other\ny,1\nz,2", "word"]),
        }
        for number in range(8)
    ]
    for person in people:
        person["note"] = person["note"] and person["note"].replace(",other", "").replace(",1", "").replace(",2", "")
    known = [_text(one["id"]) or "" for one in people]
    orders: list[Row] = [{"order": f"o{n}", "who": chance.choice([*known, "nobody"])} for n in range(10)]
    prices: list[Row] = [{"order": f"o{chance.randrange(12)}", "amount": str(n)} for n in range(9)]
    (folder / "people.json").write_text(json.dumps(people))
    for name, rows in (("orders", orders), ("prices", prices)):
        lines = [",".join(rows[0]), *(",".join(str(one) for one in row.values()) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return people, orders, prices


@pytest.mark.parametrize("seed", range(3))
def test_a_view_has_all_combinations_of_its_fields(engine: Engine, tmp_path: Path, seed: int) -> None:
    people, _, _ = write_data(tmp_path, seed)

    made = mapped(engine, tmp_path, mapping_of(PEOPLE, "people", PEOPLE_KEYS))

    assert facts(made) == told(naive_people(people), PEOPLE_KEYS)


@pytest.mark.parametrize("kind", ["leftJoin", "innerJoin"])
@pytest.mark.parametrize("seed", range(2))
def test_a_join_is_that_of_sql(engine: Engine, tmp_path: Path, seed: int, kind: str) -> None:
    people, orders, prices = write_data(tmp_path, seed)

    made = mapped(engine, tmp_path, mapping_of(PEOPLE + ORDERS % kind, "orders", ORDER_KEYS))

    rows = naive_orders(orders, prices, naive_people(people), kind == "innerJoin")
    # Which of the parent's rows is the first one may differ; a row without a type still has a position.
    keys = [one for one in ORDER_KEYS if one != "type.#"]
    assert {one for one in facts(made) if "type.place" not in one[0]} == told(rows, keys)


def test_random_views_equal_the_naive_ones(tmp_path: Path) -> None:
    for seed in range(100, 130):
        people, orders, prices = write_data(tmp_path, seed)
        rows = naive_people(people)
        made = mapped(ArrowEngine(), tmp_path, mapping_of(PEOPLE, "people", PEOPLE_KEYS))
        assert facts(made) == told(rows, PEOPLE_KEYS), seed
        made = mapped(ArrowEngine(), tmp_path, mapping_of(PEOPLE + ORDERS % "innerJoin", "orders", ORDER_KEYS))
        keys = [one for one in ORDER_KEYS if one != "type.#"]
        expected = told(naive_orders(orders, prices, rows, True), keys)
        assert {one for one in facts(made) if "type.place" not in one[0]} == expected, seed


def test_records_are_counted_over_pieces(tmp_path: Path) -> None:
    count = 60_000
    (tmp_path / "a.jsonl").write_text("".join(f'{{"n": {n}, "pad": "{"x" * 40}"}}\n' for n in range(count)))
    text = f"""{PREFIXES} @prefix : <{E}> .
        :v rml:viewOn [ rml:source "a.jsonl" ] ; rml:field [ rml:fieldName "n" ; rml:reference "n" ] .
        :m rml:logicalSource :v ; rml:subjectMap [ rml:template "{E}{{#}}" ] ;
            rml:predicateObjectMap [ rml:predicate :n ;
                rml:objectMap [ rml:reference "n" ; rml:datatype xsd:string ] ] ."""

    made = mapped(ArrowEngine(), tmp_path, text)

    assert {(s, o) for s, _, o, _ in made.quads} == {(f"{E}{n}", f'"{n}"') for n in range(count)}


def test_structs_of_parquet_are_records(engine: Engine, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2, 3], "lines": [[{"sku": "a", "n": 1}, {"sku": "b", "n": None}], [], None]})
    pq.write_table(table, tmp_path / "orders.parquet")
    text = f"""{PREFIXES} @prefix : <{E}> .
        :v rml:viewOn [ rml:source "orders.parquet" ] ; rml:field [ rml:fieldName "id" ; rml:reference "id" ] ,
            [ rml:fieldName "line" ; rml:iterator "lines" ;
              rml:field [ rml:fieldName "sku" ; rml:reference "sku" ] , [ rml:fieldName "n" ; rml:reference "n" ] ] .
        :m rml:logicalSource :v ; rml:subjectMap [ rml:template "{E}{{id}}/{{line.#}}" ] ; rml:predicateObjectMap
            [ rml:predicate :sku ; rml:objectMap [ rml:reference "line.sku" ] ] ,
            [ rml:predicate :n ; rml:objectMap [ rml:reference "line.n" ] ] ."""

    made = mapped(engine, tmp_path, text)

    assert {(s, o) for s, _, o, _ in made.quads} == {
        (f"{E}1/0", '"a"'), (f"{E}1/0", '"1"^^http://www.w3.org/2001/XMLSchema#integer'), (f"{E}1/1", '"b"')
    }  # fmt: skip
    assert made.rows == {f"{E}v": 4}


def test_nodes_of_xml_are_records(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<l><s id='x'><b><n>1</n></b><b><n>2</n></b></s><s id='y'/></l>")
    text = f"""{PREFIXES} @prefix : <{E}> .
        :v rml:viewOn [ rml:source "a.xml" ; rml:referenceFormulation rml:XPath ; rml:iterator "/l/s" ] ;
            rml:field [ rml:fieldName "book" ; rml:iterator "b" ;
              rml:field [ rml:fieldName "n" ; rml:reference "n" ] ,
                [ rml:fieldName "shelf" ; rml:reference "../@id" ] ] .
        :m rml:logicalSource :v ; rml:subjectMap [ rml:template "{E}{{book.shelf}}" ] ;
            rml:predicateObjectMap [ rml:predicate :n ; rml:objectMap [ rml:reference "book.n" ] ] ."""

    made = mapped(engine, tmp_path, text)

    assert {(s, o) for s, _, o, _ in made.quads} == {(f"{E}x", '"1"'), (f"{E}x", '"2"')}


def test_a_bad_text_is_in_quarantine_and_the_rest_of_its_row_is_not(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,doc\n1,"{""k"": 5}"\n2,"{"\n3,"[]"\n')
    text = f"""{PREFIXES} @prefix : <{E}> .
        :v rml:viewOn [ rml:source "a.csv" ] ; rml:field [ rml:fieldName "id" ; rml:reference "id" ] ,
            [ rml:fieldName "doc" ; rml:reference "doc" ; rml:field [ rml:fieldName "d" ;
              rml:referenceFormulation rml:JSONPath ; rml:iterator "$" ;
              rml:field [ rml:fieldName "k" ; rml:reference "$.k" ] ] ] .
        :m rml:logicalSource :v ; rml:subjectMap [ rml:template "{E}{{id}}" ; rml:class :Row ] ;
            rml:predicateObjectMap [ rml:predicate :k ; rml:objectMap [ rml:reference "doc.d.k" ] ] ."""

    made = mapped(engine, tmp_path, text)

    assert made.reasons == {"malformed JSON": 1}
    assert {s for s, _, o, _ in made.quads if o == f"{E}Row"} == {f"{E}1", f"{E}2", f"{E}3"}
    assert {s for s, p, _, _ in made.quads if p == f"{E}k"} == {f"{E}1"}


@pytest.mark.parametrize("kind", ["leftJoin", "innerJoin"])
def test_rows_of_a_parent_that_cannot_be_read_are_in_quarantine(engine: Engine, tmp_path: Path, kind: str) -> None:
    write_data(tmp_path, 1)
    with (tmp_path / "prices.csv").open("a") as file:
        file.write("o1,2,3\n")
    with (tmp_path / "orders.csv").open("a") as file:
        file.write("o1\n")

    made = mapped(engine, tmp_path, mapping_of(PEOPLE + ORDERS % kind, "orders", ORDER_KEYS))

    assert made.reasons == {"CSV row with too many or too few fields": 2}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('"order" ; rml:reference "order"', '"order" ; rml:reference "nr"'), "has no column 'nr'"),
        (('"item.type"', '"item"'), "no field 'item'"),
        (('"item.type"', '"item.kind"'), "no field 'item.kind'; it has id, tag, item.type"),
        (('rml:parent "id"', 'rml:parent "key"'), "no field 'key'"),
        (('rml:child "who"', 'rml:child "whom"'), "no field 'whom'"),
        (('"price" ; rml:template', '"who" ; rml:template'), "two fields are called 'who'"),
        (("rml:parentLogicalView :prices", "rml:parentLogicalView :orders"), "based on itself"),
        (("rml:parentLogicalView :prices", 'rml:parentLogicalView "prices"'), "no logical view as its parent"),
        (("rml:referenceFormulation rml:CSV ; rml:field", 'rml:iterator "$" ; rml:field'), "needs a reference form"),
        (('rml:iterator "$.parts[*]"', 'rml:iterator "$.parts[?(@.n)]"'), "is not a JSONPath"),
        (('rml:fieldName "tag" ; ', ""), "a field has no rml:fieldName"),
    ],
)
def test_what_a_view_does_not_have_is_refused(
    engine: Engine, tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    write_data(tmp_path, 1)
    text = mapping_of(PEOPLE + ORDERS % "leftJoin", "orders", ORDER_KEYS)
    assert change[0] in text

    with pytest.raises(MappingError, match=words.replace("(", r"\(")):
        mapped(engine, tmp_path, text.replace(*change))


def mapped(engine: Engine, folder: Path, text: str) -> Mapped:
    """What comes of a mapping over the files of a folder."""
    return engine(parse_mapping(text, directory=folder))


def facts(made: Mapped) -> set[tuple[str, str]]:
    """Predicates and objects; nothing may be in quarantine."""
    assert made.quarantined == []
    return {(p, o) for _, p, o, _ in made.quads}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
