"""The tools as a server of the Model Context Protocol, with the descriptions that agents choose by."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Final, ParamSpec

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError

from kgreason import __version__
from kgreason.checkpoints import heeding
from kgreason.errors import KGReasonError
from kgreason.html_fragments import printable
from kgreason.lookup.label_index import LabelIndex
from kgreason.rdf.keys import is_unicode
from kgreason.sparql.limits import Limits
from kgreason_mcp.agent_stores import AgentStore, OwnStore
from kgreason_mcp.change_tools import Change, ChangeTools
from kgreason_mcp.reading_tools import ReadingTools
from kgreason_mcp.reasoning_tools import ReasoningTools
from kgreason_mcp.short_answers import MOST_CHARACTERS, AgentOptions, AnswerError, cut
from kgreason_rdflib.store import ReasoningStore

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.types import CallToolResult, InputRequiredResult
    from pydantic_core import ErrorDetails

P = ParamSpec("P")

INSTRUCTIONS: Final = """\
A knowledge graph that reasons: every query and lookup sees what follows from the asserted triples as well.
Begin with `overview`. Find terms with `find`: names of terms are not to be guessed.
Terms are written as in Turtle, with the prefixes of the overview: ex:ada, <http://example.org/ada>, "text"@en, 42, a.
Before a fact is relied on, `explain` shows what it rests on; where one is expected and missing, `why_not` shows what
it lacks.
Changes are tried with `propose_change`, which shows all consequences and contradictions and changes nothing.
"""

Term = Annotated[str, Field(description='A term as in Turtle: ex:ada, <http://example.org/ada>, "text"@en, 42.')]
AnyTerm = Annotated[str, Field(description='A term as in Turtle, or "?" for any.')]
Limit = Annotated[int, Field(description="How many items to show at most.", ge=1, le=200)]
Added = Annotated[str, Field(description="Turtle to add; the prefixes of the store need no declaration.")]
Removed = Annotated[str, Field(description="Turtle to remove, before anything is added.")]
Update = Annotated[str, Field(description="A SPARQL update to run after that, such as DELETE ... INSERT ... WHERE.")]

_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)


def agent_server(
    store: ReasoningStore | AgentStore, options: AgentOptions | None = None, *, threads: CapacityLimiter | None = None
) -> MCPServer:
    """A server of the tools over a store; `run()` serves stdin and stdout until these are closed.

    Each call of a tool sees the store as it is then, in a thread, of which `threads` says how many there may be.
    """
    with _root_logger_kept():
        server = _Server("kgreason", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    source = OwnStore(store) if isinstance(store, ReasoningStore) else store
    tools = _Tools(server, source, options or AgentOptions(), threads)
    _add_reading(tools)
    _add_reasoning(tools)
    _add_changes(tools)
    return server


@contextmanager
def _root_logger_kept() -> Iterator[None]:
    """Undo what an MCPServer does to the log of the whole process: its handler would print each line of a server's log
    once more, in 1 ms."""
    root = logging.getLogger()
    handlers, level = root.handlers.copy(), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


class _Server(MCPServer):
    """A server that names the arguments that it refuses, in the words of its tools."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        for tool in await self.list_tools():
            if tool.name == name:
                _check_names(name, arguments, tool.input_schema["properties"])
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            text = "; ".join(map(_refused, error.__cause__.errors()))
            raise ToolError(f"Error executing tool {name}: {cut(text, MOST_CHARACTERS)}") from error.__cause__


def _check_names(tool: str, arguments: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse arguments that a tool does not have: without a misspelt one, a change would be made by half."""
    for name in arguments.keys() - known.keys():
        expected = f"expected {', '.join(known)}" if known else "expected none"
        raise ToolError(f"Error executing tool {tool}: {printable(cut(name))}: no argument of this tool ({expected})")


def _refused(detail: ErrorDetails) -> str:
    """The argument, its value, and what was expected."""
    place, reason = ".".join(map(str, detail["loc"])), detail["msg"][:1].lower() + detail["msg"][1:]
    if detail["type"] == "missing":
        return f"{place}: {reason}"
    return f"{place}: {printable(cut(repr(detail['input'])))} ({reason})"


@dataclass(frozen=True, slots=True)
class _Tools:
    """What the tools of a server have in common."""

    server: MCPServer
    source: AgentStore
    options: AgentOptions
    threads: CapacityLimiter | None
    labels: LabelIndex = field(default_factory=LabelIndex)

    def reading(self) -> ReadingTools:
        """The tools that read, over the store as it is now."""
        return ReadingTools(self.source.current, self.options, self.labels)

    def reasoning(self) -> ReasoningTools:
        """The tools that reason."""
        return ReasoningTools(self.source.current, self.options)

    def changes(self) -> ChangeTools:
        """The tools that change."""
        return ChangeTools(self.source.current, self.options)

    def tool(self, annotations: ToolAnnotations = _READS) -> Callable[[Callable[P, str]], Callable[P, str]]:
        """Register a function as a tool; the docstring is what agents read. Errors of ours become its answer."""

        def registered(function: Callable[P, str]) -> Callable[P, str]:
            @wraps(function)
            async def answered(*args: P.args, **kwargs: P.kwargs) -> str:
                limits = Limits(self.options.timeout, work="the call")
                _check_texts(kwargs)

                def found() -> str:
                    with heeding(limits.check):
                        return function(*args, **kwargs)

                try:
                    return await anyio.to_thread.run_sync(found, limiter=self.threads)
                except (KGReasonError, AnswerError) as error:
                    raise ToolError(cut(str(error), MOST_CHARACTERS)) from error

            self.server.add_tool(answered, annotations=annotations, structured_output=False)
            return function

        return registered


def _check_texts(arguments: Mapping[str, object]) -> None:
    """Refuse texts that JSON has and Unicode has not."""
    for name, value in arguments.items():
        if isinstance(value, str) and not is_unicode(value):
            raise ToolError(f"{name}: it has a lone surrogate (expected Unicode)")


def _add_reading(tools: _Tools) -> None:
    @tools.tool()
    def overview() -> str:
        """What the graph holds: how many triples, the prefixes, and the largest classes and properties."""
        return tools.reading().overview()

    @tools.tool()
    def query(
        sparql: Annotated[str, Field(description="SELECT, ASK, CONSTRUCT or DESCRIBE; prefixes are declared.")],
        limit: Limit = 50,
        inferred: Annotated[bool, Field(description="Whether inferred triples count, too.")] = True,
    ) -> str:
        """Answer a SPARQL 1.1 query: a line for each row, with prefixes."""
        return tools.reading().query(sparql, limit, inferred)

    @tools.tool()
    def find(
        text: Annotated[str, Field(description="Words of a label, or how they begin; case and accents do not count.")],
        limit: Limit = 10,
    ) -> str:
        """Find terms by their labels: the best matches, with their classes."""
        return tools.reading().find(text, limit)

    @tools.tool()
    def describe(term: Term, limit: Limit = 40) -> str:
        """What is said of a term: asserted and inferred told apart, and what is said of others with it."""
        return tools.reading().describe(term, limit)


def _add_reasoning(tools: _Tools) -> None:
    @tools.tool()
    def explain(subject: Term, predicate: Term, object: Term) -> str:
        """Why a triple holds: a proof, with the rule of each step, down to what was asserted."""
        return tools.reasoning().explain(subject, predicate, object)

    @tools.tool()
    def why_not(subject: AnyTerm, predicate: AnyTerm, object: AnyTerm, limit: Limit = 5) -> str:
        """Why a triple does not hold: the rules that could give it, what they find, and what is missing."""
        return tools.reasoning().why_not(subject, predicate, object, limit)

    @tools.tool()
    def check(limit: Limit = 10) -> str:
        """The contradictions in the graph, each with the triples that clash."""
        return tools.reasoning().check(limit)


def _add_changes(tools: _Tools) -> None:
    @tools.tool()
    def propose_change(add: Added = "", remove: Removed = "", update: Update = "", limit: Limit = 30) -> str:
        """Try a change without making it: what would be asserted, follow, and no longer hold, and which contradictions
        would come or go."""
        return tools.changes().propose(Change(add, remove, update), limit)

    if tools.options.allow_changes:

        @tools.tool(_WRITES)
        def apply_change(
            add: Added = "",
            remove: Removed = "",
            update: Update = "",
            limit: Limit = 30,
            despite_inconsistencies: Annotated[bool, Field(description="Make it even if it contradicts.")] = False,
        ) -> str:
            """Make a change. One that brings a contradiction is refused, with what contradicts."""
            change = Change(add, remove, update)
            return tools.source.change(
                lambda branch: tools.changes().apply_to(branch, change, limit, despite_inconsistencies)
            )
