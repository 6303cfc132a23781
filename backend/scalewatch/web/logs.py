"""The log: lines for people, or JSON for programs; both know the request's id."""

import logging
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from uvicorn.config import LOGGING_CONFIG

from scalewatch.web.requests import REQUEST_ID

FIELDS: Final = ("method", "path", "status", "milliseconds", "client")
"""Fields of a line about a request, beside its message."""


class JSONLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", None),
        }
        line |= {
            name: getattr(record, name) for name in FIELDS if hasattr(record, name)
        }
        if record.exc_info:
            line["failure"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


class Text(logging.Formatter):
    """Lines for people; those that belong to a request end with its id."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        request_id = getattr(record, "request_id", None)
        end = f" [request {request_id}]" if request_id else ""
        return f"{record.levelname}: {super().format(record)}{end}"


class WithRequestID(logging.Filter):
    """Adds the id of the request to each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record."""
        record.request_id = REQUEST_ID.get()
        return True


def log_config(log_format: str) -> dict[str, Any]:
    """Return a configuration of `logging`, for uvicorn and for us.

    Parameters
    ----------
    log_format
        `text`: what goes wrong, for people. `json`: every request too, for programs.
    """
    is_json = log_format == "json"
    ours = {"handlers": ["default"], "level": "INFO", "propagate": False}
    every = {**ours, "level": "INFO" if is_json else "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": WithRequestID}},
        "formatters": {"default": {"()": JSONLines if is_json else Text}},
        "handlers": {
            "default": {
                **LOGGING_CONFIG["handlers"]["default"],
                "filters": ["request"],
            }
        },
        "loggers": {
            "uvicorn": {
                "handlers": ["default"],
                "level": "WARNING",
                "propagate": False,
            },
            "scalewatch": ours,
            "scalewatch.requests": every,
        },
    }
