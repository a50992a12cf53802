"""Data of the Berlin SPARQL Benchmark: ``python -m tests.benchmarks.bsbm FILE [PRODUCTS]`` writes N-Triples.

A generator of our own after the published specification (Bizer and Schultz, BSBM v3.1); the benchmark's own one is a
Java program. Everything is scaled by the number of products, n:

* product types: a tree of depth log10(n) / 2 + 1 that branches 2 log10(n) times at its root and 8 times below;
* product features: those of a type at depth i of d are between 35 and 75 times i / (d (d + 1) / 2 - 1); a product has
  each of those of its types with a chance of a quarter;
* 50 products for a producer, 20 offers for a product, 2,000 for a vendor, 10 reviews for a product, 20 for a reviewer;
* of the six textual and the six numeric properties of a product the first three are always there, the others with
  chances of 0.7, 0.8 and 0.5; of the four ratings of a review each with 0.7.

Where the specification leaves a choice, it is in the code: words are drawn from 2,000 that are made up, offers and
reviews are about all products alike. 2,785 products are 1,041,887 triples. The same arguments give the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from hashlib import sha1
from math import log10
from pathlib import Path
from random import Random

PRODUCTS = 2785
INSTANCES = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/"
TERMS = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/"
XSD, DC, FOAF = "http://www.w3.org/2001/XMLSchema#", "http://purl.org/dc/elements/1.1/", "http://xmlns.com/foaf/0.1/"
REV, COUNTRY = "http://purl.org/stuff/rev#", "http://downlode.org/rdf/iso-3166/countries#"
RDFS, TYPE = "http://www.w3.org/2000/01/rdf-schema#", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
COUNTRIES = [
    ("US", 40),
    ("GB", 10),
    ("JP", 10),
    ("CN", 10),
    ("DE", 5),
    ("FR", 5),
    ("ES", 5),
    ("RU", 5),
    ("KR", 5),
    ("AT", 5),
]
"""Countries, and how many of a hundred vendors, producers and reviewers are from there."""
LANGUAGES = [("en", 50), ("ja", 10), ("zh", 10), ("de", 5), ("fr", 5), ("es", 5), ("ru", 5), ("ko", 5), ("de-AT", 5)]
TODAY = date(2008, 6, 20)

Triple = tuple[str, str, str]


def iri(text: str) -> str:
    return f"<{text}>"


def literal(text: object, datatype: str = "") -> str:
    return f'"{text}"^^<{datatype if ":" in datatype else XSD + datatype}>' if datatype else f'"{text}"'


def term(name: str) -> str:
    """A property of the benchmark's vocabulary."""
    return iri(TERMS + name)


LABEL, COMMENT, PUBLISHER, DATE = iri(RDFS + "label"), iri(RDFS + "comment"), iri(DC + "publisher"), iri(DC + "date")


@dataclass
class ProductType:
    """A type with the features that are its own, in a tree."""

    number: int
    parent: ProductType | None
    features: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return iri(f"{INSTANCES}ProductType{self.number}")

    def line(self) -> list[ProductType]:
        """It, and all types above."""
        return [self, *(self.parent.line() if self.parent else [])]


class Generator:
    """The triples for a number of products."""

    def __init__(self, products: int = PRODUCTS, seed: int = 53223436) -> None:
        self.products = products
        self.random = Random(seed)
        syllables = ["ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"]
        self.words = ["".join(self.random.choices(syllables, k=self.random.randint(2, 5))) for _ in range(2000)]
        self.offers_of: dict[int, str] = {}
        self.reviews_of: dict[int, str] = {}
        self.features_of: dict[int, list[str]] = {}
        self.type_of: dict[int, ProductType] = {}
        self.leaves: list[ProductType] = []

    def triples(self) -> Iterator[Triple]:
        """All of them, in the order of the specification."""
        yield from self._types()
        yield from self._producers()
        yield from self._offers()
        yield from self._reviews()

    # -- values ------------------------------------------------------------------------------------------------

    def text(self, least: int, most: int) -> str:
        return " ".join(self.random.choices(self.words, k=self.random.randint(least, most)))

    def day(self, earliest: int, latest: int) -> date:
        return TODAY - timedelta(days=self.random.randint(earliest, latest))

    def chosen(self, weights: list[tuple[str, int]]) -> str:
        return self.random.choices([name for name, _ in weights], [weight for _, weight in weights])[0]

    def near(self, low: int, high: int) -> int:
        """A number between two that is normally distributed around the middle of both."""
        middle, spread = (low + high) / 2, (high - low) / 6
        return min(high, max(low, round(self.random.gauss(middle, spread))))

    def published(self, subject: str, publisher: str) -> Iterator[Triple]:
        yield subject, PUBLISHER, publisher
        yield subject, DATE, literal(self.day(0, 3000), "date")

    # -- things ------------------------------------------------------------------------------------------------

    def _types(self) -> Iterator[Triple]:
        depth, root_branches = round(log10(self.products) / 2) + 1, 2 * round(log10(self.products))
        institution = iri(f"{INSTANCES}StandardizationInstitution1")
        level, number, feature = [ProductType(1, None)], 1, 0
        for floor in range(depth + 1):
            for each in level:
                yield each.name, TYPE, term("ProductType")
                yield each.name, LABEL, literal(self.text(1, 3))
                yield each.name, COMMENT, literal(self.text(20, 50))
                if each.parent:
                    yield each.name, iri(RDFS + "subClassOf"), each.parent.name
                yield from self.published(each.name, institution)
                share = floor / max(depth * (depth + 1) / 2 - 1, 1)
                for _ in range(self.random.randint(round(35 * share), round(75 * share)) if floor else 5):
                    feature += 1
                    each.features.append(iri(f"{INSTANCES}ProductFeature{feature}"))
                    yield each.features[-1], TYPE, term("ProductFeature")
                    yield each.features[-1], LABEL, literal(self.text(1, 3))
                    yield each.features[-1], COMMENT, literal(self.text(20, 50))
                    yield from self.published(each.features[-1], institution)
            if floor == depth:
                break
            below = []
            for each in level:
                for _ in range(8 if floor else root_branches):
                    number += 1
                    below.append(ProductType(number, each))
            level = below
        self.leaves = level

    def _producers(self) -> Iterator[Triple]:
        product, producer = 0, 0
        while product < self.products:
            producer += 1
            name = iri(f"{INSTANCES}dataFromProducer{producer}/Producer{producer}")
            yield from self._company(name, "Producer", f"http://www.Producer{producer}.com/")
            for _ in range(min(self.near(1, 99), self.products - product)):
                product += 1
                yield from self._product(product, producer, name)

    def _company(self, name: str, kind: str, page: str) -> Iterator[Triple]:
        yield name, TYPE, term(kind)
        yield name, LABEL, literal(self.text(1, 3))
        yield name, COMMENT, literal(self.text(20, 50))
        yield name, iri(FOAF + "homepage"), iri(page)
        yield name, term("country"), iri(COUNTRY + self.chosen(COUNTRIES))
        yield from self.published(name, name)

    def product_name(self, number: int) -> str:
        return iri(f"{INSTANCES}Product{number}")

    def _product(self, number: int, producer: int, maker: str) -> Iterator[Triple]:
        name, kind = self.product_name(number), self.random.choice(self.leaves)
        self.type_of[number] = kind
        yield name, TYPE, term("Product")
        yield name, LABEL, literal(self.text(1, 3))
        yield name, COMMENT, literal(self.text(50, 150))
        yield name, term("producer"), maker
        for each in kind.line():
            yield name, TYPE, each.name
        for at, chance in enumerate((1, 1, 1, 0.7, 0.8, 0.5), start=1):
            if self.random.random() < chance:
                yield name, term(f"productPropertyTextual{at}"), literal(self.text(3, 15))
            if self.random.random() < chance:
                yield name, term(f"productPropertyNumeric{at}"), literal(self.near(1, 2000), "integer")
        pool = [feature for each in kind.line() for feature in each.features]
        self.features_of[number] = [feature for feature in pool if self.random.random() < 0.25] or pool[:1]
        for feature in self.features_of[number]:
            yield name, term("productFeature"), feature
        yield from self.published(name, maker)

    def _offers(self) -> Iterator[Triple]:
        offer, vendor, left, total = 0, 0, 0, 20 * self.products
        while offer < total:
            if not left:
                vendor, left = vendor + 1, self.near(1000, 3000)
                seller = iri(f"{INSTANCES}dataFromVendor{vendor}/Vendor{vendor}")
                yield from self._company(seller, "Vendor", f"http://www.vendor{vendor}.com/")
            offer, left = offer + 1, left - 1
            name, product = f"{seller.rpartition('/')[0]}/Offer{offer}>", self.random.randint(1, self.products)
            start = self.day(-50, 90)
            end = start + timedelta(days=self.random.randint(7, 90))
            self.offers_of.setdefault(product, name)
            yield name, TYPE, term("Offer")
            yield name, term("product"), self.product_name(product)
            yield name, term("vendor"), seller
            yield name, term("price"), literal(f"{self.random.uniform(5, 10000):.2f}", f"{TERMS}USD")
            yield name, term("validFrom"), literal(f"{start}T00:00:00", "dateTime")
            yield name, term("validTo"), literal(f"{end}T00:00:00", "dateTime")
            yield name, term("deliveryDays"), literal(min(self.near(1, 14), self.near(1, 14)), "integer")
            yield name, term("offerWebpage"), iri(f"http://www.vendor{vendor}.com/offers/Offer{offer}")
            yield from self.published(name, seller)

    def _reviews(self) -> Iterator[Triple]:
        review, person, left = 0, 0, 0
        while review < 10 * self.products:
            site = iri(f"{INSTANCES}dataFromRatingSite{1 + review // 10000}/RatingSite{1 + review // 10000}")
            if not left:
                person, left = person + 1, self.near(1, 39)
                reviewer = iri(f"{INSTANCES}dataFromRatingSite{1 + review // 10000}/Reviewer{person}")
                yield reviewer, TYPE, iri(FOAF + "Person")
                yield reviewer, iri(FOAF + "name"), literal(self.text(2, 2))
                yield reviewer, iri(FOAF + "mbox_sha1sum"), literal(sha1(str(person).encode()).hexdigest())
                yield reviewer, term("country"), iri(COUNTRY + self.chosen(COUNTRIES))
                yield from self.published(reviewer, site)
            review, left = review + 1, left - 1
            name, product = f"{site[:-1].rpartition('/')[0]}/Review{review}>", self.random.randint(1, self.products)
            language = self.chosen(LANGUAGES)
            self.reviews_of.setdefault(product, name)
            yield name, TYPE, iri(REV + "Review")
            yield name, term("reviewFor"), self.product_name(product)
            yield name, iri(REV + "reviewer"), reviewer
            yield name, iri(DC + "title"), literal(self.text(4, 15))
            yield name, iri(REV + "text"), f'"{self.text(50, 200)}"@{language}'
            for rating in range(1, 5):
                if self.random.random() < 0.7:
                    yield name, term(f"rating{rating}"), literal(self.random.randint(1, 10), "integer")
            yield name, term("reviewDate"), literal(f"{self.day(0, 700)}T00:00:00", "dateTime")
            yield from self.published(name, site)


def generated(path: Path, products: int = PRODUCTS) -> Generator:
    """Write the data; the generator that knows what is in them."""
    generator = Generator(products)
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(f"{s} {p} {o} .\n" for s, p, o in generator.triples())
    return generator


if __name__ == "__main__":
    generated(Path(sys.argv[1]), *map(int, sys.argv[2:]))
