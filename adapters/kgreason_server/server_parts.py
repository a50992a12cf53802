"""What the endpoints of a server share."""

from __future__ import annotations

from dataclasses import dataclass

from kgreason_server.authorization import Authorization
from kgreason_server.large_bodies import LargeBodies
from kgreason_server.metrics import Metrics
from kgreason_server.options import ServerOptions
from kgreason_server.replies import Workers
from kgreason_server.served_store import ServedStore


@dataclass(frozen=True, slots=True)
class ServerParts:
    """The store, what the owner allows, who may do what, the threads, what is counted, and room for large bodies."""

    served: ServedStore
    options: ServerOptions
    authorization: Authorization
    workers: Workers
    metrics: Metrics
    bodies: LargeBodies
