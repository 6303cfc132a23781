"""Refusals to callers without the rights that they need."""

from scalewatch.errors.base import ScalewatchError


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

    def __init__(self) -> None:
        super().__init__(
            "the token is unknown, has expired or was revoked; `scalewatch token list` "
            "tells which, `scalewatch token create` makes another"
        )


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


class ForeignOrigin(ScalewatchError):
    """A page of another site tries to change something here."""

    def __init__(self, origin: str) -> None:
        super().__init__(
            f"a page of {origin} must not change anything here; if a proxy stands "
            "before this server, let it pass Host, Origin and Sec-Fetch-Site on"
        )
        self.origin = origin
