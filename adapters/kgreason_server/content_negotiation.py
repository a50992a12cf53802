"""Which of several representations a client prefers (RFC 9110, section 12.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import TypeVar

from kgreason_server.problems import RequestError

Offer = TypeVar("Offer", bound=str)


def preferred(accept: str | None, offers: Sequence[Offer]) -> Offer:
    """The media type that the client likes best; of equal ones the first that is offered.

    Raises:
        RequestError: 406, the client likes none of them.
    """
    if not accept or not accept.strip():
        return offers[0]
    ranges = list(_weighted(accept))
    best, weight = offers[0], 0.0
    for offer in offers:
        found = _weight_of(offer, ranges)
        if found > weight:
            best, weight = offer, found
    if not weight:
        raise RequestError(HTTPStatus.NOT_ACCEPTABLE, f"there is {', '.join(offers)}")
    return best


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Whether an answer may be compressed."""
    weights = dict(_weighted(accept_encoding or ""))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _weight_of(offer: str, ranges: list[tuple[str, float]]) -> float:
    """The weight of the most specific range that has the offer."""
    kind = offer.partition("/")[0]
    weights = dict(ranges)
    for name in (offer, f"{kind}/*", "*/*"):
        if name in weights:
            return weights[name]
    return 0.0


def _weighted(header: str) -> Iterator[tuple[str, float]]:
    for part in header.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weight = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip().lower() == "q":
                try:
                    weight = min(max(float(value), 0.0), 1.0)
                except ValueError:
                    weight = 0.0
        if name:
            yield name.lower(), weight
