"""What W3C's suites say, as a table in Markdown: for each suite its cases, those that pass, those listed with a reason.

    python -m tests.conformance.report [PART OF A NAME ...]

Without a name, it writes the table to `counts.txt` beside this file, too, where the page about conformance has it from.
Exit code 1 when a case fails that is not listed, or a listed one passes.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

from tests.conformance import entailment_suites, parser_suites, rule_suites, sparql_suite
from tests.conformance.suite import COUNTS, Suite


def rows(suites: list[Suite]) -> Iterator[tuple[str, int, int, int]]:
    """Of each suite its name, and how many cases there are, pass and are listed."""
    for suite in suites:
        yield suite.name, *suite.counts()


def main(wanted: list[str]) -> int:
    """Print the table of the suites that have one of these in their names, of all without any."""
    logging.disable(logging.ERROR)  # rdflib reports each ill-typed literal
    suites = [*entailment_suites.suites(), *sparql_suite.suites().values(), *rule_suites.suites().values()]
    suites += parser_suites.suites().values()
    chosen = [suite for suite in suites if not wanted or any(part.lower() in suite.name.lower() for part in wanted)]
    lines = ["| suite | cases | passed | listed with a reason |", "|---|---:|---:|---:|"]
    print(*lines, sep="\n")
    whole = True
    for name, cases, passed, listed in rows(chosen):
        whole &= cases == passed + listed
        lines.append(f"| {name} | {cases} | {passed} | {listed} |")
        print(lines[-1], flush=True)
    if not wanted:
        COUNTS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    by_value = len(sparql_suite.BY_VALUE)
    print(f"\nLiterals are compared by lexical forms; numbers by value in {by_value} listed cases of SPARQL.")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
