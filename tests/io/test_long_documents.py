"""Documents that are read by way of lines: would catch a term, a tag or a blank node that comes out as another one than
where each quad is taken apart."""

from __future__ import annotations

from random import Random

import pyoxigraph as ox
import pytest

from kgreason import LoadError, ReasoningStore
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io import file_tuning
from kgreason.io.readers import read_stream
from tests.profiles import examples

TERMS = [
    ":a", "<http://é/x#y>", '"x"', '"é\\n\\"\\u0007"', "1", "1.50", "true", '"2020-01-01"^^xsd:date', "_:b", "[]",
    "[ :q _:b ]", "( 1 :a )", '"x"@en', '"x"@EN', '"y"@en-GB', '"@fr"@de', '"l"@ar--rtl', "<< :s :p 1 >>",
    "<<( :s :p <<( :s :p 'n'@Fr )>> )>>",
    ":o ~ :r {| :by 'z'@en |}", '"""long\n@DE"""@nl',
]  # fmt: skip


def document(random: Random, count: int, wanted: list[str]) -> bytes:
    lines = [f":s{random.randrange(9)} :p{random.randrange(3)} {random.choice(wanted)} . # @EN" for _ in range(count)]
    return "\n".join(("PREFIX : <http://e/>", "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>", *lines)).encode()


def canonical(content: bytes, format: str) -> bytes:
    """The quads with other labels of blank nodes, in order."""
    dictionary = Dictionary()
    quads = read_stream(content, dictionary, format=format)
    columns = zip(quads.subject.tolist(), quads.predicate.tolist(), quads.object.tolist(), strict=True)
    texts = {each: str(dictionary.decode(each)) for each in range(len(dictionary))}
    lines = "".join(f"{texts[s]} {texts[p]} {texts[o]} .\n" for s, p, o in columns)
    parsed = ox.Dataset(ox.parse(lines.encode(), ox.RdfFormat.N_TRIPLES))
    parsed.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    tags = sorted(text for text in texts.values() if "@" in text and "_:" not in text)
    return "\n".join([*tags, *sorted(map(str, parsed))]).encode()


@pytest.mark.parametrize("first", [1, 5, 40])
def test_lines_give_what_taking_apart_gives(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(first)
    for _ in range(examples(120)):
        wanted = random.sample(TERMS, random.randint(1, 8))
        content = document(random, random.randint(1, 60), wanted)
        expected = canonical(content, "ttl")

        with monkeypatch.context() as patch:
            patch.setattr(file_tuning, "PARSED_FIRST", first)
            patch.setattr(file_tuning, "PARSED_BYTES", random.randint(1, 99))
            assert canonical(content, "ttl") == expected, content.decode()


@pytest.mark.parametrize("wrong", [":s :p .", ':s :p "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .'])
@pytest.mark.parametrize("at", [1, 5_000])
def test_error_behind_the_first_quads_has_its_line_and_changes_nothing(at: int, wrong: str) -> None:
    lines = ["@prefix : <http://e/> .", *(f":s{number} :p {number} ." for number in range(9_000))]
    lines[at] = wrong
    store = ReasoningStore(rules="none")

    with pytest.raises(LoadError) as caught:
        store.bulk_load("\n".join(lines).encode(), format="ttl")

    assert caught.value.line == at + 1
    assert len(store) == 0
