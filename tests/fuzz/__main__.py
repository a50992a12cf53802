"""A long search for inputs that do harm.

    python -m tests.fuzz TARGET SECONDS [CORPUS]

With ``atheris`` installed what is tried is led by the code that it reaches, and CORPUS keeps what reached new code.
Ends with an error, and shows the input, at the first that does harm or takes 20 seconds.
"""

from __future__ import annotations

import faulthandler
import random
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

LONGEST = 20


def guided(name: str, seconds: int, corpus: Path) -> None:
    """Search as libFuzzer does; does not return."""
    import atheris

    with atheris.instrument_imports(include=["kgreason", "kgreason_rdflib"]):
        from tests.fuzz.targets import TARGETS
    target = TARGETS[name]
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)

    def mutated(data: bytes, size: int, seed: int) -> bytes:
        """Half of the edits are libFuzzer's, half know what inputs are made of."""
        chance = random.Random(seed)
        if chance.random() < 0.5:
            return atheris.Mutate(data, size)
        return Target(name, [data, *target.seeds[:1]], target.words, target.check).mutated(chance)[:size]

    from tests.fuzz.target import Target

    limits = [f"-max_total_time={seconds}", f"-timeout={LONGEST}", "-rss_limit_mb=4000", "-max_len=60000"]
    options = [*limits, f"-artifact_prefix={corpus}/harm-", "-print_final_stats=1", "-verbosity=1"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], target.check, custom_mutator=mutated)
    atheris.Fuzz()


def blind(name: str, seconds: int) -> None:
    """Search at random."""
    target = import_module("tests.fuzz.targets").TARGETS[name]
    chance = random.Random()
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        data = target.mutated(chance)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            target.check(data)
        except Exception as error:
            error.add_note(f"with {data!r}")
            raise
        faulthandler.cancel_dump_traceback_later()
        count += 1
    print(f"{name}: {count} inputs in {seconds} s, and none did harm")


def main(name: str, seconds: int, *corpus: str) -> None:
    """Search with atheris, or without."""
    if find_spec("atheris") is None:
        blind(name, seconds)
        return
    with TemporaryDirectory() as folder:
        guided(name, seconds, Path(corpus[0] if corpus else folder))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
