"""A long search for inputs that do harm.

    python -m tests.fuzz TARGET SECONDS [CORPUS]

With ``atheris`` installed what is tried is led by the code that it reaches, and CORPUS keeps what reached new code.
Ends with an error at the first input that does harm, or takes 20 seconds of processor time, and leaves it in a file.
"""

from __future__ import annotations

import faulthandler
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

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


def blind(name: str, seconds: int, corpus: Path) -> None:
    """Search at random. The input that is tried is always in a file, since a crash or a hang leaves no time for it."""
    target = import_module("tests.fuzz.targets").TARGETS[name]
    corpus.mkdir(parents=True, exist_ok=True)
    tried = corpus / f"harm-{name}"
    chance = random.Random()
    end = time.monotonic() + seconds
    count, longest = 0, 0.0
    while time.monotonic() < end:
        data = target.mutated(chance)
        tried.write_bytes(data)
        begin = time.process_time()
        with _watched():
            target.check(data)
        longest = max(longest, time.process_time() - begin)
        count += 1
    tried.unlink()
    print(f"{name}: {count} inputs in {seconds} s, and none did harm; the longest took {longest:.1f} s")


@contextmanager
def _watched() -> Iterator[None]:
    """End the process, with a traceback, when this takes too much processor time: a busy machine is no hang."""
    if not hasattr(signal, "setitimer"):
        faulthandler.dump_traceback_later(LONGEST * 10, exit=True)
        yield
        faulthandler.cancel_dump_traceback_later()
        return
    faulthandler.register(signal.SIGPROF, chain=True)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


def main(name: str, seconds: int, *corpus: str) -> None:
    """Search with atheris, or without."""
    search = blind if find_spec("atheris") is None else guided
    search(name, seconds, Path(corpus[0] if corpus else tempfile.mkdtemp(prefix="kgreason-fuzz-")))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
