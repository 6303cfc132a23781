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
    """

    is_open: bool = True
    plain_http: bool = False
