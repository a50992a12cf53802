"""Triples like those of Claros, which cannot be had: archaeological objects, documents about them, and places.

A document refers to a few places. What the same document refers to is related, so that the places of a group
whose documents overlap come to be one component of the symmetric and transitive ``relatedPlaces``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from kgreason.rdf.vocabulary import RDF_TYPE

Triple: TypeAlias = tuple[str, str, str]

CRM, DATA = "http://purl.org/NET/crm-owl#", "http://claros.example/"
OBJECTS_OF_A_PLACE = 8
KINDS, MATERIALS, MAKERS, SPANS = 200, 40, 500, 300


def claros_triples(components: int, smallest: int, largest: int, seed: int = 1) -> list[Triple]:
    """Distinct triples: `components` groups of places, of sizes between the two in equal steps."""
    generator = np.random.default_rng(seed)
    triples: dict[Triple, None] = {}
    for group, size in enumerate(np.linspace(smallest, largest, components).astype(int).tolist()):
        triples.update(dict.fromkeys(_places(generator, group, size)))
        triples.update(dict.fromkeys(_documents(generator, group, size)))
        for place in range(size):
            for number in range(OBJECTS_OF_A_PLACE):
                triples.update(dict.fromkeys(_object(generator, f"{group}-{place}", number)))
    return list(triples)


def _places(generator: np.random.Generator, group: int, size: int) -> Iterator[Triple]:
    """Places of a region, which lie within each other three levels deep: site, town, region."""
    for place in range(size):
        name = _data("place", f"{group}-{place}")
        yield name, RDF_TYPE, CRM + "E53_Place"
        town = int(generator.integers(0, 1 + size // 10))
        yield name, CRM + "P89_falls_within", _data("town", f"{group}-{town}")
        yield _data("town", f"{group}-{town}"), CRM + "P89_falls_within", _data("region", str(group))
        yield name, CRM + "P87_is_identified_by", _data("name", f"{group}-{place}")


def _documents(generator: np.random.Generator, group: int, size: int) -> Iterator[Triple]:
    """For each place a document about it and an earlier one, and a survey of every tenth with three any."""
    for place in range(size):
        name = _data("document", f"{group}-{place}")
        yield name, RDF_TYPE, CRM + "E31_Document"
        yield name, CRM + "P67_refers_to", _data("place", f"{group}-{place}")
        yield name, CRM + "P67_refers_to", _data("place", f"{group}-{int(place * generator.random())}")
        if place % 10 == 0:
            survey = _data("survey", f"{group}-{place}")
            yield survey, RDF_TYPE, CRM + "E31_Document"
            for other in generator.integers(0, size, 3).tolist():
                yield survey, CRM + "P70_documents", _data("place", f"{group}-{other}")


def _object(generator: np.random.Generator, place: str, number: int) -> Iterator[Triple]:
    """An object, its making, and the record that documents it."""
    kind, material, maker, span = (int(generator.integers(0, limit)) for limit in (KINDS, MATERIALS, MAKERS, SPANS))
    name, making = _data("object", f"{place}-{number}"), _data("making", f"{place}-{number}")
    yield name, RDF_TYPE, CRM + "E22_Man-Made_Object"
    yield name, CRM + "P2_has_type", _data("kind", str(kind))
    yield name, CRM + "P45_consists_of", _data("material", str(material))
    yield name, CRM + "P55_has_current_location", _data("place", place)
    yield name, CRM + "P108i_was_produced_by", making
    yield name, CRM + "P70i_is_documented_in", _data("record", f"{place}-{number}")
    yield making, CRM + "P14_carried_out_by", _data("maker", str(maker))
    yield making, CRM + "P7_took_place_at", _data("place", place)
    yield making, CRM + "P4_has_time-span", _data("span", str(span))
    yield _data("kind", str(kind)), CRM + "P127_has_broader_term", _data("kind", str(kind // 5))


def _data(kind: str, name: str) -> str:
    return f"{DATA}{kind}/{name}"
