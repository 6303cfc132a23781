"""How the server protects itself and its users."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Protection:
    """What an application allows.

    Parameters
    ----------
    is_open
        Whether, as long as there is no token, everybody may do everything, and not
        only who calls this machine by a name that it has for itself.
    plain_http
        Whether browsers may log in without encryption from other machines.
    requests_per_minute
        Of one token, or one address without one, to one process; 0: any number.
    request_seconds
        How long an answer may take to begin.
    """

    is_open: bool = True
    plain_http: bool = False
    requests_per_minute: int = 0
    request_seconds: float = 90
