"""Regular expressions of XPath."""

from __future__ import annotations

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import FunctionError, QueryLimitError
from kgreason.rdf.regular_expressions import compiled, replaced


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        ("^a$", "", "a", True), ("^a$", "", "a\n", False), ("^b$", "m", "a\nb\nc", True), ("^b$", "", "a\nb", False),
        ("a.b", "", "a\nb", False), ("a.b", "s", "a\nb", True), ("A", "i", "a", True), ("a b", "x", "ab", True),
        ("a#b", "x", "a#b", True), ("a.b", "q", "axb", False), ("a.b", "q", "a.b", True), (r"^\i\c*$", "", "x-1", True),
        (r"^\i\c*$", "", "1x", False), (r"^[\i-]+$", "", "a-b", True), (r"\p{Lu}", "", "aB", True),
        (r"\p{Lu}", "", "ab", False), (r"^\P{Lu}+$", "", "ab1", True), (r"^[\p{Ll}\d]+$", "", "a1", True),
        ("^[a-z-[aeiou]]+$", "", "xyz", True), ("^[a-z-[aeiou]]+$", "", "xyza", False), ("[[a]", "", "[", True),
        ("[^a]", "", "a", False), (r"[\]]", "", "]", True), (r"[\P{Lu}]", "", "A", False), (r"[\P{Lu}]", "", "a", True),
        ("a{1001}", "", "a" * 1001, True), ("a{99999999999}", "", "a", False), (r"(a)\1", "", "baab", True),
        (r"[\w-[\d_]]", "", "5_", False), (r"[\w-[\d]]", "", "5x", True), ("[^a-[b]]", "", "ab", False),
        ("[^a-[b]]", "", "c", True), ("[a-z-[m-p-[n]]]", "", "n", True), ("[a-z-[m-p-[n]]]", "", "o", False),
        ("[a-a-[a]]", "", "a", False), (r"[+--]", "", ",", True), (r"[a\-z]", "", "m", False), ("[a-]", "", "-", True),
        (r"^\w$", "", "_", False), (r"^\w$", "", "中", True), (r"\W", "", "_", True), (r"\d", "", "\u0663", True),
        (r"\D", "", "\u0663", False), (r"\S", "", "\u00a0", True), (r"\p{Cn}", "", "\u0378", True),
        (r"\P{C}", "", "\u0378", False), ("É", "qi", "é", True), (" #\n\t-&~", "q", "a #\n\t-&~b", True),
        (r"[\i-[:]]", "", ":", False), (r"\bone\b", "", "no one", True), (r"\$", "", "$", True),
    ],
)  # fmt: skip
def test_what_matches(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert bool(compiled(pattern, flags).search(text)) == expected


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [("(", ""), ("a", "y"), ("[a", ""), (r"\p{Xx}", ""), ("[b-a]", ""), (r"[\x]", ""), ("a**", ""), ("\ud800", "")],
)
def test_wrong_patterns(pattern: str, flags: str) -> None:
    with pytest.raises(FunctionError):
        compiled(pattern, flags)


@pytest.mark.parametrize(
    ("pattern", "new", "flags", "expected"),
    [
        ("b", "x", "", "axcaBc"), ("B", "x", "i", "axcaxc"), ("(b)(c)", "$2$1", "", "acbaBc"),
        ("b", "[$0]", "", "a[b]caBc"),
        ("b", r"\$\\", "", "a$\\caBc"), ("(b)|(z)", "<$1$2>", "", "a<b>caBc"), ("(b)", "$12", "", "ab2caBc"),
        ("b", "$1", "q", "a$1caBc"),
    ],
)  # fmt: skip
def test_replacement_by_a_pattern_gives_the_expected_text(pattern: str, new: str, flags: str, expected: str) -> None:
    assert replaced("abcaBc", pattern, new, flags) == expected


@pytest.mark.parametrize(("pattern", "new"), [("x*", "y"), ("b", "$"), ("b", "\\n")])
def test_wrong_replacements(pattern: str, new: str) -> None:
    with pytest.raises(FunctionError):
        replaced("abc", pattern, new)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 40 + "b"), ("^(a|aa)+$", "a" * 60 + "b"), ("(.*a){20}", "a" * 19 + "b" * 50),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60), ("(x+x+)+y", "x" * 60),
    ],
)  # fmt: skip
def test_patterns_without_back_references_are_linear(pattern: str, text: str) -> None:
    assert not compiled(pattern).search(text)


def test_pattern_that_backtracks_too_long_is_stopped() -> None:
    with pytest.raises(QueryLimitError, match="took longer"):
        compiled(r"^(a|aa)+\1?$").search("a" * 60 + "b")


def test_replacement_beyond_measure_is_refused() -> None:
    with pytest.raises(QueryLimitError, match="characters"):
        replaced("a" * 1_000_000, "a", "b" * 1000)


PATTERNS = st.text(alphabet="ab[]()^-\\wdp{}LuiC.*+?$|1", max_size=12)


@given(st.text(max_size=5), PATTERNS, st.sampled_from(["", "i", "x", "sm"]))
def test_any_pattern_matches_or_is_wrong(text: str, pattern: str, flags: str) -> None:
    with suppress(FunctionError, QueryLimitError):
        compiled(pattern, flags).search(text)


@given(st.characters(), st.sampled_from(["L", "Lu", "M", "N", "Nd", "P", "Pd", "Z", "S", "Cc"]))
def test_categories_are_those_of_unicode(character: str, name: str) -> None:
    category = unicodedata.category(character)
    if category in ("Cs", "Cn"):
        return  # what is assigned depends on the version of Unicode

    assert compiled(rf"^\p{{{name}}}$", "s").search(character) == category.startswith(name)
    assert compiled(rf"^[\p{{{name}}}-[a]]$", "s").search(character) == (category.startswith(name) and character != "a")


def test_groups_are_told_apart_only_for_a_replacement_that_has_them() -> None:
    pattern = "".join(f"({letter})?" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert compiled(pattern).groups == 0
    assert replaced("z", f"^{pattern}1", "$26$1-") == "z"
    assert replaced("az1", f"^{pattern}1", "$26$2$1-") == "za-"
    assert replaced("az1", f"^{pattern}1", "-") == "-"
