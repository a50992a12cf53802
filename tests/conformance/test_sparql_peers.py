"""What the parser accepts and refuses, beside Oxigraph's: the texts of W3C's suites, and the same with words exchanged.

Would catch a rule of the grammar that is too wide or too narrow where no case of a suite looks.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pyoxigraph
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import QueryError
from kgreason.sparql.syntax.queries import parse_query
from kgreason.sparql.syntax.tokens import tokens_of
from kgreason.sparql.syntax.updates import parse_update
from tests.conformance.sparql_suite import cases
from tests.profiles import examples
from tests.sparql.extensions import Extensions

BASE = "http://example.org/"
LONG = 150
DIFFERENCES = (
    # The definition of SPARQL is on our side:
    re.compile(r"<[^<>\s]*&&[^<>\s]*>"),  # an IRI, as syn-bad-26 says
    re.compile(r"[+-] [.\d]"),  # a sign with space behind it is no part of a numeral
    re.compile(r"(?i)\bSELECT\b[^{]*([?$]\w+)\b[^{]*\1\b"),  # nothing forbids to select a variable twice
    re.compile(r"(?i)\btrue\b|\bfalse\b"),  # in any case
    re.compile(r"GROUP BY [(\s]*\?\w+[)\s]* AS", re.IGNORECASE),  # a variable by another name
    re.compile(r"GROUP BY.*\b(?:COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"^(?:\s*(?:PREFIX|BASE)[^>]*>)*\s*;", re.IGNORECASE),  # an update without an operation before ;
)
OURS = (
    "ENCODE_FOR_URI",  # what stands where it does not accept CONCAT and COALESCE with space before the bracket
    "is in scope already",  # also a key of a group
    "not allowed in DELETE DATA",  # a literal as a subject is grammatical, and in no triple
)


@cache
def texts() -> list[tuple[bool, list[str]]]:
    """For each short text whether it is an update, and its tokens."""
    found = []
    for case in (*cases("sparql10"), *cases("sparql11")):
        text = case.text.read_bytes().decode()
        if re.search(r"(?i)\\u|\b(?:LOAD|SERVICE)\b", text):  # these reach for the web
            continue
        tokens = tokens_of(text)
        if 1 < len(tokens.kinds) < LONG:
            words = [word for word, kind in zip(tokens.texts, tokens.kinds, strict=True) if kind not in ("end", "bad")]
            found.append(("Update" in case.kind, words))
    return found


@cache
def alike() -> dict[str, list[str]]:
    """All tokens of a kind, marks and words each being one."""
    found: dict[str, list[str]] = {}
    for _, words in texts():
        for word in words:
            found.setdefault(kind_of(word), []).append(word)
    return found


def kind_of(word: str) -> str:
    kind = tokens_of(word).kinds[0]
    return kind if kind.islower() else "word" if kind.isalpha() else "mark"


def changed(words: list[str], chance: Random) -> list[str]:
    """The same with a few words taken away, put in, exchanged, or replaced by one of their kind."""
    found = list(words)
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(len(found))
        match chance.choice(("remove", "repeat", "exchange", "replace", "replace", "replace")):
            case "remove" if len(found) > 1:
                del found[at]
            case "repeat":
                found.insert(at, chance.choice(found))
            case "exchange":
                other = chance.randrange(len(found))
                found[at], found[other] = found[other], found[at]
            case _:
                found[at] = chance.choice(alike()[kind_of(found[at])])
    return found


@settings(max_examples=examples(1500))
@given(seed=st.integers(0, 1 << 32))
def test_texts_are_accepted_as_oxigraph_accepts_them(seed: int) -> None:
    chance = Random(seed)
    is_update, words = chance.choice(texts())
    text = " ".join(changed(words, chance))
    if any(difference.search(text) for difference in DIFFERENCES):
        return
    ours, theirs = refusal(text, is_update), peer_refusal(text, is_update)
    if any(reason in f"{ours} {theirs}" for reason in OURS):
        return
    assert (ours is None) == (theirs is None), f"{text}\nhere: {ours}\nOxigraph: {theirs}"


def refusal(text: str, is_update: bool) -> str | None:
    try:
        (parse_update if is_update else parse_query)(text, BASE, {}, Extensions())
    except QueryError as error:
        return str(error)
    return None


def peer_refusal(text: str, is_update: bool) -> str | None:
    store = pyoxigraph.Store()
    try:
        (store.update if is_update else store.query)(text, base_iri=BASE)
    except SyntaxError as error:
        return str(error)
    except (OSError, RuntimeError, ValueError):  # it was read, and cannot be evaluated
        return None
    return None
