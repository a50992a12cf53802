"""The terms of one query: those of the dictionary, and those that the query itself makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from kgreason.errors import QueryLimitError, TermError
from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.keys import folded_key, key_of, kind_of, normal_key, term_of
from kgreason.terms.model import Term

MOST_CHARACTERS: Final = 1 << 30
"""So many characters at most have all texts together that one query makes."""


class QueryTerms:
    """Ids for terms. What the dictionary does not know gets an id from the top, for the time of the query."""

    def __init__(self, dictionary: Dictionary) -> None:
        """Nothing is ever added to the dictionary."""
        self.dictionary = dictionary
        self._made: list[str] = []
        self._ids: dict[str, int] = {}
        self._characters = 0

    def lookup(self, term: Term) -> int | None:
        """The id of a term that the dictionary or the query has, None also for one that is not valid."""
        try:
            key = key_of(term)
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

    def _learn(self, folded: str, key: str) -> int:
        self._characters += len(key)
        if self._characters > MOST_CHARACTERS:
            raise QueryLimitError(f"the query makes texts of more than {MOST_CHARACTERS:,} characters")
        known = self._ids[folded] = UNBOUND - 1 - len(self._made)
        self._made.append(key)
        return known

    def encode_keys(self, keys: Sequence[str]) -> Ids:
        """The ids of many keys, some of which may be the same: about a microsecond for each different one."""
        distinct = [*dict.fromkeys(keys)]
        found = self.dictionary.lookup_keys(distinct)
        for row in np.flatnonzero(found < 0).tolist():
            folded = folded_key(distinct[row])
            known = self._ids.get(folded)
            if known is None:
                known = self._learn(folded, normal_key(distinct[row]))
            found[row] = known
        if len(distinct) == len(keys):
            return found.astype(np.uint32)
        known_ids = dict(zip(distinct, found.tolist(), strict=True))
        return np.fromiter(map(known_ids.__getitem__, keys), np.uint32, len(keys))

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

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ascending ids as a string column; UnicodeEncodeError for what is no Unicode."""
        end = int(np.searchsorted(identifiers, self.highest, side="right"))
        made = [self._made[UNBOUND - 1 - identifier] for identifier in identifiers[end:].tolist()]
        known = self.dictionary.key_column(identifiers[:end])
        return pa.concat_arrays([known, pa.array(made, known.type)]) if made else known

    def kinds(self, identifiers: Ids) -> np.ndarray:
        """For each id IRI_KIND, BLANK_KIND or LITERAL_KIND."""
        made = identifiers > self.highest
        if not made.any():
            return self.dictionary.kinds(identifiers)
        kinds = np.empty(len(identifiers), dtype=np.uint8)
        kinds[~made] = self.dictionary.kinds(identifiers[~made])
        kinds[made] = [kind_of(self.key(identifier)) for identifier in identifiers[made].tolist()]
        return kinds

    @property
    def highest(self) -> int:
        """No id of the dictionary is higher, and all of the query's own are."""
        return UNBOUND - 1 - len(self._made)
