"""Rows of XML: the nodes that an XPath selects in each document, and values that XPaths select from them.

A path of plain steps (``/a/b/*``) is followed while the document is read, so that memory does not grow with it, unless
a reference leads out of its node; with any other iterator the document is held. Entities that a document declares are
replaced within libxml2's limits; nothing outside of it is loaded.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isinf, isnan
from typing import Any, Final

import numpy as np
import pyarrow as pa

from kgreason.errors import MappingError, OptionError, one_line
from kgreason_mapping.arrow.columns import Rows, ValueColumn
from kgreason_mapping.arrow.csv_batches import as_json
from kgreason_mapping.arrow.local_files import blocks
from kgreason_mapping.arrow.row_batches import Fault
from kgreason_mapping.quarantine_reasons import MALFORMED_XML

_BLOCK: Final = 1 << 16
_NODES: Final = 5_000
"""Elements of a piece."""
_SHOWN: Final = 10_000
_STEPS: Final = re.compile(r"(?:/(?:[^\W\d][\w.\-]*:)?(?:[^\W\d][\w.\-]*|\*))+")
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_ABSOLUTE: Final = r"(?<![\w.)\]*/])/|(?<=[^/:@(\[,|])\*/"
"""A slash behind no step of a path; a star behind an operand is one for times."""
_LEADS_OUT: Final = re.compile(r"\.\.|\b(?:ancestor|parent|preceding|following)[\w-]*\s*::|\bid\s*\(|" + _ABSOLUTE)
_SIMPLE: Final = re.compile(r"@([^\W\d][\w.\-]*)|([^\W\d][\w.\-]*)")
_SAFE: Final = {"resolve_entities": "internal", "no_network": True, "load_dtd": False, "huge_tree": False}


@dataclass(frozen=True, slots=True)
class XmlPiece:
    """Nodes, or the reason why there are no more of them in a document."""

    nodes: Sequence[Any]
    faults: Sequence[Fault] = ()


@dataclass(frozen=True, slots=True)
class XmlRows:
    """Nodes of documents."""

    reader: XmlReader
    nodes: Sequence[Any]
    faults: Sequence[Fault]

    @property
    def length(self) -> int:
        return len(self.nodes)

    def values(self, reference: str) -> ValueColumn:
        """The texts of the nodes that a path selects, or the one value that an expression has."""
        found = list(map(self.reader.texts(reference), self.nodes))
        rows = np.repeat(np.arange(len(found)), [len(one) for one in found])
        texts = pa.array([text for one in found for text in one], pa.string())
        single = len(texts) == self.length and bool((rows == np.arange(self.length)).all())
        return ValueColumn(texts, None if single else rows).without(self.reader.nulls)

    def records(self, iterator: str) -> tuple[Rows, XmlRows]:
        """The nodes that a path selects, and the node that each is in."""
        select = self.reader.selecting(iterator)
        found = list(map(select, self.nodes))
        rows = np.repeat(np.arange(len(found)), [len(one) for one in found])
        return rows, XmlRows(self.reader, [node for one in found for node in one], ())

    def row_json(self, row: int) -> str:
        """The node as text in an object."""
        node = self.nodes[row]
        text = node if isinstance(node, str) else self.reader.etree.tostring(node, encoding="unicode", with_tail=False)
        return as_json({"text": text[:_SHOWN]})


class XmlReader:
    """The nodes that an iterator selects in each file."""

    def __init__(
        self,
        files: Sequence[str],
        name: str,
        nulls: frozenset[str],
        iterator: str,
        namespaces: Mapping[str, str],
        references: Collection[str],
    ) -> None:
        self.name, self.nulls = name, nulls
        self.etree = _lxml()
        self._files, self._iterator, self._namespaces = files, iterator, dict(namespaces)
        self._streams = bool(_STEPS.fullmatch(iterator)) and not any(map(_leads_out, references))
        self.path(iterator)

    def check(self, reference: str) -> None:
        """Raise MappingError for a text that is not an XPath."""
        self.path(reference)

    def nested(self, iterator: str) -> XmlReader:
        """The nodes that a path selects."""
        self.path(iterator)
        return self

    def texts(self, text: str) -> Callable[[Any], list[str]]:
        """What gives the texts that an XPath selects from a node; attributes and children are looked up without it."""
        compiled = self.path(text)
        simple = _SIMPLE.fullmatch(text)
        if simple is None:
            return lambda node: _texts(compiled(self._element_of(node, text)))
        attribute, child = simple.groups()

        def found(node: Any) -> list[str]:
            if attribute is not None:
                value = node.get(attribute)
                return [] if value is None else [value]
            return [(one.text or "") if not len(one) else "".join(one.itertext()) for one in node.iterchildren(child)]

        # An iterator may select attributes, which have neither.
        return lambda node: [] if isinstance(node, str) else found(node)

    def selecting(self, iterator: str) -> Callable[[Any], list[Any]]:
        """What gives the nodes that an XPath selects from one: elements, and the texts of all other nodes; MappingError
        where it has one value."""
        compiled = self.path(iterator)

        def found(node: Any) -> list[Any]:
            nodes = compiled(self._element_of(node, iterator))
            if not isinstance(nodes, list):
                raise MappingError(f"the iterator {iterator!r} has a value (expected a path that selects nodes)")
            return [node if _is_element(node) else _text(node) for node in nodes]

        return found

    def _element_of(self, node: Any, path: str) -> Any:
        """A node to evaluate a path on: for a text an element with nothing else, which no path may lead out of."""
        if not isinstance(node, str):
            return node
        if _leads_out(path):
            raise MappingError(f"{path!r} leads out of a node that is no element, which is read as its text alone")
        element = self.etree.Element("none")
        element.text = node
        return element

    def path(self, text: str) -> Any:
        """An XPath, compiled; MappingError for a text that is none, or names what is unknown."""
        try:
            compiled = self.etree.XPath(text, namespaces=self._namespaces, regexp=False, smart_strings=False)
            # Prefixes and functions are looked up when it is evaluated.
            compiled(self.etree.Element("none"))
            return compiled
        except self.etree.XPathError as error:
            raise MappingError(f"{text!r} is not an XPath: {one_line(error)}") from None

    def pieces(self) -> Iterator[XmlPiece]:
        """The nodes of each file; LoadError where one cannot be read."""
        for path in self._files:
            yield from self.document_pieces(path, blocks(path, _BLOCK))

    def document_pieces(self, path: str, content: Iterator[bytes]) -> Iterator[XmlPiece]:
        """The nodes of a document; an empty file has none."""
        stream = _Stream(content)
        if stream.is_empty():
            return
        try:
            yield from self._streamed(stream) if self._streams else self._held(stream)
        except (self.etree.XMLSyntaxError, UnicodeError) as error:
            yield XmlPiece((), (Fault(MALFORMED_XML, as_json({"text": f"{path}: {one_line(error)}"})),))

    def parse(self, piece: XmlPiece) -> XmlRows:
        """The nodes of a piece."""
        return XmlRows(self, piece.nodes, piece.faults)

    def _held(self, stream: Any) -> Iterator[XmlPiece]:
        document = self.etree.parse(stream, self.etree.XMLParser(**_SAFE))
        nodes = self.selecting(self._iterator)(document)
        for start in range(0, len(nodes), _NODES):
            yield XmlPiece(nodes[start : start + _NODES])

    def _streamed(self, stream: Any) -> Iterator[XmlPiece]:
        """The elements at the end of the steps, each taken off the document when the next one has been read."""
        steps = [self._tag(step) for step in self._iterator[1:].split("/")]
        is_on_path: list[bool] = []
        nodes: list[Any] = []
        for event, element in self.etree.iterparse(stream, events=("start", "end"), **_SAFE):
            depth = len(is_on_path)
            if event == "start":
                above = depth == 0 or is_on_path[-1]
                is_on_path.append(above and depth < len(steps) and _is_of(element.tag, steps[depth]))
                continue
            matches = is_on_path.pop() and depth == len(steps)
            if matches:
                nodes.append(element)
            if depth <= len(steps):
                _drop_before(element)
            if len(nodes) >= _NODES:
                yield XmlPiece(nodes)
                nodes = []
        yield XmlPiece(nodes)

    def _tag(self, step: str) -> tuple[str | None, str]:
        """The namespace and the name of a step; any namespace for ``*`` alone."""
        prefix, colon, name = step.rpartition(":")
        return (self._namespaces[prefix] if colon else "*" if name == "*" else None), name


class _Stream:
    """Blocks as a file to read from, which may give more bytes than it is asked for."""

    def __init__(self, content: Iterator[bytes]) -> None:
        self._blocks = filter(None, content)
        self._first = next(self._blocks, b"")

    def is_empty(self) -> bool:
        """Whether there is no content. It is of use before the first `read` alone."""
        return not self._first

    def read(self, _size: int = -1) -> bytes:
        """The next block; empty at the end."""
        first, self._first = self._first, b""
        return first or next(self._blocks, b"")


def xml_reader(
    files: Sequence[str],
    name: str,
    nulls: frozenset[str],
    iterator: str | None,
    namespaces: Mapping[str, str],
    references: Collection[str],
) -> XmlReader:
    """The nodes that an iterator selects; MappingError if it is missing or not an XPath."""
    if iterator is None:
        raise MappingError("its logical source of XML has no rml:iterator")
    return XmlReader(files, name, nulls, iterator, namespaces, references)


def _lxml() -> Any:
    try:
        return importlib.import_module("lxml.etree")
    except ImportError:
        raise OptionError("XML is read with the package lxml (pip install 'kgreason[mapping]')") from None


def _leads_out(path: str) -> bool:
    """Whether a path may look at something outside of the node that it begins with."""
    return _LEADS_OUT.search(_QUOTED.sub("''", path)) is not None


def _texts(found: Any) -> list[str]:
    if isinstance(found, list):
        return list(map(_text, found))
    if isinstance(found, bool):
        return ["true" if found else "false"]
    return [_number(found) if isinstance(found, float) else found]


def _text(node: Any) -> str:
    """The string value of a node (XPath 1.0, 5); a namespace is a pair of its prefix and its name."""
    if isinstance(node, str):
        return node
    if isinstance(node, tuple):
        return str(node[1])
    return "".join(node.itertext()) if _is_element(node) else str(node.text or "")


def _is_element(node: Any) -> bool:
    """Whether a node is an element, and no text, comment or processing instruction."""
    return isinstance(getattr(node, "tag", None), str)


def _number(value: float) -> str:
    """A number as a string (XPath 1.0, 4.2), which has no exponent."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    shortest = Decimal(repr(value))
    return str(int(shortest)) if value.is_integer() else format(shortest, "f")


def _is_of(tag: Any, step: tuple[str | None, str]) -> bool:
    if not isinstance(tag, str):
        return False
    namespace, name = tag[1:].split("}", 1) if tag.startswith("{") else (None, tag)
    return step[0] in ("*", namespace) and step[1] in ("*", name)


def _drop_before(element: Any) -> None:
    """Take what has been read before an element off its parent."""
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
