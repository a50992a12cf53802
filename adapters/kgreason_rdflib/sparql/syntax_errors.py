"""Errors of rdflib's parser and translation for a text that cannot be a request, as errors of kgreason.

pyparsing raises ParseException, rdflib's translation bare Exceptions ("Unknown namespace prefix : foo") and now and
then what its own code stumbles over; for a text that is nested too deeply Python raises RecursionError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pyparsing import ParseBaseException, ParseException

from kgreason import memory
from kgreason.errors import KGReasonError, QueryError, QuerySyntaxError, one_line
from kgreason.sparql.put_query import too_deep

_SAID: Final = re.compile(r"Expected (.+?)(?:, found (.+?))?(?:  \(at char |$)")
"""What pyparsing says: names of rdflib's productions, and a word of the text, not always the one at fault."""
_END: Final = "end of text"
_FORMS: Final = "SELECT, CONSTRUCT, DESCRIBE or ASK"
_UNKNOWN_PREFIX: Final = "Unknown namespace prefix : "


class MalformedRequestError(QuerySyntaxError, ParseException):  # type: ignore[misc]  # line and column are numbers
    """A malformed query or update, for those who catch kgreason's errors and for those who catch pyparsing's."""

    @classmethod
    def of(cls, error: ParseBaseException) -> MalformedRequestError:
        """The error for what pyparsing says; it keeps no more of the text than a word."""
        # What was found, without the numbers that are fields.
        said = _SAID.match(str(error))
        found = said[2] if said else None
        reason = "it ends too early" if found in (None, _END) else f"cannot be read from {found} on"
        expected = _FORMS if said and said[1].startswith("{") else None
        return cls(reason, line=error.lineno, column=error.column, expected=expected)._as_pyparsing(error.loc)

    def _as_pyparsing(self, at: int) -> MalformedRequestError:
        """Fill in what pyparsing's own code reads. Its slot `args` hides that of BaseException, so it needs a value."""
        self.pstr, self.loc, self.msg, self.parser_element = "", at, self.reason, None
        self.args = ("", at, self.reason)
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
        return _restored, (vars(self), self.loc)


def _restored(fields: dict[str, Any], at: int) -> MalformedRequestError:
    made = MalformedRequestError.__new__(MalformedRequestError)
    vars(made).update(fields)
    return made._as_pyparsing(at)


@contextmanager
def reported() -> Iterator[None]:
    """Turn what rdflib raises in the body, which calls nothing of ours but `grammar_notes`, into a QueryError.

    Raises:
        MalformedRequestError: it does not follow the grammar; with line and column.
        QueryError: it is nested too deeply, or rdflib refuses it for another reason.
        MemoryError: there is hardly any left.
    """
    memory.check_reserve("a request")
    try:
        yield
    except (KGReasonError, MemoryError):
        raise
    except RecursionError:
        raise too_deep() from None
    except ParseBaseException as error:
        raise MalformedRequestError.of(error) from None
    except Exception as error:
        reason = one_line(error)
        prefix = reason.removeprefix(_UNKNOWN_PREFIX)
        if prefix != reason:
            raise QueryError(f"unknown prefix {prefix}: (expected PREFIX {prefix}: <...> before it)") from error
        raise QueryError(reason) from error
