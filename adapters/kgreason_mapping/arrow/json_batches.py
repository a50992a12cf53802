"""Rows of JSON: the lines of a file of JSON lines, or what an iterator selects in whole documents.

Values keep the types that they have in each row. Numbers without a fraction are integers, as JSON-LD has it.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa

from kgreason.rdf.vocabulary import XSD_BOOLEAN, XSD_DOUBLE, XSD_INTEGER
from kgreason_mapping.arrow.columns import Rows, ValueColumn
from kgreason_mapping.arrow.csv_batches import as_json
from kgreason_mapping.arrow.local_files import blocks
from kgreason_mapping.arrow.natural import double_text
from kgreason_mapping.arrow.row_batches import Fault
from kgreason_mapping.quarantine_reasons import INVALID_UTF8, MALFORMED_JSON, NOT_SCALAR
from kgreason_mapping.sources.json_paths import Step, Wildcard, parse_steps

_BLOCK: Final = 1 << 21
_MOST_DIGITS: Final = 38
"""Of a decimal; a longer number is a double."""
_LONGEST_NUMBER: Final = 1_000
"""What Spark reads; the time that a number takes grows with the square of its length."""
_SHOWN: Final = 10_000


@dataclass(frozen=True, slots=True)
class Real:
    """A number with a fraction or an exponent, in its plain form."""

    text: str


@dataclass(frozen=True, slots=True)
class JsonRows:
    """Nodes of documents."""

    nodes: Sequence[Any]
    faults: Sequence[Fault]
    nulls: frozenset[str]

    @property
    def length(self) -> int:
        return len(self.nodes)

    def values(self, reference: str) -> ValueColumn:
        """The values that a path leads to: an array or an object is not a value, and has a reason instead."""
        steps = parse_steps(reference)
        rows, found = _found(self.nodes, steps)
        texts: list[str | None] = []
        datatypes: list[str | None] = []
        problems: dict[int, str] = {}
        for value in found:
            kind = type(value)
            datatype = None
            if kind is str or value is None:
                text = value
            elif kind is int:
                text, datatype = str(value), XSD_INTEGER
            elif kind is bool:
                text, datatype = "true" if value else "false", XSD_BOOLEAN
            elif kind is Real:
                text, datatype = value.text, XSD_DOUBLE
            else:
                problems[len(texts)] = NOT_SCALAR
                text = plain_json(value)
            texts.append(text)
            datatypes.append(datatype)
        problem = None
        if problems:
            problem = pa.array([problems.get(at) for at in range(len(texts))], pa.string())
        column = ValueColumn(pa.array(texts, pa.string()), rows, _datatype(datatypes), problem)
        return column.without(self.nulls)

    def records(self, iterator: str) -> tuple[Rows, JsonRows]:
        """The nodes that a path leads to, and the node that each is in."""
        found = [_selected(node, parse_steps(iterator)) for node in self.nodes]
        rows = np.repeat(np.arange(len(found)), [len(one) for one in found])
        return rows, JsonRows([node for one in found for node in one], (), self.nulls)

    def row_json(self, row: int) -> str:
        """The node."""
        return plain_json(self.nodes[row])


class JsonReader:
    """The nodes that an iterator selects in each line (`lines`) or each file."""

    def __init__(
        self, files: Sequence[str], name: str, nulls: frozenset[str], iterator: str | None, *, lines: bool
    ) -> None:
        self.name = name
        self._files, self._nulls, self._lines = files, nulls, lines
        self._steps = parse_steps(iterator or "$")

    def check(self, reference: str) -> None:
        """Raise MappingError for a text that is not a path."""
        parse_steps(reference)

    def nested(self, iterator: str) -> JsonReader:
        """The nodes that a path leads to."""
        parse_steps(iterator)
        return self

    def pieces(self) -> Iterator[list[bytes]]:
        """Documents, or lines of them."""
        for path in self._files:
            if not self._lines:
                yield [b"".join(blocks(path, _BLOCK))]
                continue
            rest = b""
            for number, block in enumerate(blocks(path, _BLOCK)):
                read = block if number else block.removeprefix(BOM_UTF8)
                lines = (rest + read).replace(b"\r", b"\n").split(b"\n")
                rest = lines.pop()
                yield lines
            yield [rest]

    def parse(self, piece: list[bytes]) -> JsonRows:
        """The nodes of documents."""
        nodes: list[Any] = []
        faults: list[Fault] = []
        for given in piece:
            # RFC 8259, section 8.1: before a document, not in the middle of a file.
            content = given if self._lines else given.removeprefix(BOM_UTF8)
            if not content.strip(b" \t\r\n"):
                continue
            try:
                document = _document(content)
            except UnicodeDecodeError:
                faults.append(_fault(INVALID_UTF8, content))
            except (ValueError, RecursionError):
                faults.append(_fault(MALFORMED_JSON, content))
            else:
                nodes += _selected(document, self._steps)
        return JsonRows(nodes, faults, self._nulls)


def _document(content: bytes) -> Any:
    """A document of JSON; ValueError or RecursionError where it is none, or has half of a pair of surrogates."""
    document = _DECODER.decode(content.decode())
    if b"\\ud" in content or b"\\uD" in content:
        plain_json(document).encode()
    return document


def plain_json(value: Any) -> str:
    """A value as JSON, as short as it can be."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_number)
    except RecursionError:
        return '"too deep to be shown"'


def _number(real: Real) -> float:
    return float(real.text.replace("INF", "inf"))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return made


def _real(text: str) -> Real | int:
    _check_length(text)
    if "e" in text or "E" in text or len(text) > _MOST_DIGITS:
        return Real(double_text(float(text)))
    number = Decimal(text)
    whole = int(number)
    return whole if whole == number else Real(f"{number:f}".rstrip("0"))


def _integer(text: str) -> Real | int:
    _check_length(text)
    return int(text) if len(text) <= _MOST_DIGITS else Real(double_text(float(text)))


def _check_length(text: str) -> None:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("a number has too many digits")


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_real, parse_int=_integer, parse_constant=_constant
)


def _selected(document: Any, steps: Sequence[Step]) -> list[Any]:
    return [document] if not steps else [one for one in _walk([document], steps) if one is not None]


def _walk(nodes: list[Any], steps: Sequence[Step]) -> list[Any]:
    for step in steps:
        if step is Wildcard.ALL:
            nodes = [one for node in nodes for one in _members(node)]
        else:
            nodes = [_child(node, step) for node in nodes]
    return nodes


def _child(node: Any, step: Step) -> Any:
    if isinstance(step, str):
        return node.get(step) if isinstance(node, dict) else None
    assert isinstance(step, int)
    return node[step] if isinstance(node, list) and step < len(node) else None


def _members(node: Any) -> list[Any]:
    return node if isinstance(node, list) else list(node.values()) if isinstance(node, dict) else []


def _found(nodes: Sequence[Any], steps: Sequence[Step]) -> tuple[Rows | None, list[Any]]:
    """What a path leads to in each node: one thing, or with wildcards many, whose rows are told."""
    if len(steps) == 1 and isinstance(steps[0], str):
        name = steps[0]
        return None, [node.get(name) if type(node) is dict else None for node in nodes]
    if Wildcard.ALL not in steps:
        return None, _walk(list(nodes), steps)
    found = [_walk([node], steps) for node in nodes]
    rows = np.repeat(np.arange(len(found)), [len(one) for one in found])
    return rows, [value for one in found for value in one]


def _datatype(datatypes: list[str | None]) -> str | pa.Array | None:
    distinct = set(datatypes)
    return next(iter(distinct), None) if len(distinct) <= 1 else pa.array(datatypes, pa.string())


def _fault(reason: str, content: bytes) -> Fault:
    return Fault(reason, as_json({"text": content.decode("utf-8", "replace")[:_SHOWN]}))


