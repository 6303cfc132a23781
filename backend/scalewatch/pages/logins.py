"""Log a browser in with a token, and out."""

import re
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.errors import TokenUnknown
from scalewatch.pages.rendering import addresses, templates
from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role, caller_of, may
from scalewatch.web.protection.headers import Protection, is_loopback
from scalewatch.web.protection.origins import FormDep
from scalewatch.web.sessions import (
    LOGIN,
    DoorDep,
    ReadingDep,
    WritingDep,
    noting_tokens,
)

_INSIDE: Final = re.compile(r"/(?![/\\])")
"""Beginning of an address of this site: // would be another host."""

router = APIRouter(include_in_schema=False)


@router.get("/login", name="login")
def show_login(request: Request, goal: str | None = None) -> Response:
    """Ask for a token."""
    return _form(request, goal, reason=None)


@router.post("/login")
def log_in(request: Request, door: DoorDep, form: FormDep) -> Response:
    """Log the browser in, and go where it wanted to."""
    goal = form.text("goal")
    protection: Protection = request.app.state.protection
    is_encrypted = request.url.scheme == "https"
    is_here = is_loopback(request.url.hostname or "")
    if not (protection.plain_http or is_encrypted or is_here):
        return _form(request, goal, reason="plain http", status_code=403)
    try:
        secret = form.text("token") or ""
        with noting_tokens(request, secret), door.sessions.writing.begin() as session:
            login, expires_at = tokens.log_in(session, secret)
    except TokenUnknown:
        return _form(request, goal, reason="unknown", status_code=401)
    # Go on within this site alone.
    is_inside = goal is not None and _INSIDE.match(goal)
    home = addresses.path_to(request, "home")
    answer = RedirectResponse(goal if goal and is_inside else home, status_code=303)
    seconds = int((expires_at - datetime.now(UTC)).total_seconds())
    # Over plain HTTP, as on the loopback address, it cannot be kept from it.
    answer.set_cookie(
        LOGIN,
        login,
        max_age=seconds,
        path=_cookie_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return answer


@router.get("/account", name="account")
def show_account(request: Request, session: ReadingDep) -> Response:
    """Show who is logged in, and what that may do."""
    caller = caller_of(session)
    return templates.render(
        request,
        "settings/account.html",
        may_administer=may(session, Role.ADMIN, caller.project),
    )


@router.post("/logout", name="logout")
def log_out(request: Request, session: WritingDep, form: FormDep) -> Response:  # noqa: ARG001 - the form is ours
    """End the login, on the server and in the browser."""
    if login := request.cookies.get(LOGIN):
        tokens.log_out(session, login)
    answer = RedirectResponse(addresses.path_to(request, "home"), status_code=303)
    answer.delete_cookie(LOGIN, path=_cookie_path(request))
    return answer


def _form(
    request: Request, goal: str | None, *, reason: str | None, status_code: int = 200
) -> Response:
    return templates.render(
        request,
        "settings/login.html",
        status_code=status_code,
        goal=goal,
        reason=reason,
    )


def _cookie_path(request: Request) -> str:
    return str(request.scope.get("root_path", "")) or "/"
