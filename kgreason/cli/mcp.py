"""``kgreason mcp``: a store as tools for an agent."""

from __future__ import annotations

from signal import SIG_DFL, SIGINT, SIGTERM, signal
from typing import Annotated

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.inputs import Inputs, check_inputs
from kgreason.cli.options import Limits, RuleNames, option_groups
from kgreason.cli.store_opening import store_opening


@option_groups
def mcp(
    rules: RuleNames,
    *,
    allow_changes: Annotated[
        bool,
        typer.Option("--allow-changes", help="Let the agent change the store; without it, it can try changes alone."),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", metavar="SECONDS", min=0.001,
            help="How long a query may take, or a change with what follows from it.",
        ),
    ] = 20.0,
    max_rows: Annotated[
        int, typer.Option("--max-rows", metavar="N", min=1, help="How many rows an answer or a step may have.")
    ] = 5_000_000,
    language: Annotated[
        str, typer.Option("--language", metavar="TAG", help="The language of labels, where there is a choice.")
    ] = "en",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Serve a store on disk, or files in memory, to an agent: by the Model Context Protocol, over stdin and stdout.

    Its tools query, find terms by label, prove, say what is missing, check, and try changes. A store on disk that
    another process writes can be served as well, and shows what that one commits.
    """
    try:
        from kgreason_mcp import AgentOptions, agent_server
        from kgreason_mcp.agent_stores import OwnStore
    except ModuleNotFoundError as error:
        raise UsageError(f"there is no {error.name}: pip install 'kgreason[mcp]'") from None
    check_inputs(inputs)
    opening = store_opening(inputs, rules, limits, writes=allow_changes)
    store = OwnStore(opening(), opening)
    # The thread that reads stdin waits for a line, whatever is sent to the process: so signals end it at once.
    before = [(number, signal(number, SIG_DFL)) for number in (SIGINT, SIGTERM)]
    try:
        agent_server(store, AgentOptions(allow_changes, timeout, max_rows, language)).run()
    finally:
        for number, handler in before:
            signal(number, handler)
        store.close()
