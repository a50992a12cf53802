"""Blocks of triples as Turtle, whole columns of text at a time: what is as well TriG and N3.

Terms are made as for N-Triples and then shortened, each distinct one once: IRIs by prefixes, numbers and truth values
to what they say. A term that is not certain to be right in its short form stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from kgreason.arrow import pa, pc
from kgreason.columns import bitmaps
from kgreason.dictionary.arrow_columns import mask_column, row_column, text_scalar
from kgreason.errors import WriteError, quoted
from kgreason.rdf.prefixes import declarable
from kgreason.rdf.vocabulary import RDF_TYPE, XSD
from kgreason.relations.table import Ids
from kgreason.sparql.result_documents import LINES
from kgreason.sparql.term_texts import Terms, bytes_of, constant, joined, large
from kgreason.store.oxigraph_forms import Prefixes

_LOCAL: Final = "[A-Za-z_][A-Za-z0-9_-]*"
"""Names that need no escape after a prefix; Turtle has others, too."""
_SHORT: Final = {
    "integer": "[+-]?[0-9]+",
    "decimal": r"[+-]?[0-9]*\.[0-9]+",
    "double": r"[+-]?([0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+",
    "boolean": "true|false",
}
"""Literals of these datatypes that are written without quotes."""
_IRI: Final = r'^<([A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*>$|<\()'
"""An IRI with a scheme, or the beginning of a triple term."""


class TurtleBlocks:
    """Writes one block after the other, each prefix declared in the first that uses it."""

    def __init__(self, dictionary: Terms, prefixes: Prefixes) -> None:
        self._dictionary = dictionary
        self._prefixes = sorted(declarable(prefixes).items(), key=lambda each: (-len(each[1]), each[0]))
        self._declared: set[str] = set()

    def text(self, columns: Sequence[Ids]) -> bytes:
        """Triples, ordered by subject and then by predicate, which are at least one.

        Raises:
            WriteError: an IRI that is none in Turtle.
        """
        subjects, predicates, objects = columns
        distinct = bitmaps.distinct(np.concatenate(columns))
        used: set[str] = set()
        texts = self._terms(distinct, used)
        kinds = pc.if_else(pc.equal(texts, text_scalar(f"<{RDF_TYPE}>")), text_scalar("a"), texts)
        begins = np.ones(len(subjects), dtype=np.bool_)
        begins[1:] = subjects[1:] != subjects[:-1]
        goes_on = ~begins
        goes_on[1:] &= predicates[1:] == predicates[:-1]

        def taken(terms: pa.Array, column: Ids) -> pa.Array:
            return terms.take(row_column(np.searchsorted(distinct, column)))

        space, nothing = constant(" "), constant("")
        between = pc.if_else(mask_column(goes_on), constant(" , "), constant(" ;\n\t"))
        between = pc.if_else(mask_column(begins), constant(" .\n"), between)
        rows = joined([
            between,
            pc.if_else(mask_column(begins), joined([taken(texts, subjects), space]), nothing),
            pc.if_else(mask_column(goes_on), nothing, joined([taken(kinds, predicates), space])),
            taken(texts, objects),
        ])  # fmt: skip
        return b"".join(self._declarations(used)) + bytes_of(rows)[len(" .\n") :] + b" .\n"

    def _declarations(self, used: set[str]) -> Iterator[bytes]:
        spaces = dict(self._prefixes)
        for name in sorted(used - self._declared):
            self._declared.add(name)
            yield f"@prefix {name}: <{spaces[name]}> .\n".encode()

    def _terms(self, distinct: Ids, used: set[str]) -> pa.Array:
        """The texts of terms; the prefixes that they use are added to `used`."""

        def literal(suffix: str) -> tuple[str, str]:
            before, after = LINES.literal(suffix)
            kind = re.fullmatch('"\\^\\^<(.*)>', after)
            return before, after if kind is None else f'"^^{self._datatype(kind[1], used)}'

        texts = replace(LINES, literal=literal).texts(self._dictionary.key_column(distinct))
        wrong = pc.and_not(pc.starts_with(texts, "<"), pc.match_substring_regex(texts, _IRI))
        if pc.any(wrong).as_py():
            found = texts.filter(wrong)[0].as_py()
            raise WriteError(f"cannot be written as Turtle: {quoted(found[1:-1])} is not a valid IRI")
        for name, space in self._prefixes:
            texts = self._shortened(texts, name, space, used)
        for name, form in _SHORT.items():
            texts = _bare(texts, form, self._datatype(XSD + name, set()))
        return texts

    def _shortened(self, texts: pa.Array, name: str, space: str, used: set[str]) -> pa.Array:
        """With the IRIs of a namespace by its prefix."""
        is_its = pc.starts_with(texts, f"<{space}")
        if not pc.any(is_its).as_py():
            return texts
        is_its = pc.match_substring_regex(texts, f"^<{re.escape(space)}{_LOCAL}>$")
        if not pc.any(is_its).as_py():
            return texts
        used.add(name)
        locals_ = pc.utf8_slice_codeunits(texts.filter(is_its), len(space) + 1, -1)
        return pc.replace_with_mask(texts, is_its, joined([constant(f"{name}:"), large(locals_)]))

    def _datatype(self, iri: str, used: set[str]) -> str:
        """A datatype, by a prefix where there is one."""
        for name, space in self._prefixes:
            if iri.startswith(space) and re.fullmatch(_LOCAL, iri[len(space) :]):
                used.add(name)
                return f"{name}:{iri[len(space) :]}"
        return f"<{iri}>"


def _bare(texts: pa.Array, form: str, datatype: str) -> pa.Array:
    """With the literals of a datatype that have some form without quotes."""
    end = f'"^^{datatype}'
    is_its = pc.ends_with(texts, end)
    if not pc.any(is_its).as_py():
        return texts
    is_its = pc.match_substring_regex(texts, f'^"({form}){re.escape(end)}$')
    values = pc.utf8_slice_codeunits(texts.filter(is_its), 1, -len(end))
    return pc.replace_with_mask(texts, is_its, large(values))
