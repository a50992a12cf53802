"""Would catch an error of no class, one that loses its fields in a pickle, or a message that is not one short line."""

from __future__ import annotations

import ast
import inspect
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib.exceptions import ParserError

import kgreason
from kgreason import errors
from kgreason.errors import (
    BudgetError,
    DamageError,
    KGReasonError,
    LoadError,
    MappingError,
    OptionError,
    Position,
    QueryLimitError,
    RuleSyntaxError,
    UnknownTripleError,
    located,
)
from kgreason_rdflib.parsers import BulkParseError

ROOT = Path(kgreason.__file__).parents[1]
EXAMPLES = [
    LoadError("a literal that is not closed", path="data.ttl", line=3, column=7),
    DamageError("of no kind that there is", path=Path("store/terms-3.arrow"), part="table 7"),
    LoadError("no text", path="data.parquet", row=12, expected="strings"),
    RuleSyntaxError("unexpected '.'", Position("rules.dl", 3, 9), rule="p(?x) :- ."),
    OptionError("a budget of -1 facts", "facts", -1, expected="0 or more"),
    BudgetError("more than 10 facts", "facts", (("cax-sco", 11),), path="data.ttl"),
    QueryLimitError("longer than 1 s", "seconds", 1.0, line=1, column=2),
    MappingError("no subject map", "<#people>", path="mapping.ttl"),
    UnknownTripleError("<a> <b> <c>"),
    BulkParseError.like(LoadError("no bytes", path="data.nt", line=1)),
]


@pytest.mark.slow
def test_base_class_is_never_raised_itself() -> None:
    found = [f"{path}:{line}" for path in sources() for line in makes_base(ast.parse(path.read_text()))]

    assert not found


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_pickled_error_keeps_class_message_and_fields(error: KGReasonError) -> None:
    again = pickle.loads(pickle.dumps(error))

    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_every_class_is_documented_and_can_be_made_of_its_fields() -> None:
    classes = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, KGReasonError)]

    assert len(classes) > 20
    for kind in classes:
        assert kind.__doc__
        again = pickle.loads(pickle.dumps(kind.like(LoadError("wrong", path="data.nt", line=1))))
        assert str(again).startswith("data.nt:1: ")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (EXAMPLES[0], "data.ttl:3:7: a literal that is not closed"),
        (EXAMPLES[1], "store/terms-3.arrow: damaged: table 7: of no kind that there is"),
        (EXAMPLES[2], "data.parquet: row 12: no text (expected strings)"),
        (EXAMPLES[3], "rules.dl:3:9: unexpected '.'"),
        (EXAMPLES[6], "line 1, column 2: longer than 1 s"),
        (EXAMPLES[7], "mapping.ttl: triples map <#people>: no subject map"),
    ],
    ids=str,
)
def test_message_is_place_part_reason_and_expectation(error: KGReasonError, message: str) -> None:
    assert str(error) == message


@pytest.mark.parametrize("text", ["x" * (1 << 20), "a\n\tb\r\n" * 1000, "\udc80\0\x1b[31m" * 1000], ids=ascii)
def test_message_of_hostile_parts_is_one_short_line_of_text(text: str) -> None:
    error = LoadError(text, path=text, part=text, expected=text)

    assert len(str(error)) <= 500
    assert str(error).isprintable()
    assert len(error.reason) <= errors.LONGEST_REASON
    str(error).encode()


def test_place_is_completed_from_inside_to_outside() -> None:
    with (
        pytest.raises(DamageError) as caught,
        located(path="store", part="commit 3"),
        located(path="file", part="terms"),
    ):
        raise DamageError("cut off")

    assert (caught.value.path, caught.value.part) == ("file", "commit 3, terms")


def test_a_class_names_the_package_that_it_is_imported_from() -> None:
    """Spark hands the traceback of a task over as text, in which a class is found by this name."""
    assert {kind.__module__ for kind in vars(errors).values() if isinstance(kind, type)} == {"kgreason.errors"}


def test_error_is_what_others_catch() -> None:
    assert isinstance(OptionError("wrong"), ValueError)
    assert isinstance(EXAMPLES[-1], ParserError)
    assert RuleSyntaxError("wrong", Position("rules", 3, 9)).position == Position("rules", 3, 9)
    assert RuleSyntaxError("wrong").position is None


def sources() -> Iterator[Path]:
    for room in ("kgreason", "adapters"):
        yield from (ROOT / room).rglob("*.py")


def makes_base(tree: ast.AST) -> Iterator[int]:
    """The lines where a KGReasonError is made, or raised as a class."""
    for node in ast.walk(tree):
        made = node.func if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
        if isinstance(made, ast.Name) and made.id == "KGReasonError":
            yield node.lineno
