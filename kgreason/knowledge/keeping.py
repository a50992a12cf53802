"""A whole knowledge base as a file: its state, what may be named in the file, and whether a file fits this code."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, Final
from zlib import crc32

import numpy as np
from pyroaring import BitMap

from kgreason.datalog import model, specialise
from kgreason.durable.frozen import MAKERS, Names
from kgreason.engine import facts, states
from kgreason.engine.facts import Facts
from kgreason.engine.rules import families, shapes
from kgreason.engine.states import EngineState
from kgreason.errors import Position
from kgreason.knowledge import specialiser
from kgreason.knowledge.specialiser import SpecialiserState
from kgreason.schemes import binary, catalogue, chain, equivalence, inverse, label_sets, unary, union, virtual, wide
from kgreason.schemes.transitive import closure, difference, labelling, table
from kgreason.terms import folded_keys, hash_index, ordered_keys, segments
from kgreason.terms import model as terms
from kgreason.terms.dictionary import DictionaryState


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """A knowledge base between two changes. Tables and columns are shared with it."""

    dictionary: DictionaryState
    engine: EngineState
    specialiser: SpecialiserState
    auxiliaries: dict[tuple[str, int], int]
    graphs: dict[int, Facts]


FORMAT: Final = 1
"""To be raised when what is kept means something else while its classes stay as they are."""

_CLASSES: Final = (
    KnowledgeState,
    *(DictionaryState, folded_keys.FoldedKeys, folded_keys.Spellings),
    *(hash_index.HashIndex, hash_index.Level, ordered_keys.OrderedKeys, segments.Segment),
    *(EngineState, states.RuleState, facts.Facts),
    *(families.Family, families.Constant, families.Column, shapes.Shape, shapes.ShapeAtom, shapes.Operation),
    *(SpecialiserState, specialiser._Record, specialise.Template, Position),
    *(model.Variable, model.TripleAtom, model.FactAtom, model.Member, model.Every, model.Path, model.Call),
    *(model.Assignment, model.Rule, terms.IRI, terms.BlankNode, terms.Literal),
    *(catalogue.Definition, catalogue.Oriented),
    *(binary.BinaryTable, unary.UnaryTable, wide.WideTable, inverse.InverseTable, virtual.DifferenceTable),
    *(union.UnionTable, union.UnaryUnion, chain.ChainTable, equivalence.EquivalenceTable),
    *(table.TransitiveTable, difference.ClosureDifference, closure.Closure, labelling.Labelling),
    *(label_sets.LabelSets, label_sets._of_columns, *MAKERS),
)


@cache
def names() -> Names:
    """What a file with a state may name: classes of inert data and the columns of others, nothing that acts."""
    found: dict[tuple[str, str], Any] = {(each.__module__, each.__qualname__): each for each in _CLASSES}
    found["collections", "Counter"] = Counter
    found["pyroaring", "BitMap"] = BitMap
    return found


@cache
def fingerprint() -> str:
    """What must be the same in the code that wrote a file and in the code that reads it: versions, and how the classes
    of what is in it are laid out and work."""
    checksum = 0
    for each in _CLASSES:
        layout = (each.__module__, each.__qualname__, getattr(each, "__slots__", ()))
        checksum = crc32(repr(layout).encode(), checksum)
        for name, function in sorted(vars(each).items()):
            if isinstance(function, FunctionType):
                code = function.__code__
                checksum = crc32(repr((name, code.co_names)).encode() + code.co_code, checksum)
    versions = (str(FORMAT), platform.python_version(), np.__version__)
    return "-".join((*versions, f"{checksum:08x}"))


def options_of(choice: catalogue.Catalogue, strategy: object) -> str:
    """What the tables depend on beside facts and rules: the schemes and the strategy."""
    schemes: Mapping[str, str] = {
        name: f"{type(scheme).__module__}.{type(scheme).__qualname__}" for name, scheme in choice.schemes.items()
    }
    return repr((sorted(schemes.items()), choice.default, sorted(choice.forced.items()), choice.join_limit, strategy))
