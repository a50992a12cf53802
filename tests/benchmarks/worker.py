"""One measurement in a process of its own: ``python -m tests.benchmarks.worker CONTESTANT DATA ONTOLOGY RULES``."""

from __future__ import annotations

import json
import sys

from tests.benchmarks.contestants import CONTESTANTS


def main() -> None:
    """Run one contestant, and print its numbers as JSON; ``{"absent": ...}`` where its package is missing."""
    name, data, ontology, rules = sys.argv[1:]
    try:
        numbers: dict[str, object] = dict(CONTESTANTS[name](data, ontology, rules))
    except ImportError as error:
        numbers = {"absent": str(error)}
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
