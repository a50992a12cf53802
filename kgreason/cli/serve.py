"""``kgreason serve``: a store over HTTP."""

from __future__ import annotations

import os
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final

import typer

from kgreason.cli.error_lines import UsageError, print_line
from kgreason.cli.inputs import Inputs, check_inputs
from kgreason.cli.options import Limits, RuleNames, option_groups
from kgreason.cli.store_opening import store_opening

TOKEN: Final = "KGREASON_TOKEN"
READ_TOKEN: Final = "KGREASON_READ_TOKEN"
_LONG_ENOUGH: Final = 16
_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")


@option_groups
def serve(
    rules: RuleNames,
    *,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="The address to serve at; this machine alone if left out.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port.")] = 8080,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            help="What those show who may write, or a file with such tokens, one in a line; otherwise "
            f"{TOKEN} of the environment. Without any, no one may.",
        ),
    ] = None,
    read_token: Annotated[
        str | None,
        typer.Option(
            "--read-token",
            metavar="TOKEN",
            help=f"The same for those who may read, or {READ_TOKEN}; without any, everyone may.",
        ),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Refuse all writing, and open a store on disk for reading.")
    ] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Make a store where the directory is empty or absent.")
    ] = False,
    origin: Annotated[
        list[str],
        typer.Option(
            "--origin", metavar="ORIGIN", help="An origin whose pages may call, as https://example.org; repeatable.",
            default_factory=list, show_default=False,
        ),
    ],
    public_name: Annotated[
        list[str],
        typer.Option(
            "--public-name", metavar="NAME", help="A name by which the server is called, where others are refused; "
            "repeatable.", default_factory=list, show_default=False,
        ),
    ],
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", metavar="SECONDS", min=0.001,
            help="How long a query may take, or a change with what follows from it.",
        ),
    ] = 60.0,
    max_rows: Annotated[
        int | None, typer.Option("--max-rows", metavar="N", min=1, help="How many rows an answer or a step may have.")
    ] = None,
    max_body: Annotated[
        int, typer.Option("--max-body", metavar="BYTES", min=1, help="How large a request may be.")
    ] = 64 << 20,
    own_default_graph: Annotated[
        bool,
        typer.Option("--own-default-graph", help="Ask the default graph alone where a query names no graph, not all."),
    ] = False,
    inputs: Inputs,
    limits: Limits,
) -> None:  # fmt: skip
    """Serve a store on disk, or files in memory, over HTTP: SPARQL, whole graphs, proofs, changes.

    Stops with SIGINT or SIGTERM; changes are on disk by then.
    """
    try:
        from kgreason_server.application import application
        from kgreason_server.options import ServerOptions
        from kgreason_server.running import bound
        from kgreason_server.running import serve as run
    except ModuleNotFoundError as error:
        raise UsageError(f"there is no {error.name}: pip install 'kgreason[server]'") from None
    if not create:
        check_inputs(inputs)
    write_tokens, read_tokens = _tokens(token, TOKEN, "--token"), _tokens(read_token, READ_TOKEN, "--read-token")
    options = ServerOptions(
        read_tokens=read_tokens,
        write_tokens=() if read_only else write_tokens,
        read_only=read_only,
        origins=tuple(origin),
        hosts=_names(host, public_name),
        timeout=timeout,
        max_rows=max_rows,
        max_body=max_body,
        union_default_graph=not own_default_graph,
    )
    if create and (len(inputs.files) != 1 or not options.write_tokens):
        raise UsageError("--create takes one directory, and a token that may write")
    if not (_is_local(host) or read_tokens):
        print_line(f"warning: everyone who reaches {host} may read (expected --read-token)")
    made = Path(inputs.files[0]) if create else None
    opening = store_opening(inputs, rules, limits, writes=bool(options.write_tokens), create=made)
    app = application(opening, options)
    shown = f"[{host}]" if ":" in host else host
    with bound(host, port) as listening:
        print_line(f"http://{shown}:{port}/ ({'read and write' if options.write_tokens else 'read-only'})")
        run(app, listening, options)


def _tokens(given: str | None, variable: str, option: str) -> tuple[str, ...]:
    """The token that is given, or those of the file that is named, or of the environment."""
    if given is None:
        return tuple(os.environ.get(variable, "").split())
    try:
        found = tuple(Path(given).read_text(encoding="utf-8").split()) if os.path.isfile(given) else (given,)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(str(getattr(error, "strerror", None) or "not text"), path=given) from None
    if not found:
        raise UsageError(f"{option}: there is no token in it", path=given)
    if any(len(token) < _LONG_ENOUGH for token in found):
        print_line(f"warning: {option}: a short token is soon guessed (expected {_LONG_ENOUGH} characters or more)")
    return found


def _names(host: str, given: Sequence[str]) -> tuple[str, ...]:
    """The names by which the server may be called: on this machine alone, web pages must not lead theirs here."""
    own = _LOCAL_NAMES if _is_local(host) else ()
    return tuple(name.lower() for name in (*own, *given)) if own or given else ()


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
