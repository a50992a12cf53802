"""Would catch a view that does not show what the store says, data that is read as HTML, or a page that few can use."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

import kgreason_server.workbench
from tests.workbench.trees import TOKEN, served, tree_store

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(kgreason_server.workbench.__file__).parent / "page" / "node_modules" / "axe-core" / "axe.min.js"
EX = "http://example.org/"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1200, "height": 800}},
    "dark, narrow": {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}},
}
VIEWS = ["query", "browse?kind=concepts", "check", "whatif", "live", f"resource?term={quote(f'<{EX}felix>')}"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(tree_store()) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def look() -> str:
    return "dark, narrow"


@pytest.fixture
def page(browser: playwright.Browser, look: str, address: str) -> Iterator[playwright.Page]:
    """A page on which every error is one of the test, and which reaches no other host."""
    errors: list[str] = []
    context = browser.new_context(locale="en-GB", **LOOKS[look])
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if _is_of_page(line) else None)
    page.on("request", lambda asked: None if asked.url.startswith((address, "data:")) else errors.append(asked.url))
    yield page
    context.close()
    assert errors == []


def test_query_is_answered_by_keys_alone_with_a_chart(page: playwright.Page, address: str) -> None:
    page.goto(address)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Chart of members").wait_for()
    assert page.get_by_role("region", name="Rows").get_by_role("link", name="ex:Cat").count() == 1
    assert page.locator(".bars tr").count() > 2


def test_names_of_the_store_are_completed(page: playwright.Page, address: str) -> None:
    page.goto(address)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nex:abo")
    page.locator(".cm-tooltip-autocomplete").get_by_text("ex:above").wait_for()


def test_query_with_an_error_says_where(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/query?query={quote('SELECT ?x {')}")
    page.get_by_role("button", name="Run").click()
    assert "line 1" in page.get_by_role("alert").inner_text()


def test_tree_opens_by_keys_and_leads_to_a_resource(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/browse?kind=concepts")
    first = page.get_by_role("treeitem").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("treeitem", name="concept 000003").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="concept 000003").wait_for()


def test_proof_unfolds_with_the_text_of_its_rule(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/resource?term={quote(f'<{EX}felix>')}")
    kit = page.locator("li.is-inferred", has_text="ex:kit")
    kit.get_by_role("button", name="why?").click()
    kit.get_by_text("prp-trp").wait_for()
    assert "owl:TransitiveProperty" in kit.locator(".rule-text").first.inner_text()
    assert kit.get_by_text("asserted", exact=True).count() == 3


def test_contradiction_shows_what_mends_it(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/check")
    page.get_by_role("button", name="Which removals mend it?").first.click()
    repairs = page.locator("article li", has_text="would go")
    repairs.first.wait_for()
    assert "ex:ada a ex:Cat" in "\n".join(repairs.all_inner_texts())
    page.get_by_role("link", name="what else?").first.click()
    page.get_by_role("heading", name="What if").wait_for()


def test_what_if_shows_consequences_and_changes_nothing(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/whatif")
    page.get_by_label("Add, in Turtle").fill("ex:kit ex:above ex:new . ex:new a ex:Adult, ex:Cat .")
    page.get_by_role("button", name="What would it do?").click()
    page.get_by_role("heading", name="Contradictions that would come").wait_for()
    assert page.locator(".plus li", has_text="ex:felix ex:above ex:new").count() == 1
    page.goto(f"{address}#/resource?term={quote(f'<{EX}new>')}")
    page.get_by_text("Nothing is known of it.").wait_for()


def test_change_is_seen_live_in_another_window(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/live")
    page.get_by_text("Listening").wait_for()
    for verb in ("INSERT", "DELETE"):
        body = f"{verb} DATA {{ <{EX}tom> <{EX}above> <{EX}live> }}".encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/sparql-update"}
        urlopen(Request(f"{address}update", body, headers)).close()
    page.locator(".plus li", has_text="ex:felix ex:above ex:live").first.wait_for()
    page.locator(".minus li", has_text="ex:tom ex:above ex:live").first.wait_for()


def test_change_is_made_with_a_token(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/whatif")
    page.get_by_role("button", name="Token").click()
    page.get_by_label("Token", exact=True).fill(TOKEN)
    page.get_by_role("button", name="Use").click()
    page.get_by_label("Add, in Turtle").fill("ex:made ex:by ex:page .")
    page.get_by_role("button", name="What would it do?").click()
    page.get_by_role("button", name="Make the change").click()
    page.get_by_text("The change was made.").wait_for()
    page.goto(f"{address}#/resource?term={quote(f'<{EX}made>')}")
    page.get_by_role("link", name="ex:by").wait_for()


def test_term_is_found_by_keys(page: playwright.Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Find a term by its label").fill("katz")
    page.locator("#match-0").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="cat").wait_for()


def test_label_that_looks_like_html_is_text(page: playwright.Page, address: str) -> None:
    page.goto(f"{address}#/resource?term={quote(f'<{EX}odd>')}")
    page.get_by_role("heading", name="<img src=x").wait_for()
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("view", VIEWS)
def test_view_fits_its_window_and_axe_finds_no_problem(page: playwright.Page, address: str, view: str) -> None:
    page.goto(f"{address}#/{view}")
    page.wait_for_load_state("networkidle" if view != "live" else "load")
    for name in ("Run", "why?"):
        for button in page.get_by_role("button", name=name).all()[:1]:
            button.click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if not AXE.is_file():
        pytest.skip("`npm ci` was not run in the folder of the page: there is no axe-core")
    page.evaluate(AXE.read_text())
    violations = "axe.run(document).then(({violations}) => violations.map(({id, nodes}) => [id, nodes[0].html]))"
    found = page.evaluate(violations)
    assert found == []


def _is_of_page(line: playwright.ConsoleMessage) -> bool:
    """Whether a line on the console is an error of the page; an answer that is an error is none."""
    return line.type == "error" and not line.text.startswith("Failed to load resource")
