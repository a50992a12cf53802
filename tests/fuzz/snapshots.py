"""Snapshots whose checksum is right and whose bytes are not: one LoadError, or a knowledge base.

Which one, nobody can say: whoever makes the checksum right may write what he likes. But nothing is run, nothing
crashes, and no memory is taken that is not in the file.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from kgreason.durable.frozen import freeze, read_head, thaw
from kgreason.errors import LoadError
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.keeping import names
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import IRI, Literal
from kgreason.terms.vocabulary import OWL, RDF, RDFS
from tests.facade import add, ex, triples
from tests.fuzz.target import Target, expect_one_line

_TYPE = IRI(RDF + "type")
_RULES = """@prefix ex: <http://example.org/> .
ex:reach(?x, ?y) :- ex:p(?x, ?y) .
ex:reach(?x, ?z) :- ex:reach(?x, ?y), ex:reach(?y, ?z) .
ex:same(?y, ?x) :- ex:same(?x, ?y) .
ex:same(?x, ?z) :- ex:same(?x, ?y), ex:same(?y, ?z) .
ex:C(?x) :- ex:p(?x, ?y), ~ex:D(?x) .
wide(?x, ?y, ?z) :- ex:p(?x, ?y), ex:p(?y, ?z), ?x != ?z .
"""


@cache
def _filled(rules: str) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    add(base, (ex("p"), _TYPE, IRI(OWL + "TransitiveProperty")), (ex("C"), IRI(RDFS + "subClassOf"), ex("D")))
    for number in range(12):
        node, other = ex(f"n{number}"), ex(f"n{number * 7 % 12}")
        add(base, (node, ex("p"), ex(f"n{number + 1}")), (node, ex("same"), other), (node, _TYPE, ex("C")))
        add(base, (node, ex("label"), Literal(f"text {number}", None, "en")), graph=base.dictionary.encode(ex("g")))
    return base


def _frozen(rules: str, inside: int) -> bytes:
    """A snapshot of a small knowledge base; buffers of so many bytes are outside the stream."""
    from kgreason.durable import frozen

    before, frozen.INSIDE = frozen.INSIDE, inside
    try:
        return b"".join(map(bytes, freeze(_filled(rules).state(), {"settings": {}})))
    finally:
        frozen.INSIDE = before


def check(data: bytes) -> None:
    """All of a file."""
    try:
        read_head(memoryview(data))
        state = thaw(memoryview(data), names())
    except LoadError as error:
        expect_one_line(error)
        return
    # What follows may be nonsense, of which `DurableKnowledge` makes a warning; it must not bring Python down.
    with suppress(Exception):
        base = KnowledgeBase("none", dictionary=Dictionary.of_state(state.dictionary))
        base.go_on_from(state)
        triples(base, base.all())
        add(base, (ex("n1"), ex("p"), ex("n0")), (ex("fresh"), _TYPE, ex("C")))
        base.all().count()


TARGET = Target(
    "snapshots",
    [_frozen(rules, inside) for rules in ("rdfs", _RULES) for inside in (0, 2048)],
    [
        *(b"cnumpy\nndarray\n", b"cos\nsystem\n", b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", b"J\xff\xff\xff\x7f"),
        *(b"\x8c\x03<u4", b"\x8c\x03<u8", b"\x8c\x02|O", b"\xff" * 8, b"h\0", b"K\x01", b"r\xff\xff\xff\xff"),
        *(bytes([each]) for each in b"Rb0.(t}]N\x81\x88\x85\x86\x87\x93\x94\x96\x97\x98"),
    ],
    check,
)
