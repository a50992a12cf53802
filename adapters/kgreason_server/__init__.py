"""A reasoning store over HTTP.

    from kgreason_server import ServerOptions, application

    app = application(ReasoningStore("kgreason:store?rules=owl-rl"), ServerOptions(write_tokens=(token,)))

* `application`: the ASGI application, with all its routes. Start here.
* `options`: what the owner allows. `authorization`: who may read and write.
* `served_store`: one writer, and versions for readers. `server_parts`: what the endpoints share.
* `sparql_endpoints`, on `sparql_requests`: queries and updates. `graph_store`, on `graph_documents`: whole graphs.
* `service_description`: what the service is, as RDF.
* `answers`: documents of answers, piece by piece; `replies`: how these get to clients, and end when they go away.
* `request_reading`, on `large_bodies`, `content_negotiation`, `conditional_requests`: what HTTP says of a request.
* `rdf4j_endpoints`, on `rdf4j_statements`, and `rdf4j_transactions`, on `transactions`: the protocol of RDF4J.
* `agent_endpoint`: tools of agents.
* `reasoning_endpoints`, `whatif`, on `json_answers` and `term_parameters`: proofs, contradictions, rules, consequences.
* `change_events`, on `change_feed`: what comes and goes, as it happens.
* `workbench`: the page at ``/``, and what it asks.
* `openapi`: all of it described for programs. `metrics`: what is counted. `log_lines`: what is logged.
* `running`: the process. `http_connection`: its connections.
* `request_guard`, `problems`: what all requests go through, and how they fail. `health`: whether the server is well.
"""

from __future__ import annotations

from kgreason_server.application import application
from kgreason_server.options import ServerOptions

__all__ = ["ServerOptions", "application"]
