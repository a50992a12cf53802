"""How the engine goes about its work: what can be switched off, to measure what it is worth and to have a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kgreason.errors import StrategyError

MODULAR: Final = "modular"
SEMINAIVE: Final = "plain"


@dataclass(frozen=True, slots=True)
class Strategy:
    """Switches of the engine, which change no closure.

    Args:
        modules: keep transitive relations that other rules of their stratum feed in schemes (Hu et al. 2019).
        support: check overdeleted facts for other support before what follows from them is overdeleted (DRED^c).
        skip_repeating: leave out rules that only repeat what others derive (VLog's subsumed rules, Urbani et al. 2016).
        skip_redundant: give no rule facts that it only copies back to where they came from (its redundant rules), nor a
            rule with a long body few facts from which it can only derive what is known.
        skip_mismatching: give no rule facts that have other constants than its body (its mismatching rules).
    """

    modules: bool = True
    support: bool = True
    skip_repeating: bool = True
    skip_redundant: bool = True
    skip_mismatching: bool = True


def strategy_of(strategy: str | Strategy) -> Strategy:
    """A strategy by name: MODULAR, everything on, or SEMINAIVE, plain seminaive materialisation and DRED^c.

    Raises:
        StrategyError: an unknown strategy.
    """
    if isinstance(strategy, Strategy):
        return strategy
    plain = Strategy(modules=False, skip_repeating=False, skip_redundant=False, skip_mismatching=False)
    known = {MODULAR: Strategy(), SEMINAIVE: plain}
    if strategy not in known:
        raise StrategyError(
            f"the strategy must be {MODULAR!r}, {SEMINAIVE!r} or a Strategy, not {strategy!r}", "strategy", strategy
        )
    return known[strategy]
