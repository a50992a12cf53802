"""How a command ends when something is wrong: one line on stderr and an exit code, never a traceback.

Only a bug of kgreason prints a traceback, which is its report.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import current_thread, main_thread
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from kgreason.errors import (
    ImportsWarning,
    KGReasonError,
    ListWarning,
    OptionError,
    RuleError,
    RulesWarning,
    SchemeError,
)

DATA_PROBLEM = 1
WRONG_USAGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143
_SHOWN = (ListWarning, ImportsWarning, RulesWarning)


class Terminated(KeyboardInterrupt):
    """The process was told to end: it does as after Ctrl-C."""


class UsageError(KGReasonError):
    """An option, a file name, a rule or a query on the command line that cannot be used."""


class ReportingGroup(TyperGroup):
    """A group of commands that reports errors in one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line, and exit unless `standalone_mode` is off."""
        run = partial(super().main, args, prog_name, complete_var, False, windows_expand_args, **extra)
        if not standalone_mode:
            return run()
        try:
            code = run()
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)  # of typer's own errors, whose classes are private
            command = context.command_path if context else "kgreason"
            # What typer checks with pydantic says so.
            message = error.format_message().replace(": Value error, ", ": ")
            print_line(f"{message} ({command} --help shows what there is)")
            code = WRONG_USAGE
        sys.exit(code or 0)

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the options of the group, and print the help that they ask for; errors become exit codes."""
        with _exit_codes():
            return super().make_context(*arguments, **options)

    def invoke(self, context: Any) -> Any:
        """Run a command; an error that can be named becomes an exit code."""
        with _exit_codes(), warnings_in_a_line(), silent_literals(), heeded_termination():
            return super().invoke(context)


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Turn errors that can be named into a line on stderr and an exit code."""
    try:
        yield
    except BrokenPipeError:
        leave_pipe()
        raise typer.Exit(BROKEN_PIPE) from None
    except Terminated:
        print_line("terminated")
        raise typer.Exit(TERMINATED) from None
    except KeyboardInterrupt:
        print_line("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except (KGReasonError, OSError, MemoryError) as error:
        print_line(describe(error))
        raise typer.Exit(exit_code(error)) from None


@contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Print what is wrong with lists and imports like errors, each time; other warnings as Python does."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def print_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, _SHOWN):
                print_line(f"warning: {message}")
            else:
                show(message, category, *place, **more)

        warnings.showwarning = print_warning
        for category in _SHOWN:
            warnings.simplefilter("always", category)
        yield


@contextmanager
def heeded_termination() -> Iterator[None]:
    """Have SIGTERM end a command as Ctrl-C does, so that files that it has not finished go; without that, they stay."""

    def terminate(*_: object) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is cleared away meanwhile goes, too
        raise Terminated

    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def silent_literals() -> Iterator[None]:
    """Keep the traceback off the terminal that rdflib logs for each literal without a value in Python: one that is
    ill-typed, or a date before year 1. Both are printed as they are written."""
    log = logging.getLogger("rdflib.term")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


def describe(error: BaseException) -> str:
    """What an error says, without the numbers of the operating system."""
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def exit_code(error: BaseException) -> int:
    """Options, rules, queries and schemes are chosen by the caller; all else is the data's or the machine's."""
    return WRONG_USAGE if isinstance(error, UsageError | OptionError | RuleError | SchemeError) else DATA_PROBLEM


def print_line(message: str) -> None:
    """A message as one line on stderr, if there is one."""
    if sys.stderr is not None:
        print("kgreason:", " ".join(message.split()), file=sys.stderr)


def check_stdout() -> None:
    """UsageError where the process was started without a stdout, to which Python would print nothing in silence."""
    if sys.stdout is None:
        raise UsageError("there is no stdout to write to")


def leave_pipe() -> None:
    """Exit without an error when the reader of stdout has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
