"""The error for a request that cannot be read, which is one of kgreason's and one of pyparsing's."""

from __future__ import annotations

from typing import Any

from pyparsing import ParseException

from kgreason.errors import QuerySyntaxError


class MalformedRequestError(QuerySyntaxError, ParseException):  # type: ignore[misc]  # line and column are numbers
    """A malformed query or update."""

    @classmethod
    def of(cls, error: QuerySyntaxError) -> MalformedRequestError:
        """The same error."""
        return cls(
            error.reason, line=error.line, column=error.column, part=error.part, expected=error.expected
        )._as_pyparsing()

    def _as_pyparsing(self) -> MalformedRequestError:
        """Fill in what pyparsing's own code reads. Its slot `args` hides that of BaseException, so it needs a value."""
        self.pstr, self.loc, self.msg, self.parser_element = "", 0, self.reason, None
        self.args = ("", 0, self.reason)
        return self

    @property
    def lineno(self) -> int:
        """The line, as pyparsing calls it."""
        return self.line or 0

    @property
    def col(self) -> int:
        """The column, as pyparsing calls it."""
        return self.column or 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (vars(self),)


def _restored(fields: dict[str, Any]) -> MalformedRequestError:
    made = MalformedRequestError.__new__(MalformedRequestError)
    vars(made).update(fields)
    return made._as_pyparsing()
