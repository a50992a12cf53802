"""Relative IRIs: the examples of RFC 3986, section 5.4, and bases without a hierarchy."""

from __future__ import annotations

import pytest

from kgreason.rdf.iri_resolution import is_absolute, resolved

BASE = "http://a/b/c/d;p?q"
EXAMPLES = """
g:h g:h
g http://a/b/c/g
./g http://a/b/c/g
g/ http://a/b/c/g/
/g http://a/g
//g http://g
?y http://a/b/c/d;p?y
g?y http://a/b/c/g?y
#s http://a/b/c/d;p?q#s
g#s http://a/b/c/g#s
g?y#s http://a/b/c/g?y#s
;x http://a/b/c/;x
g;x http://a/b/c/g;x
g;x?y#s http://a/b/c/g;x?y#s
. http://a/b/c/
./ http://a/b/c/
.. http://a/b/
../ http://a/b/
../g http://a/b/g
../.. http://a/
../../ http://a/
../../g http://a/g
../../../g http://a/g
../../../../g http://a/g
/./g http://a/g
/../g http://a/g
g. http://a/b/c/g.
.g http://a/b/c/.g
g.. http://a/b/c/g..
..g http://a/b/c/..g
./../g http://a/b/g
./g/. http://a/b/c/g/
g/./h http://a/b/c/g/h
g/../h http://a/b/c/h
g;x=1/./y http://a/b/c/g;x=1/y
g;x=1/../y http://a/b/c/y
g?y/./x http://a/b/c/g?y/./x
g?y/../x http://a/b/c/g?y/../x
g#s/./x http://a/b/c/g#s/./x
g#s/../x http://a/b/c/g#s/../x
"""


@pytest.mark.parametrize("example", EXAMPLES.strip().splitlines())
def test_examples_of_the_rfc(example: str) -> None:
    relative, expected = example.split(" ")

    assert resolved(relative, BASE) == expected


@pytest.mark.parametrize(
    ("relative", "base", "expected"),
    [
        ("", BASE, BASE),
        ("#", "http://e/x/", "http://e/x/#"),
        ("x", "http://e", "http://e/x"),
        ("a", "urn:b:", "urn:a"),
        ("#a", "urn:b:c", "urn:b:c#a"),
        ("http://e/a/../b", BASE, "http://e/a/../b"),
    ],
)
def test_other_bases(relative: str, base: str, expected: str) -> None:
    assert resolved(relative, base) == expected


def test_what_is_absolute() -> None:
    assert [is_absolute(iri) for iri in ("a:b", "http://e", "a/b:c", "#a:b", "")] == [True, True, False, False, False]
