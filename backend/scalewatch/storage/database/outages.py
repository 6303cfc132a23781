"""Why a database cannot be used, without addresses, users or statements."""

from typing import Final

from sqlalchemy.exc import SQLAlchemyError

UNKNOWN: Final = "the server's log says why"
NO_ROOM: Final = "its disk is full or fails: nothing can be stored until there is room"

REASONS: Final = {
    "connection refused": "nothing listens at its address",
    "no such file or directory": "nothing listens at its address",
    "resolve host": "its host name is not known",
    "name or service not known": "its host name is not known",
    "timeout": "it did not answer in time",
    "authentication failed": "it does not accept the user or the password",
    "no pg_hba.conf entry": "it does not let this host in",
    "too many": "all its connections are taken",
    "remaining connection slots": "all its connections are taken",
    "starting up": "it is starting",
    "shutting down": "it is shutting down",
    "terminating connection": "it ended the connection",
    "closed the connection": "it ended the connection",
    "unable to open database file": "its file cannot be opened",
    "database is locked": "somebody else keeps it locked",
    "malformed": "its file is damaged",
    "not a database": "its file is no database",
    "disk": NO_ROOM,
    "no space left": NO_ROOM,
    "could not extend file": NO_ROOM,
    "could not write": NO_ROOM,
    "no such table": "a table is missing",
    "does not exist": "the database or a table of it is missing",
}
"""Reasons by a part of the driver's message, in lower case; the first match counts."""


def is_without_room(error: SQLAlchemyError) -> bool:
    """Tell whether nothing can be stored, while reading may well go on."""
    return reason(error) == NO_ROOM


def unusable(error: SQLAlchemyError) -> str:
    """Say in a line of the log that the database cannot be used, as its driver does."""
    return f"the database cannot be used: {_cause(error)}"


def reason(error: SQLAlchemyError) -> str:
    """Return the reason of a database error in one sentence."""
    message = _cause(error).lower()
    fitting = (words for fragment, words in REASONS.items() if fragment in message)
    return next(fitting, UNKNOWN)


def _cause(error: SQLAlchemyError) -> str:
    return " ".join(str(getattr(error, "orig", error)).split())
