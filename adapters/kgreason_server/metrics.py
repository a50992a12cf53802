"""``/metrics``: counts of what the server does, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper bounds of the times of requests that are counted together, in seconds."""


@dataclass(slots=True)
class Times:
    """Times of requests: how many are within each bound, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


class Metrics:
    """What was counted since the server began; only its event loop writes here."""

    def __init__(self, routes: Sequence[str]) -> None:
        """`routes` are the paths that are counted by their names; all others are counted together."""
        self._routes = frozenset(routes)
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, Times] = {}
        self._bytes = 0
        self.running = 0

    def add(self, method: str, path: str, status: int, seconds: float, size: int) -> None:
        """Count a request that is done."""
        head = "/" + path.split("/", 2)[1] if path.startswith("/") else path
        route = head if head in self._routes else "other"
        known = method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS") else "other"
        self._requests[route, known, status] += 1
        self._times.setdefault(route, Times()).add(seconds)
        self._bytes += size

    def lines(self, gauges: dict[str, tuple[str, float]]) -> Iterator[str]:
        """The text, with the values of some gauges, by name with what each means."""
        yield from _head("kgreason_requests_total", "counter", "Requests that were answered.")
        for (route, method, status), count in sorted(self._requests.items()):
            yield f'kgreason_requests_total{{path="{route}",method="{method}",status="{status}"}} {count}'
        name = "kgreason_request_seconds"
        yield from _head(name, "histogram", "Seconds from the headers of a request to the end of its answer.")
        for route, times in sorted(self._times.items()):
            reached = 0
            for bound, count in zip((*BOUNDS, "+Inf"), times.counts, strict=True):
                reached += count
                yield f'{name}_bucket{{path="{route}",le="{bound}"}} {reached}'
            yield f'{name}_sum{{path="{route}"}} {times.total:.6f}'
            yield f'{name}_count{{path="{route}"}} {reached}'
        yield from _head("kgreason_response_bytes_total", "counter", "Bytes of answers.")
        yield f"kgreason_response_bytes_total {self._bytes}"
        for gauge, (meaning, value) in gauges.items():
            yield from _head(gauge, "gauge", meaning)
            yield f"{gauge} {value:g}"


def _head(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
