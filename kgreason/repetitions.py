"""Repetitions of groups that are not gone back into, for regular expressions of Python's `re`."""

from __future__ import annotations

import sys
from typing import Final

REPEATED: Final = "*+" if sys.version_info >= (3, 11, 5) else "*"
"""What follows a group that is repeated as often as it can be, for expressions in which going back finds nothing else.

Before Python 3.11.5, which Debian 12 has not, groups with ``*+`` fail where they should match (python/cpython#106052).
With ``*`` a match takes some hundred bytes for each repetition. Sets of characters may be followed by ``*+`` anywhere.
"""
