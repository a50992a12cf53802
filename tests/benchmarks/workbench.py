"""What a user waits for who browses 200,000 concepts: ``python -m tests.benchmarks.workbench``.

A server in this process, Chromium beside it, on one machine. Each figure is of the clock, in milliseconds: the first
time, with what is made once, and the best and worst of 20 further ones. A change between looks is of a triple that the
tree does not show, as most are, or of one that it shows.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from time import perf_counter
from typing import Final
from urllib.request import Request, urlopen

from playwright.sync_api import Page, sync_playwright

from kgreason import ReasoningStore
from kgreason.rdf.vocabulary import RDF_TYPE, SKOS
from tests.workbench.trees import TOKEN, served

CONCEPTS: Final = 200_000
TOPS: Final = 500
RUNS: Final = 20
WORDS: Final = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "grove", "island", "kelp", "lagoon", "ocean")
EX: Final = "http://example.org/"


def thesaurus() -> ReasoningStore:
    """Concepts with labels in English, half of them in German, eight below each."""
    chosen, lines = random.Random(7), []
    for number in range(CONCEPTS):
        concept = f"<{EX}c{number}>"
        lines.append(f"{concept} <{RDF_TYPE}> <{SKOS}Concept> .")
        for tag in ("en", "de")[: 1 + number % 2]:
            text = f"{chosen.choice(WORDS)} {chosen.choice(WORDS)} {number}"
            lines.append(f'{concept} <{SKOS}prefLabel> "{text}"@{tag} .')
        if number >= TOPS:
            lines.append(f"{concept} <{SKOS}broader> <{EX}c{(number - TOPS) // 8}> .")
    store = ReasoningStore(rules="skos")
    store.bulk_load("\n".join(lines).encode(), format="nt")
    return store


def change(address: str, triple: str) -> None:
    """Add a triple."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/sparql-update"}
    urlopen(Request(f"{address}update", f"INSERT DATA {{ {triple} }}".encode(), headers)).close()


def timed(page: Page, before: Callable[[int], object], act: Callable[[int], object]) -> str:
    """The first time, and the best and worst of the others."""
    times = []
    for number in range(RUNS + 1):
        before(number)
        begun = perf_counter()
        act(number)
        times.append(1000 * (perf_counter() - begun))
    return f"{times[0]:8.0f} {min(times[1:]):8.0f} {max(times[1:]):8.0f}"


def main() -> None:
    """Print a table."""
    with served(thesaurus()) as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        tree = f"{address}#/browse?kind=concepts"

        def look(_: int) -> None:
            page.goto("about:blank")
            page.goto(tree)
            page.locator(".node").first.wait_for()

        def open_node(number: int) -> None:
            page.locator(".tree > .node > .line > .toggle").nth(number).click()
            page.locator(".tree > .node").nth(number).locator(".node").first.wait_for()

        def find(number: int) -> None:
            page.get_by_label("Find a term by its label").fill(f"amber oc {number}")
            page.locator("#match-0, #matches .quiet").first.wait_for()

        def forget(_: int) -> None:
            page.get_by_label("Find a term by its label").fill("")
            page.locator("#matches").wait_for(state="hidden")

        def nothing(_: int) -> None:
            """Nothing to do before."""

        print(f"{'':44} {'first':>8} {'best':>8} {'worst':>8}  ms")
        print(f"{'page and roots of the tree':44} {timed(page, nothing, look)}")
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        print(f"{'  first paint':44} {page.evaluate(paint):8.0f}")
        print(f"{'opening a node':44} {timed(page, nothing, open_node)}")
        print(f"{'finding a term, with the pause after a key':44} {timed(page, forget, find)}")
        forget(0)
        other = timed(page, lambda number: change(address, f"<{EX}a> <{EX}p> <{EX}b{number}>"), look)
        print(f"{'roots after a change elsewhere':44} {other}")
        own = timed(page, lambda number: change(address, f"<{EX}new{number}> <{SKOS}broader> <{EX}c1>"), look)
        print(f"{'roots after a change of the tree':44} {own}")
        browser.close()


if __name__ == "__main__":
    main()
