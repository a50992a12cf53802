"""Checks of labels, languages and documentation of SKOS vocabularies."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from kgreason.quality.check import ERROR, NOTE, WARNING, Check, Row
from kgreason.quality.concepts import concepts, in_scheme, schemes
from kgreason.quality.graph_columns import GraphColumns, Pairs
from kgreason.quality.vocabularies import ANNOTATIONS, DOCUMENTATION, LABELS, skos
from kgreason.rdf.vocabulary import RDFS

_TITLES: Final = (
    *LABELS,
    RDFS + "label",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
_TAG: Final = re.compile(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?"
    r"(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?"
    r"|x(?:-[a-z\d]{1,8})+",
    re.IGNORECASE,
)
"""A language tag by BCP 47 (RFC 5646, section 2.1); that a subtag is registered is not looked up."""


@dataclass(frozen=True, slots=True)
class _Label:
    concept: int
    literal: int
    text: str
    language: str
    """In lower case, "" without one."""


def _labels(graph: GraphColumns, *properties: str) -> list[_Label]:
    """The explicit labels by some properties."""
    return graph.once(("labels", properties), lambda: _read_labels(graph, graph.pairs(*properties, explicit=True)))


def _read_labels(graph: GraphColumns, found: Pairs) -> list[_Label]:
    distinct, places = np.unique(found.right, return_inverse=True)
    parts = [_parted(key) for key in graph.texts(distinct)]
    rows = zip(found.left.tolist(), found.right.tolist(), places.tolist(), strict=True)
    return [_Label(concept, literal, *parts[place]) for concept, literal, place in rows]


def _parted(key: str) -> tuple[str, str]:
    """The text of a key and its language; an IRI, where there should be a literal, has no text to look at."""
    if not key.startswith('"'):
        return key, ""
    text, _, rest = key[1:].rpartition('"')
    return text, rest[1:].lower() if rest.startswith("@") else ""


def _without_label(graph: GraphColumns) -> Iterator[Row]:
    labelled = graph.pairs(*skos("prefLabel")).left
    yield from ((concept, "concept") for concept in np.setdiff1d(concepts(graph), labelled).tolist())
    labelled = graph.pairs(*_TITLES).left
    yield from ((scheme, "concept scheme") for scheme in np.setdiff1d(schemes(graph), labelled).tolist())


def _empty(graph: GraphColumns) -> Iterator[Row]:
    for name in _TITLES:
        yield from (
            (label.concept, _local(name), label.literal) for label in _labels(graph, name) if not label.text.strip()
        )


def _unprintable(graph: GraphColumns) -> Iterator[Row]:
    for name in LABELS:
        for label in _labels(graph, name):
            codes = {f"U+{ord(c):04X}" for c in label.text if not c.isprintable() and unicodedata.category(c) != "Zs"}
            if codes:
                yield label.concept, _local(name), label.literal, " ".join(sorted(codes))


def _surrounded(graph: GraphColumns) -> Iterator[Row]:
    for name in LABELS:
        yield from (
            (label.concept, _local(name), label.literal)
            for label in _labels(graph, name)
            if label.text.strip() and label.text != label.text.strip()
        )


def _untagged(graph: GraphColumns) -> Iterator[Row]:
    for name in (*LABELS, *DOCUMENTATION):
        found = graph.pairs(name, explicit=True)
        found = found.where(graph.is_literal(found.right) & np.isin(found.left, concepts(graph)))
        for label in _read_labels(graph, found):
            if not label.language:
                yield label.concept, _local(name), label.literal, "none"
            elif not _TAG.fullmatch(label.language):
                yield label.concept, _local(name), label.literal, "invalid"


def _several_preferred(graph: GraphColumns) -> Iterator[Row]:
    found = defaultdict(list)
    for label in _labels(graph, *skos("prefLabel")):
        found[label.concept, label.language].append(label.literal)
    yield from ((concept, tuple(literals)) for (concept, _), literals in found.items() if len(literals) > 1)


def _not_disjoint(graph: GraphColumns) -> Iterator[Row]:
    kinds = ("prefLabel", "altLabel", "hiddenLabel")
    for number, one in enumerate(kinds):
        first = graph.pairs(*skos(one))
        for other in kinds[number + 1 :]:
            shared = first.where(first.within(graph.pairs(*skos(other))))
            yield from ((concept, literal, f"{one} and {other}") for concept, literal in shared.rows())


def _overlapping(graph: GraphColumns) -> Iterator[Row]:
    """Concepts of one scheme, or without any, with one preferred label, or one's preferred that is another's other."""
    scheme_of = defaultdict(set)
    for concept, scheme in in_scheme(graph).rows():
        scheme_of[concept].add(scheme)
    wanted = set(concepts(graph).tolist())
    known: defaultdict[tuple[str, str], tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    literal_of: dict[tuple[str, str], int] = {}
    for number, kind in enumerate(LABELS[:2]):
        for label in _labels(graph, kind):
            if label.concept in wanted and label.text.strip():
                same = label.text.casefold().strip(), label.language
                known[same][number].add(label.concept)
                literal_of.setdefault(same, label.literal)
    for same, (preferred, others) in known.items():
        rest = others - preferred
        for group in _in_one_scheme(preferred, scheme_of):
            if len(group) > 1:
                yield literal_of[same], "preferred of all", tuple(sorted(group))
        if preferred and rest:
            for group in _in_one_scheme(preferred | rest, scheme_of):
                if group & preferred and group & rest:
                    yield literal_of[same], "preferred of one, alternative of another", tuple(sorted(group))


def _in_one_scheme(found: set[int], scheme_of: dict[int, set[int]]) -> list[set[int]]:
    """The concepts scheme by scheme, those without one together; each group once."""
    groups = defaultdict(set)
    for concept in found:
        for scheme in scheme_of.get(concept, {-1}):
            groups[scheme].add(concept)
    return [set(group) for group in {frozenset(group) for group in groups.values()}]


def _notations(graph: GraphColumns) -> Iterator[Row]:
    notations = graph.pairs(*skos("notation"), explicit=True)
    notation, concept, scheme = notations.inverse.joined(in_scheme(graph))
    found = defaultdict(list)
    for key in zip(notation.tolist(), scheme.tolist(), concept.tolist(), strict=True):
        found[key[:2]].append(key[2])
    for (literal, owner), members in found.items():
        if len(members) > 1:
            yield literal, owner, tuple(members)


def _languages(graph: GraphColumns) -> dict[int, set[str]]:
    """The languages of the preferred labels of each concept."""
    found: dict[int, set[str]] = {concept: set() for concept in concepts(graph).tolist()}
    for label in _labels(graph, *skos("prefLabel")):
        if label.concept in found and label.language:
            found[label.concept].add(label.language)
    return found


def _by_scheme(graph: GraphColumns) -> Iterator[tuple[int | None, dict[int, set[str]]]]:
    """The languages of the concepts of each scheme, and of those without one."""
    known = _languages(graph)
    members: defaultdict[int | None, list[int]] = defaultdict(list)
    places = in_scheme(graph)
    for concept, owner in places.rows():
        members[owner].append(concept)
    members[None] = np.setdiff1d(concepts(graph), places.left).tolist()
    for scheme, found in members.items():
        yield scheme, {concept: known[concept] for concept in found if concept in known}


def _incomplete_languages(graph: GraphColumns) -> Iterator[Row]:
    missing: defaultdict[int, set[str]] = defaultdict(set)
    for _, known in _by_scheme(graph):
        languages = set[str]().union(*known.values())
        for concept, own in known.items():
            if own and own != languages:
                missing[concept] |= languages - own
    yield from ((concept, " ".join(sorted(languages))) for concept, languages in missing.items())


def _no_common_language(graph: GraphColumns) -> Iterator[Row]:
    for scheme, known in _by_scheme(graph):
        languages = set[str]().union(*known.values())
        if len(languages) > 1 and not languages.intersection(*known.values()):
            counts = Counter(language for own in known.values() for language in own)
            for language, count in counts.most_common():
                yield "none" if scheme is None else scheme, language, f"{count:,} of {len(known):,}"


def _undocumented(graph: GraphColumns) -> Iterator[Row]:
    yield from zip(np.setdiff1d(concepts(graph), graph.pairs(*ANNOTATIONS).left).tolist())


def _local(iri: str) -> str:
    return re.split(r"[#/]", iri)[-1]


LABEL_CHECKS: Final = (
    Check(
        "missing-label",
        WARNING,
        "A concept has no preferred label, or a concept scheme no label or title.",
        ("resource", "kind"),
        _without_label,
    ),
    Check("empty-label", WARNING, "A label has no text.", ("resource", "property", "label"), _empty),
    Check(
        "several-preferred-labels",
        ERROR,
        "A concept has several preferred labels in one language (SKOS S14).",
        ("concept", "labels"),
        _several_preferred,
    ),
    Check(
        "labels-not-disjoint",
        ERROR,
        "A label of a concept is preferred, alternative or hidden at the same time (SKOS S13).",
        ("concept", "label", "used as"),
        _not_disjoint,
    ),
    Check(
        "overlapping-labels",
        WARNING,
        "Concepts of one scheme have the same label, but for upper and lower case.",
        ("label", "use", "concepts"),
        _overlapping,
    ),
    Check(
        "ambiguous-notation",
        WARNING,
        "Concepts of one scheme have the same notation.",
        ("notation", "scheme", "concepts"),
        _notations,
    ),
    Check(
        "unprintable-characters",
        WARNING,
        "A label has characters that cannot be printed.",
        ("concept", "property", "label", "characters"),
        _unprintable,
    ),
    Check(
        "surrounding-whitespace",
        WARNING,
        "A label begins or ends with white space.",
        ("concept", "property", "label"),
        _surrounded,
    ),
    Check(
        "language-tag",
        NOTE,
        "A label or note of a concept has no language tag, or one that is none by BCP 47.",
        ("concept", "property", "literal", "tag"),
        _untagged,
    ),
    Check(
        "incomplete-language-coverage",
        NOTE,
        "A concept lacks a preferred label in a language that others of its scheme have.",
        ("concept", "missing"),
        _incomplete_languages,
    ),
    Check(
        "no-common-language",
        NOTE,
        "In none of the languages of a scheme have all of its concepts a preferred label.",
        ("scheme", "language", "concepts"),
        _no_common_language,
    ),
    Check(
        "undocumented-concept",
        NOTE,
        "A concept has no definition, note, example or description.",
        ("concept",),
        _undocumented,
    ),
)
