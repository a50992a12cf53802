"""Helpers of `test_dictionary` and `test_ordered_keys`."""

from __future__ import annotations

from hypothesis import strategies as st

from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


IRIS = st.sampled_from(["http://example.org/a", "urn:x", "urn:michel", "http://example.org/ü#\u00e9"])


TERMS: st.SearchStrategy[Term] = st.one_of(
    st.builds(IRI, IRIS),
    st.builds(BlankNode, st.from_regex(r"[A-Za-z0-9]{1,6}", fullmatch=True)),
    st.builds(Literal, TEXT),
    st.builds(Literal, TEXT, IRIS),
    st.builds(Literal, TEXT, st.none(), st.sampled_from(["en", "de-AT"])),
)


KEYS = st.lists(TERMS, max_size=12).map(lambda terms: [key_of(term) for term in terms])


TAGGED = st.sampled_from(['"a"@en-GB', '"a"@EN-gb', '"a"@en', '"A\nB"@DE', '"x@Y"', '"a"^^urn:T@X', "urn:A@B"])
