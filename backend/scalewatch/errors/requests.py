"""Requests that the server cannot take or answer, or not from their callers."""

from collections.abc import Iterable, Sequence

from scalewatch.errors.records import ScalewatchError


class Refused(ScalewatchError):
    """The content of a request cannot be accepted."""


class UnreadableBody(Refused):
    """A body is not what its headers say."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the body cannot be read: {reason}")
        self.reason = reason


class BodyTooLarge(Refused):
    """A body exceeds the limit, as sent or once it is decompressed."""

    def __init__(self, limit: int, measurements: int | None = None) -> None:
        most = f"{limit >> 20} MiB"
        if measurements is not None:
            most = f"{measurements:,} measurements"
        super().__init__(f"the body holds more than {most}; send less at once")
        self.limit = limit


class ReadingLimitExceeded(Refused):
    """A posted file takes more resources than its reader may use.

    Parameters
    ----------
    limit
        The resource and how much of it a file may take.
    setting
        The variable that sets the limit, if one does.
    """

    def __init__(self, limit: str, setting: str | None = None) -> None:
        is_set = f" ({setting})" if setting else ""
        super().__init__(
            f"reading the file takes more than {limit}{is_set}; split it, or run "
            "`scalewatch import` where it lies, which has no such limit"
        )
        self.limit = limit
        self.setting = setting


class ReaderDied(Refused):
    """The process that read a posted file ended without an answer.

    Parameters
    ----------
    code
        Its exit code, the negative number of a signal that ended it.
    """

    def __init__(self, code: int) -> None:
        end = f"exit code {code}" if code >= 0 else f"signal {-code}"
        super().__init__(
            f"reading the file ended its reader ({end}), as the server's log says; run "
            "`scalewatch import --dry-run` on it, and please report it"
        )
        self.code = code


class UnsupportedContent(Refused):
    """A body of a type, or an encoding, that is not understood."""

    def __init__(self, header: str, value: str, known: Iterable[str]) -> None:
        super().__init__(
            f"{header} {value!r} is not supported; known are {', '.join(known)}"
        )
        self.header = header
        self.value = value
        self.known = tuple(known)


class NotAcceptable(Refused):
    """A client takes none of the formats that there are."""

    def __init__(self, accept: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"Accept {accept!r} is none of {', '.join(self.known)}")


class TooFewSides(Refused):
    """A comparison names fewer than two sides."""

    def __init__(self, names: Sequence[str]) -> None:
        named = ", ".join(names) or "nothing"
        super().__init__(
            f"a comparison needs two machines or two commits, not {named}; write them "
            "as first...second"
        )
        self.names = tuple(names)


class InvalidReport(Refused):
    """Fields of a report are missing, unknown or wrong."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        first = ": ".join(filter(None, faults[0]))
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{first}{more}")
        self.faults = faults


class TooManyRequests(ScalewatchError):
    """A client asks for more than its share."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            f"too many requests: wait {seconds} s, and post several runs at once"
        )
        self.seconds = seconds


class TooBusy(TooManyRequests):
    """The server has as much to store as it can hold."""

    def __init__(self) -> None:
        super().__init__(2)
        self.args = ("the server is busy; come back in 2 s",)


class TooManyGuesses(TooManyRequests):
    """An address tries one wrong token after the other."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        reason = "too many wrong tokens came from this address"
        remedy = "`scalewatch token list` tells which are good"
        self.args = (f"{reason}: wait {seconds} s; {remedy}",)


class TookTooLong(ScalewatchError):
    """An answer was not ready in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the answer was not ready within {seconds:g} s; ask for less, or later"
        )
        self.seconds = seconds


class Stopping(ScalewatchError):
    """A server ends before an answer was ready."""

    def __init__(self) -> None:
        super().__init__("the server is stopping; ask again once it is back")


class NotReady(ScalewatchError):
    """The database does not answer, or not as it should."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database cannot be used: {reason}")
        self.reason = reason


class Unauthenticated(ScalewatchError):
    """Nobody knows who asks."""


class TokenNeeded(Unauthenticated):
    """Something is asked without a token that is not for everybody."""

    def __init__(self, role: str, project: str | None) -> None:
        where = "this server" if project is None else f"project {project!r}"
        super().__init__(
            f"a token with the role '{role}' for {where} is needed: send it as "
            "'Authorization: Bearer …', or log in with it in the browser"
        )
        self.role = role
        self.project = project


class TokenUnknown(Unauthenticated):
    """A token that was never made here, has expired or was revoked."""

    def __init__(self, known: int) -> None:
        tokens = "1 token" if known == 1 else f"{known} tokens"
        super().__init__(
            "the token is unknown, has expired or was revoked; this server knows "
            f"{tokens}: `scalewatch token list` tells which, `scalewatch token create` "
            "makes another, both with the SCALEWATCH_HOME or SCALEWATCH_DATABASE_URL "
            "of the server"
        )
        self.known = known


class NotPermitted(ScalewatchError):
    """A token is good, but not for this."""

    def __init__(self, token: str, role: str, project: str | None) -> None:
        where = "all projects" if project is None else f"project {project!r}"
        super().__init__(
            f"the token {token!r} lacks the role '{role}' for {where}; "
            "`scalewatch token create` makes one that has it"
        )
        self.token = token
        self.role = role
        self.project = project


class ReadOnlyServer(ScalewatchError):
    """A server shows a store, and changes nothing."""

    def __init__(self) -> None:
        super().__init__(
            "this server only shows a store: add runs by `scalewatch store add`, and "
            "decisions to its decisions.jsonl"
        )


class ForeignOrigin(ScalewatchError):
    """A page of another site tries to change something here."""

    def __init__(self, origin: str) -> None:
        super().__init__(
            f"a page of {origin} must not change anything here; if a proxy stands "
            "before this server, let it pass Host, Origin and Sec-Fetch-Site on"
        )
        self.origin = origin
