"""Regular expressions of XPath."""

from __future__ import annotations

import pytest

from kgreason.errors import FunctionError
from kgreason.terms.patterns import compiled, replaced


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        ("^a$", "", "a", True), ("^a$", "", "a\n", False), ("^b$", "m", "a\nb\nc", True), ("^b$", "", "a\nb", False),
        ("a.b", "", "a\nb", False), ("a.b", "s", "a\nb", True), ("A", "i", "a", True), ("a b", "x", "ab", True),
        ("a#b", "x", "a#b", True), ("a.b", "q", "axb", False), ("a.b", "q", "a.b", True), (r"^\i\c*$", "", "x-1", True),
        (r"^\i\c*$", "", "1x", False), (r"^[\i-]+$", "", "a-b", True), (r"\p{Lu}", "", "aB", True),
        (r"\p{Lu}", "", "ab", False), (r"^\P{Lu}+$", "", "ab1", True), (r"^[\p{Ll}\d]+$", "", "a1", True),
        ("^[a-z-[aeiou]]+$", "", "xyz", True), ("^[a-z-[aeiou]]+$", "", "xyza", False), ("[[a]", "", "[", True),
        ("[^a]", "", "a", False), (r"[\]]", "", "]", True), (r"\bone\b", "", "no one", True), (r"\$", "", "$", True),
    ],
)  # fmt: skip
def test_what_matches(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert bool(compiled(pattern, flags).search(text)) == expected


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [("(", ""), ("a", "y"), ("[a", ""), (r"\p{Xx}", ""), (r"[\P{Lu}]", ""), ("a{99999999999}", "")],
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
def test_replacements(pattern: str, new: str, flags: str, expected: str) -> None:
    assert replaced("abcaBc", pattern, new, flags) == expected


@pytest.mark.parametrize(("pattern", "new"), [("x*", "y"), ("b", "$"), ("b", "\\n")])
def test_wrong_replacements(pattern: str, new: str) -> None:
    with pytest.raises(FunctionError):
        replaced("abc", pattern, new)
