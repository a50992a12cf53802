"""The tools as a server of the Model Context Protocol, with the descriptions that agents choose by."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Final, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from kgreason import __version__
from kgreason.errors import KGReasonError
from kgreason_mcp.change_tools import Change, ChangeTools
from kgreason_mcp.reading_tools import ReadingTools
from kgreason_mcp.reasoning_tools import ReasoningTools
from kgreason_mcp.short_answers import AgentOptions, AnswerError

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore

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


def agent_server(store: ReasoningStore, options: AgentOptions | None = None) -> MCPServer:
    """A server of the tools over a store; `run()` serves stdin and stdout until these are closed."""
    options = options or AgentOptions()
    server = MCPServer("kgreason", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    _add_reading(server, ReadingTools(store, options))
    _add_reasoning(server, ReasoningTools(store, options))
    _add_changes(server, ChangeTools(store, options), options)
    return server


def _tool(server: MCPServer, annotations: ToolAnnotations = _READS) -> Callable[[Callable[P, str]], Callable[P, str]]:
    """Register a function as a tool; the docstring is what agents read. Errors of ours become its answer."""

    def registered(function: Callable[P, str]) -> Callable[P, str]:
        @wraps(function)
        def answered(*args: P.args, **kwargs: P.kwargs) -> str:
            try:
                return function(*args, **kwargs)
            except (KGReasonError, AnswerError) as error:
                raise ToolError(str(error)) from error

        server.add_tool(answered, annotations=annotations, structured_output=False)
        return function

    return registered


def _add_reading(server: MCPServer, tools: ReadingTools) -> None:
    @_tool(server)
    def overview() -> str:
        """What the graph holds: how many triples, the prefixes, and the largest classes and properties."""
        return tools.overview()

    @_tool(server)
    def query(
        sparql: Annotated[str, Field(description="SELECT, ASK, CONSTRUCT or DESCRIBE; prefixes are declared.")],
        limit: Limit = 50,
        inferred: Annotated[bool, Field(description="Whether inferred triples count, too.")] = True,
    ) -> str:
        """Answer a SPARQL 1.1 query: a line for each row, with prefixes."""
        return tools.query(sparql, limit, inferred)

    @_tool(server)
    def find(
        text: Annotated[str, Field(description="Words of a label, or how they begin; case and accents do not count.")],
        limit: Limit = 10,
    ) -> str:
        """Find terms by their labels: the best matches, with their classes."""
        return tools.find(text, limit)

    @_tool(server)
    def describe(term: Term, limit: Limit = 40) -> str:
        """What is said of a term: asserted and inferred told apart, and what is said of others with it."""
        return tools.describe(term, limit)


def _add_reasoning(server: MCPServer, tools: ReasoningTools) -> None:
    @_tool(server)
    def explain(subject: Term, predicate: Term, object: Term) -> str:
        """Why a triple holds: a proof, with the rule of each step, down to what was asserted."""
        return tools.explain(subject, predicate, object)

    @_tool(server)
    def why_not(subject: AnyTerm, predicate: AnyTerm, object: AnyTerm, limit: Limit = 5) -> str:
        """Why a triple does not hold: the rules that could give it, what they find, and what is missing."""
        return tools.why_not(subject, predicate, object, limit)

    @_tool(server)
    def check(limit: Limit = 10) -> str:
        """The contradictions in the graph, each with the triples that clash."""
        return tools.check(limit)


def _add_changes(server: MCPServer, tools: ChangeTools, options: AgentOptions) -> None:
    @_tool(server)
    def propose_change(add: Added = "", remove: Removed = "", update: Update = "", limit: Limit = 30) -> str:
        """Try a change without making it: what would be asserted, follow, and no longer hold, and which contradictions
        would come or go."""
        return tools.propose(Change(add, remove, update), limit)

    if options.allow_changes:

        @_tool(server, _WRITES)
        def apply_change(
            add: Added = "",
            remove: Removed = "",
            update: Update = "",
            limit: Limit = 30,
            despite_inconsistencies: Annotated[bool, Field(description="Make it even if it contradicts.")] = False,
        ) -> str:
            """Make a change. One that brings a contradiction is refused, with what contradicts."""
            return tools.apply(Change(add, remove, update), limit, despite_inconsistencies)
