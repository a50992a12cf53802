"""A reasoning store as tools for agents, over the Model Context Protocol.

    from kgreason_mcp import agent_server

    agent_server(store, AgentOptions(allow_changes=True)).run()       # over stdin and stdout

* `agent_server`: the server, with a description of each tool. Start here.
* `reading_tools`: what is there: an overview, queries, terms by label, what is said of a term.
* `reasoning_tools`: why something holds, why it does not, what contradicts.
* `change_tools`: what a change would do, and doing it.
* `store_tools`: what these share; `agent_stores`: a store of one's own, or one that is served to others, too.
* `term_texts`: terms as agents read and write them; `short_answers`: answers that stay small.

All but `agent_server` does without the package `mcp`.
"""

from __future__ import annotations

from kgreason_mcp.agent_server import agent_server
from kgreason_mcp.short_answers import AgentOptions

__all__ = ["AgentOptions", "agent_server"]
