"""The terms of one evaluation: those of the dictionary, and those that the evaluation itself makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.arrow import pa
from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.dictionary.arrow_columns import text_column
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.literal_suffixes import split_keys
from kgreason.errors import QueryLimitError, TermError
from kgreason.rdf.keys import (
    LITERAL_KIND,
    TRIPLE_KIND,
    folded_key,
    held_key,
    key_of,
    kind_of,
    normal_key,
    term_of,
)
from kgreason.rdf.model import Term

# The values of literals are imported by what asks for them: most evaluations do not.
if TYPE_CHECKING:
    from kgreason.dictionary.value_columns import ValueColumn

UNBOUND: Final = 0xFFFFFFFF
"""Stands in a column where a row has no value; no term has this id."""

NO_KIND: Final = 0xFF
"""The kind of UNBOUND."""

MOST_CHARACTERS: Final = 1 << 30
"""So many characters at most have all texts together that one evaluation makes."""

Ids: TypeAlias = NDArray[np.uint32]
Kinds: TypeAlias = NDArray[np.uint8]


class LocalTerms:
    """Ids for terms. A term that the dictionary does not have gets an id from the top, for the time of one query or of
    one evaluation of a rule: nothing is added to the dictionary before `stored` is called."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._made: list[str] = []
        self._ids: dict[str, int] = {}
        self._characters = 0
        # The values of the terms made here, in their order.
        self._values: ValueColumn | None = None

    @property
    def highest(self) -> int:
        """No id of the dictionary is higher, and all ids of terms made here are."""
        return UNBOUND - 1 - len(self._made)

    # -- from terms to ids -----------------------------------------------------------------------------------------

    def lookup(self, term: Term) -> int | None:
        """The id of a term that the dictionary or the evaluation has, None also for one that is not valid."""
        try:
            key = held_key(term)
        except TermError:
            return None
        known = self.dictionary.lookup_key(key)
        return self._ids.get(folded_key(key)) if known is None else known

    def encode(self, term: Term) -> int:
        """The id of a term; TermError for one that is not valid."""
        known = self.lookup(term)
        if known is None:
            key = key_of(term)
            known = self._learn(folded_key(key), key)
        return known

    def encode_keys(self, keys: Sequence[str]) -> Ids:
        """The ids of many keys, some of which may be the same: about a microsecond for each different one."""
        distinct = [*dict.fromkeys(keys)]
        found = self.dictionary.lookup_keys(distinct)
        for row in passes(np.flatnonzero(found < 0).tolist(), 4096):
            folded = folded_key(distinct[row])
            known = self._ids.get(folded)
            if known is None:
                known = self._learn(folded, normal_key(distinct[row]))
            found[row] = known
        if len(distinct) == len(keys):
            return found.astype(np.uint32)
        known_ids = dict(zip(distinct, found.tolist(), strict=True))
        return np.fromiter(map(known_ids.__getitem__, keys), np.uint32, len(keys))

    def encode_column(self, folded: pa.Array) -> Ids:
        """The ids of a string column of keys in their folded form, without nulls."""
        return self.encode_keys(folded.to_pylist())

    def _learn(self, folded: str, key: str) -> int:
        self._characters += len(key)
        if self._characters > MOST_CHARACTERS:
            raise QueryLimitError(f"the query makes texts of more than {MOST_CHARACTERS:,} characters")
        known = self._ids[folded] = UNBOUND - 1 - len(self._made)
        self._made.append(key)
        return known

    def stored(self, identifiers: Ids) -> Ids:
        """The same terms by ids of the dictionary, to which those that were made here are added; UNBOUND stays."""
        made = (identifiers > self.highest) & (identifiers != UNBOUND)
        if not made.any():
            return identifiers
        distinct, numbers = np.unique(identifiers[made], return_inverse=True)
        found = identifiers.copy()
        found[made] = self.dictionary.encode_keys([self.key(each) for each in distinct.tolist()])[numbers.reshape(-1)]
        return found

    # -- from ids to terms -----------------------------------------------------------------------------------------

    def decode(self, identifier: int) -> Term:
        """The term of an id."""
        if identifier > self.highest:
            return term_of(self._made[UNBOUND - 1 - identifier])
        return self.dictionary.decode(identifier)

    def key(self, identifier: int) -> str:
        """The key of an id."""
        made = identifier > self.highest
        return self._made[UNBOUND - 1 - identifier] if made else self.dictionary.key(identifier)

    def keys(self, identifiers: Ids) -> Sequence[str]:
        """The keys of many ids."""
        made = identifiers > self.highest
        if not made.any():
            return self.dictionary.keys(identifiers)
        keys = np.empty(len(identifiers), dtype=np.object_)
        keys[~made] = self.dictionary.keys(identifiers[~made])
        keys[made] = [self._made[UNBOUND - 1 - identifier] for identifier in identifiers[made].tolist()]
        found: list[str] = keys.tolist()
        return found

    def literals(self, identifiers: Ids) -> tuple[list[str], list[str]]:
        """The lexical forms of literals, and the suffixes of their keys: 0.1 to 0.2 microseconds each."""
        if not len(identifiers) or int(identifiers.max()) <= self.highest:
            return self.dictionary.literals(identifiers)
        return split_keys(self.keys(identifiers))

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ascending ids as a string column; UnicodeEncodeError for what is not Unicode."""
        end = int(np.searchsorted(identifiers, self.highest, side="right"))
        made = [self._made[UNBOUND - 1 - identifier] for identifier in identifiers[end:].tolist()]
        known = self.dictionary.key_column(identifiers[:end])
        return pa.concat_arrays([known, text_column(made).cast(known.type)]) if made else known

    # -- what is known of ids --------------------------------------------------------------------------------------

    def kinds(self, identifiers: Ids) -> Kinds:
        """For each id its kind, NO_KIND for UNBOUND."""
        made = identifiers > self.highest
        if not made.any():
            return self.dictionary.kinds(identifiers)
        kinds = np.empty(len(identifiers), dtype=np.uint8)
        kinds[~made] = self.dictionary.kinds(identifiers[~made])
        distinct, numbers = np.unique(identifiers[made], return_inverse=True)
        found = [NO_KIND if each == UNBOUND else kind_of(self.key(each)) for each in distinct.tolist()]
        kinds[made] = np.array(found, dtype=np.uint8)[numbers.reshape(-1)]
        return kinds

    def have_values(self, identifiers: Ids) -> NDArray[np.bool_]:
        """For each id whether = may hold of it and another one: a literal or a triple term; UNBOUND is neither."""
        mask = self.dictionary.object_only_mask()
        if not len(identifiers) or int(identifiers.max()) < len(mask):
            return mask[identifiers]
        kinds = self.kinds(identifiers)
        return np.asarray((kinds == LITERAL_KIND) | (kinds == TRIPLE_KIND))

    def values_of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids as operators look at them, NOTHING for UNBOUND: O(n) once they were looked at."""
        known = self.dictionary.values
        highest = int(identifiers.max()) if len(identifiers) else 0
        if highest < len(self.dictionary):
            return known.of(identifiers)
        from kgreason.dictionary.value_columns import ValueColumn
        from kgreason.rdf.value_classes import ValueClass

        found = ValueColumn.empty(len(identifiers))
        made = identifiers > self.highest
        inside = np.flatnonzero(~made)
        found.put(inside, known.of(identifiers[inside]))
        unbound = identifiers == UNBOUND
        found.classes[unbound] = ValueClass.NOTHING
        own = np.flatnonzero(made & ~unbound)
        found.put(own, self._values_of_made(np.uint32(UNBOUND - 1) - identifiers[own]))
        return found

    def _values_of_made(self, numbers: Ids) -> ValueColumn:
        from kgreason.dictionary.value_columns import ValueColumn
        from kgreason.rdf.value_classes import ValueClass

        known = ValueColumn.empty(0) if self._values is None else self._values
        if len(numbers) and int(numbers.max()) >= len(known):
            known = self._values = known.extended(max(2 * len(known), int(numbers.max()) + 1))
        unseen = known.classes[numbers] == ValueClass.UNSEEN
        if unseen.any():
            missing = sorted_sets.unique(numbers[unseen])
            known.put(missing, ValueColumn.of_keys([self._made[number] for number in passes(missing.tolist())]))
        return known.take(numbers)


class StoredTerms(LocalTerms):
    """The terms of an evaluation all of whose results are kept: those that it makes are put into the dictionary at
    once, many of them as a column."""

    def encode_keys(self, keys: Sequence[str]) -> Ids:
        column = KeyColumn.of_listed(keys) if len(keys) >= tuning.SEGMENT_LEAST else None
        return self.dictionary.encode_keys(keys) if column is None else self.dictionary.encode_columns([column])[0]

    def encode_column(self, folded: pa.Array) -> Ids:
        return self.dictionary.encode_columns([KeyColumn.of_folded(FoldedKeys(folded))], with_parts=False)[0]
