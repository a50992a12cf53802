"""The log of a server: a JSON object in each line, also of what uvicorn and failures have to say."""

from __future__ import annotations

import json
import logging
import sys
from typing import Final

LOG: Final = logging.getLogger("kgreason.server")
_LOGGERS: Final = (LOG.name, "uvicorn", "uvicorn.error")


def log_fields(fields: dict[str, object]) -> None:
    """Log an object, which is the message of its line."""
    LOG.info("%s", json.dumps(fields, ensure_ascii=True), extra={"is_json": True})


class JsonLines(logging.Formatter):
    """Lines of a log as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """A line, with the traceback of the error that it tells of."""
        message = record.getMessage()
        shown = message if getattr(record, "is_json", False) else json.dumps(message)
        line = f'{{"time":"{self.formatTime(record)}","level":"{record.levelname}","message":{shown}'
        if record.exc_info and record.exc_info[0]:
            line += f',"traceback":{json.dumps(self.formatException(record.exc_info))}'
        return f"{line}}}"


def log_to_stderr() -> None:
    """Send what a server logs to stderr, and nowhere else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
    LOG.setLevel(logging.INFO)
