"""The arguments that commands share, and groups of them.

A group is a dataclass whose fields are such arguments. A command that `option_groups` decorates takes the group as one
parameter, and typer sees the fields in its place::

    @option_groups
    def count(rules: RuleNames, *, limits: Limits) -> None: ...
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, get_type_hints

import typer

from kgreason.access import Access
from kgreason.cli.error_lines import UsageError
from kgreason.engine.budget import Budget
from kgreason.errors import quoted

Files: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files and directories of N-Triples, N-Quads, Turtle, TriG, RDF/XML, N3, JSON-LD, OWL (functional, "
        "Manchester, OWL/XML) or OBO, also compressed or in a .zip, of Parquet with columns of terms, and directories "
        "of encoded triples; URLs; - is stdin. Or one store on disk: what was committed to it last.",
    ),
]
DEFAULT_RULES: Final = ("owl-rl",)
RULE_SETS: Final = ("none", "rdfs", "rdfs-plus", "owl-rl", "owl-rl-full", "skos")
"""Those of `kgreason_ontologies`; help and completion answer without importing it."""


def access_of(places: Sequence[str]) -> Access:
    """What `--allow` allows: what looks like a path, or is one, is a folder."""
    for place in places:
        if not place.strip() or "://" in place:
            expected = "a server, as example.org or localhost:3030, or a folder"
            raise UsageError(f"--allow: {quoted(place)} is neither a server nor a folder", expected=expected)
    folders = tuple(place for place in places if "/" in place or place in (".", "..") or Path(place).is_dir())
    return Access(hosts=tuple(place for place in places if place not in folders), folders=folders)


def _rules_option(otherwise: str) -> Any:
    return typer.Option(
        "--rules",
        "-r",
        metavar="RULES",
        help=f"A rule set ({', '.join(RULE_SETS)}), a file, or rules as text; repeatable. Without it {otherwise}.",
        default_factory=list,
        show_default=False,
        autocompletion=lambda: list(RULE_SETS),
    )


RuleNames: TypeAlias = Annotated[list[str], _rules_option("owl-rl, or the rules of the store on disk")]
RuleNamesWithoutStore: TypeAlias = Annotated[list[str], _rules_option("owl-rl")]
"""For commands that read no store on disk."""
Schemes: TypeAlias = Annotated[
    str,
    typer.Option("--schemes", metavar="auto|plain", help="Keep closures in compressed schemes, or write them out."),
]
InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        "-f",
        metavar="FORMAT",
        help="Format of stdin, and of files whose names do not tell theirs; otherwise told by their content: nt, ttl, "
        "...",
    ),
]
OutputFile: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write; stdout if left out.")
]
MaxFacts: TypeAlias = Annotated[
    int | None, typer.Option("--max-facts", metavar="N", min=0, help="Give up when more facts would be derived.")
]
MaxSeconds: TypeAlias = Annotated[
    float | None, typer.Option("--max-seconds", metavar="N", min=0, help="Give up when deriving them takes longer.")
]
MaxBytes: TypeAlias = Annotated[
    int | None, typer.Option("--max-bytes", metavar="N", min=0, help="Give up when they would take more memory.")
]
Allow: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--allow",
        metavar="PLACE",
        help="A folder or a server (example.org, localhost:3030, *.example.org) that imports, LOAD, SERVICE and "
        "redirections of FILES may reach; repeatable. Without it, only the servers of "
        "FILES are reached, and for FILES alone.",
        default_factory=list,
        show_default=False,
    ),
]
Strict: TypeAlias = Annotated[
    bool, typer.Option("--strict", help="Fail where a list of an axiom is cut off or cyclic; otherwise say so.")
]
Lenient: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Skip malformed lines of N-Triples and N-Quads, and files that are malformed in other formats; say which.",
    ),
]
Unfinished: TypeAlias = Annotated[
    bool,
    typer.Option("--unfinished", help="Read a directory although something in it says that a job has not finished."),
]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="S,P,O[,G]",
        help="The columns of Parquet files for subjects, predicates, objects and graphs, where they have other names.",
    ),
]
Terms: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--terms",
        metavar="ntriples|plain",
        help="How terms are written in Parquet files: <http://e/s>, or http://e/s; told by the first predicate.",
    ),
]
ImportPlaces: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--imports",
        metavar="PLACE",
        help="A folder or an XML catalogue (catalog-v001.xml) where ontologies are that FILES import; repeatable. What "
        "--allow names is followed, too. Without both, a missing one is a warning.",
    ),
]
NoImports: TypeAlias = Annotated[
    bool, typer.Option("--no-imports", help="Follow no imports, and do not warn of those that are missing.")
]


@dataclass(frozen=True, slots=True)
class Limits:
    """What makes reasoning fail: defective lists if it is strict, and a budget."""

    strict: Strict = False
    max_facts: MaxFacts = None
    max_seconds: MaxSeconds = None
    max_bytes: MaxBytes = None

    @property
    def budget(self) -> Budget:
        """The budget of each change."""
        return Budget(self.max_facts, self.max_seconds, self.max_bytes)


NO_LIMITS: Final = Limits()


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of dataclasses among its parameters as parameters of its own, all by keyword."""
    groups: dict[str, type[Any]] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        group = parameter.annotation
        if not (isinstance(group, type) and is_dataclass(group)):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = group
        hints = get_type_hints(group, include_extras=True)
        for field in fields(group):
            default = inspect.signature(group).parameters[field.name].default
            parameters.append(
                inspect.Parameter(
                    field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
                )
            )

    @functools.wraps(command)
    def with_groups(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **made)

    vars(with_groups)["__signature__"] = inspect.Signature(parameters)
    with_groups.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_groups
