"""OWL's syntaxes and OBO: one LoadError, and the dictionary as it was; or triples that are RDF."""

from __future__ import annotations

from tests.fuzz.target import Target, read_or_refused
from tests.io.owl import examples, test_manchester_syntax, test_obo_format, test_owl_xml


def check(data: bytes) -> None:
    """As each of them."""
    for format in ("ofn", "omn", "owx", "obo"):
        found = read_or_refused(data, format)
        if found is None:
            continue
        dictionary, quads = found
        for column in (quads.subject, quads.predicate, quads.object):
            text = " .\n".join(str(dictionary.decode(term)) for term in column.tolist())
            assert "\x00" not in text or b"\x00" in data


NEWLINE = "\n"
TARGET = Target(
    "owl",
    [
        f"{examples.PREFIXES}Ontology(<http://e/o>\n{NEWLINE.join(examples.AXIOMS)}\n)".encode(),
        f"{test_owl_xml.BEGIN}{''.join(test_owl_xml.AXIOMS)}{test_owl_xml.END}".encode(),
        (test_manchester_syntax.BEGIN + "\n".join(test_manchester_syntax.FRAMES)).encode(),
        "\n".join([test_obo_format.HEADER, test_obo_format.TERM, *test_obo_format.CLAUSES]).encode(),
    ],
    [
        *b"( ) < > { } [ ] , : _: \" ^^ @en # ! \\ = and or not some &lt; <Class/> Prefix( \xff \xed\xa0\x80".split(),
        b"\n",
    ],
    check,
)
