"""Tuned constants of terms and their keys; `kgreason.tuning` says how constants are used."""

from __future__ import annotations

# -- segments ------------------------------------------------------------------------------------------------------

SEGMENT_LEAST = 1 << 14
"""Keys that come together, so many or more, are a segment of their own: for fewer a Python dictionary is quicker."""

LEARNED_BYTES = 1 << 26
LEARNED_EACH = 64
"""Columns of keys are learned together until that takes as much memory as the former, some 400,000 keys, or so many
bytes for each known term, so that there are few segments: to find one key takes a microsecond or less for each. Of
LUBM(50,0), all of its two million keys together took 170 of 610 MB that loading needs at its peak, and more time."""

NUMBERS_LEAST = 1 << 9
"""Numbers that come together, so many or more, are looked for together, and the new ones are a segment of their own
while there are few segments: one by one each takes 3 to 8 microseconds."""

NUMBER_SEGMENTS = 32
NUMBER_GROWTH = 4
"""Numbers that come together become a segment without texts as long as there are fewer such segments, half as many
where they are fewer than SEGMENT_LEAST, or if they are a share of one in NUMBER_GROWTH of all numbers: a search in one
takes a microsecond, and a nanosecond for each of many."""

FORKS_DEEPEST = 8
"""A fork of so many forks has a dictionary of its own for what came one by one: each takes one more look-up."""

# -- keys to ids ---------------------------------------------------------------------------------------------------

KEY_LOOK_UP = 64
"""Looking a known key up in ordered ones takes so many times as long as hashing and sorting one of these."""

RECENT_KEYS = 1 << 16
"""So many keys are kept with their ids, in some 200 bytes each: those are found in a tenth of the time."""

FEW_NEW_KEYS = 32
"""Up to so many keys are looked up one by one."""

TEXTS_BESIDE = 8
LONE_KEY_TEXTS = 8
"""So many texts are looked at for each number that is looked for, some nanoseconds each, rather than that it is made a
text, hashed and looked up, some hundred: 16 where none is of a number, and 4 where all are, take as long. To look at a
key that came alone takes as long as to look at LONE_KEY_TEXTS texts of a column."""

# -- ids to keys ---------------------------------------------------------------------------------------------------

DECODED_TERMS = 1 << 16
"""So many terms are kept for the next reader, as objects."""

FEW_READ_KEYS = 128
"""So many keys are read one by one: 0.8 microseconds each. A column of 64 takes 0.2 milliseconds where it has texts of
a kilobyte, and 0.1 where it is the first one in a while."""

SIZED_KEYS = 4
"""The sizes of all keys that came one by one are kept where those of a fourth of them are asked for: one after the
other they take a fifth of the time."""

PANDAS_TEXTS = 50_000
"""For so many texts the import of pandas is worth its time, and where it is not installed, there is none."""

SLICED_TEXTS = 256
"""For no more, a slice for each takes less than to have them joined by Arrow, 50 microseconds."""

DECODED_BYTES = 1 << 22
"""Columns of more bytes are not decoded as a whole: a single emoji makes Python take four bytes for each character."""

# -- values --------------------------------------------------------------------------------------------------------

FEW_VALUES = 64
"""Up to so many terms are classified one by one."""

FEW_USUAL_VALUES = 256
"""Of texts, IRIs and short integers so many: 0.5 microseconds each, beside 600 for any column."""

TOLD_SHARE = 512
TOLD_FEW = 16
"""The values of one in TOLD_SHARE terms are told in the time that room for all of them takes, 0.3 ms for 300,000, and
those of TOLD_FEW are told again and again in that time."""

NEAR_IDS = 4
"""All ids between two are looked at where they are at most so many times the wanted ones: no key is copied."""

DIGIT_ROWS = 1 << 13
"""So many numbers at a time become digits, or digits numbers: what is computed on the way stays in the cache."""

TRIPLE_TERM_ROWS = 1 << 16
"""So many triple terms are taken apart at once."""

TERMS_BESIDE = 12
"""So many terms are looked at rather than that a triple term is taken apart: that takes 8.7 microseconds, and all terms
are looked at in 0.7 each where half are triple terms."""

# -- suffixes of literals ------------------------------------------------------------------------------------------

FEW_SUFFIXED = 32
"""Up to so many keys are parted from their suffixes one by one."""

USUAL_SUFFIX = 32
"""Suffixes are looked for in all keys, one after the other, until one is found in fewer than one of so many."""

SUFFIX_BYTES = 1 << 20
"""Bytes that are decoded at once."""

SUFFIX_STEPS = 8
"""Bytes of a suffix that are looked at one by one: as many as most tags of languages have."""

SEARCHED_BYTES = 1 << 24
"""Bytes in which all quotation marks are looked for: the place of each takes eight."""
