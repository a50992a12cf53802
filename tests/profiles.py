"""How much a test run tries: the profiles quick, full and thorough, chosen by ``KGREASON_PROFILE``.

Each test states how many examples are worth trying, and `examples` scales that number, to a quarter in the full
profile:

    @settings(max_examples=examples(60))

In the quick and full profile every run tries the same examples, so that the result does not depend on luck. The
thorough profile looks for new ones. ``KGREASON_THOROUGH=1`` chooses it too, and ``KGREASON_EXAMPLES=N`` makes every
test try N new examples.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from hypothesis import HealthCheck, settings


@dataclass(frozen=True, slots=True)
class Profile:
    """How much of the suites runs."""

    scale: float
    """Examples for each example that a test states."""
    share: float
    """Share of the cases of a test with parameters; one at least."""
    again: float
    """Share of the cases of such a test that is marked `again`."""
    without: tuple[str, ...]
    """Markers of the tests that do not run."""
    is_searching: bool
    """Whether a run tries other examples than the run before."""


PROFILES: Final = {
    "quick": Profile(scale=0.05, share=0.05, again=0.01, without=("spark", "slow", "thorough"), is_searching=False),
    "full": Profile(scale=0.25, share=1, again=0.25, without=("thorough",), is_searching=False),
    "thorough": Profile(scale=30, share=1, again=1, without=(), is_searching=True),
}

_FIXED: Final = os.environ.get("KGREASON_EXAMPLES")
NAME: Final = os.environ.get("KGREASON_PROFILE") or ("thorough" if os.environ.get("KGREASON_THOROUGH") else "full")
if NAME not in PROFILES:
    raise ValueError(f"KGREASON_PROFILE: {NAME} is unknown (expected {', '.join(PROFILES)})")
PROFILE: Final = PROFILES[NAME]
IS_THOROUGH: Final = NAME == "thorough"
IS_SEARCHING: Final = PROFILE.is_searching or _FIXED is not None


def examples(count: int, *, least: int = 3) -> int:
    """How many examples a test tries, when `count` are worth trying."""
    if _FIXED is not None:
        return int(_FIXED)
    return max(min(least, count), round(count * PROFILE.scale))


def load_profile() -> None:
    """Make the profile that of hypothesis."""
    settings.register_profile(
        NAME,
        derandomize=not IS_SEARCHING,
        max_examples=examples(100),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile(NAME)
