"""How the server protects itself and its users."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import Response

from scalewatch.errors import ScalewatchError


@dataclass(frozen=True, slots=True)
class Protection:
    """Permissions and limits of an application.

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
    read_only
        Whether nobody may change anything, since all comes from a store.
    """

    is_open: bool = True
    plain_http: bool = False
    requests_per_minute: int = 0
    request_seconds: float = 90
    read_only: bool = False


def is_loopback(host: str) -> bool:
    """Tell whether a host, without its port, is this machine as it calls itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


Answer = Callable[[Request, ScalewatchError], Response]
