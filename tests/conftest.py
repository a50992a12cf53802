"""Hypothesis tries the same examples in every run, so that what lands does not depend on luck.

With KGREASON_EXAMPLES (how many examples a test tries) or KGREASON_THOROUGH set it looks for new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings

SEARCHING = bool(os.environ.get("KGREASON_EXAMPLES") or os.environ.get("KGREASON_THOROUGH"))

settings.register_profile("kgreason", derandomize=not SEARCHING)
settings.load_profile("kgreason")
