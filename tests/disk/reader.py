"""A process that reads the last committed state again and again while another one writes.

    python -m tests.disk.reader DIRECTORY

Says so when it has read for the first time; goes on until its standard input ends, and then says how often it has read,
the number of the last commit that it saw, and the bytes that it had in memory after ten readings and in the end.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from tests.facade import ex


def resident() -> int:
    """Bytes of this process in memory, 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


def read(folder: Path) -> int:
    """One look: every cat is an animal. The number of the last commit."""
    store = DurableKnowledge(folder, OpenOptions(), read_only=True)
    base = store.knowledge
    number = store.directory.end().number
    cats, animals = (_instances(store, name) for name in ("Cat", "Animal"))
    store.close()
    assert cats == animals, "what is not maintained was committed"
    assert base.rules
    return number


def _instances(store: DurableKnowledge, name: str) -> int:
    base = store.knowledge
    known = [base.dictionary.lookup(term) for term in (IRI(RDF + "type"), ex(name))]
    return sum(len(chunk[0]) for chunk in base.all().match(None, *known))


def main(folder: Path) -> None:
    """Read until the standard input ends."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    count, last, early = 0, 0, 0
    while not ended.is_set():
        number = read(folder)
        assert number >= last, "a commit is gone"
        count, last = count + 1, number
        if count == 1:
            print("reading", flush=True)
        if count == 10:
            early = resident()
        ended.wait(0.01)
    print(count, last, early or resident(), resident())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
