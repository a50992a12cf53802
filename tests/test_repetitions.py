"""Expressions of Python's `re` as they are before Python 3.11.5, where groups that are repeated without going back into
them fail.

Would catch one more such group, which the newest Python does not mind.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

_SCRIPT = r"""
import importlib, pkgutil, re, sys
from re import _parser  # the trees of expressions have no public name

import kgreason.repetitions

kgreason.repetitions.REPEATED = "*"
compiled, compile_it = [], re.compile


def recording(pattern, flags=0):
    if sys._getframe(1).f_globals["__name__"].startswith("kgreason"):
        compiled.append((pattern, flags))
    return compile_it(pattern, flags)


re.compile = recording
for name in ("kgreason", "kgreason_mapping", "kgreason_rdflib"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)

from kgreason.sparql.syntax.tokens import tokens_of
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.sources.csv_grammar import python_grammar

for text in ("ASK {}", "ASK { <a> <b> 'ä' }"):
    tokens_of(text)
for dialect in (Dialect(), Dialect(double_quote=False), Dialect(quote=None)):
    grammar = python_grammar(dialect)
    compiled += [(getattr(grammar, name), 0) for name in type(grammar).__slots__]


def groups(tree):
    for operation, argument in tree:
        if str(operation) == "ATOMIC_GROUP":
            yield tree
        if str(operation) == "POSSESSIVE_REPEAT":
            if len(argument[2]) != 1 or str(argument[2][0][0]) not in ("IN", "LITERAL", "NOT_LITERAL", "ANY"):
                yield argument
        for part in argument if isinstance(argument, (list, tuple)) else (argument,):
            for below in part if isinstance(part, list) else (part,):
                if isinstance(below, _parser.SubPattern):
                    yield from groups(below)


wrong = [pattern for pattern, flags in compiled if any(groups(_parser.parse(pattern, flags)))]
print(len(compiled), *wrong, sep="\n")
"""


@pytest.mark.skipif(sys.version_info < (3, 11, 5), reason="the expressions themselves are tried here")
def test_no_group_is_repeated_without_going_back_into_it() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _SCRIPT], capture_output=True, text=True, check=True)
    number, *wrong = done.stdout.splitlines()
    assert int(number) > 50
    assert not wrong
