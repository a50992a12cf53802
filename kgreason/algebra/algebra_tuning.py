"""Tuned constants of plans, evaluated expressions and texts; `kgreason.tuning` has those of joins, and says how
constants are used."""

from __future__ import annotations

# -- plans ---------------------------------------------------------------------------------------------------------

PLAN_STARTS = 3
"""The cheapest first atoms that a plan is tried with."""

CHEAP_PLAN = 4096.0
"""An order that takes so much work is taken as it is: to look at so many rows takes some 0.1 milliseconds, as long as
to try another order of six atoms does."""

PLANNED_ATOMS = 64
"""Of more atoms, only the first so many that are connected are compared before each step, and one order is tried: a
conjunction of 2,000 atoms is planned in two seconds."""

CORE_ATOMS = 64
CORE_STEPS = 1 << 9
"""Of a longer conjunction, and after so many comparisons of two atoms, nothing is left out any more: a third of a
millisecond."""

EAR_GAIN = 4
"""An ear is begun with where it has so many times fewer facts than the other atoms."""

SELECTED_GAIN = 16
"""To look at a fact takes a part of so many of what it takes to sort it."""

# -- steps of joins ------------------------------------------------------------------------------------------------

FEW_JOINED = 16
"""So few rows are looked up one by one; for more, what all of them have in common is found first."""

FAR_FACTS = 16
"""The facts of a constant are selected for a filter when there are at most so many times the rows."""

TESTED_GROWTH = 4
"""Where one pair of a row is enough, so many times as many are tested as before, when none of those passed."""

WITNESS_SHRINKING = 4
WITNESS_FEWEST = 64
"""Of the rows that are left each time, so many times the share is taken, and so many at least: of four-cycles through
385 nodes with 49 edges each, one or two of these edges are enough for most, and a node is known to have one after 16 ms
for all of them, where an eighth of the edges came first after 26."""

# -- expressions ---------------------------------------------------------------------------------------------------

EVALUATED_ROWS = 1 << 15
"""So many rows at most are evaluated between two looks at the clock: a part of a second."""

FEW_EVALUATED = 12
"""For so many rows at most terms are cheaper: a comparison takes 5 microseconds for each, and 25 for any column; the
first column of langMatches(lang(?x), "EN") in a process takes 500."""

CALLS_DEEPEST = 32
"""Calls may lie so deep in each other that each is evaluated by a call of Python inside of another."""

FRESH_TERMS = 4096
"""So many terms are made between two looks at the clock."""

# -- texts ---------------------------------------------------------------------------------------------------------

FEW_LEXICAL = 64
"""Up to so many terms are taken one by one: columns of Arrow have a cost of their own."""

FEW_READ_TEXTS = 16
"""So many texts are read at once, however long they are."""

TEXT_PIECE = 1 << 17
COLUMN_PIECE = 1 << 20
TEXT_EACH = 64
"""Texts of TEXT_PIECE characters are looked at between two looks at the clock, and columns of COLUMN_PIECE: Arrow never
goes back in a text, and each of its functions takes some microseconds to begin. Each text counts for TEXT_EACH more."""

COMMON_BYTES = 1 << 8
"""So many bytes with which all texts begin are passed over."""
