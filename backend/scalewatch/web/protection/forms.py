"""Forms: what a page's form sends, once it is sure that our page sent it.

A page that shows a form sets a cookie of random letters, and the form carries what
follows from it. Another site can neither read the cookie nor guess the field.
"""

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Final
from urllib.parse import parse_qs

from fastapi import Depends, Request, Response

from scalewatch.errors import InvalidReport, StaleForm, UnsupportedContent

COOKIE: Final = "scalewatch_form"
FIELD: Final = "form_token"
URLENCODED: Final = "application/x-www-form-urlencoded"
MOST_FIELDS: Final = 10_000

_STATE: Final = "form_cookie"


class Form:
    """The fields of a form; those that were left empty are not there."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str | None:
        """Return the last value of a field, without the blanks around it."""
        texts = self.texts(name)
        return texts[-1] if texts else None

    def texts(self, name: str) -> Sequence[str]:
        """Return all values of a field."""
        found = (text.strip() for text in self._fields.get(name, ()))
        return [text for text in found if text]

    def has(self, name: str) -> bool:
        """Tell whether a box is ticked."""
        return name in self._fields


async def read_form(request: Request) -> Form:
    """Read the form that was sent.

    Raises
    ------
    StaleForm
        If it was not sent by a page that this browser was shown.
    UnsupportedContent, InvalidReport
        If it is no form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != URLENCODED:
        raise UnsupportedContent("Content-Type", kind, [URLENCODED])
    body = await request.body()
    try:
        fields = parse_qs(
            body.decode(), strict_parsing=False, max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise InvalidReport([("", str(error))]) from None
    cookie = request.cookies.get(COOKIE, "")
    sent = fields.pop(FIELD, [""])[-1]
    if not cookie or not hmac.compare_digest(sent.encode(), _token(cookie).encode()):
        raise StaleForm
    if any("\x00" in text for texts in fields.values() for text in texts):
        raise InvalidReport([("", "a field holds a NUL")])
    return Form(fields)


FormDep = Annotated[Form, Depends(read_form)]


def form_token(request: Request) -> str:
    """Return what a form shown to this browser carries in its field `form_token`."""
    cookie = request.cookies.get(COOKIE) or getattr(request.state, _STATE, None)
    if not cookie:
        cookie = secrets.token_urlsafe(24)
        setattr(request.state, _STATE, cookie)
    return _token(cookie)


def keep_form_cookie(request: Request, response: Response) -> None:
    """Set the cookie of the forms on a page, if the browser has none."""
    cookie = getattr(request.state, _STATE, None)
    if cookie:
        set_cookie(request, response, COOKIE, cookie)


def set_cookie(
    request: Request,
    response: Response,
    name: str,
    value: str,
    *,
    seconds: int | None = None,
) -> None:
    """Set a cookie that no script reads and that HTTPS alone carries.

    Over plain HTTP, as on the loopback address, it cannot be kept from it.
    """
    response.set_cookie(
        name,
        value,
        max_age=seconds,
        path=str(request.scope.get("root_path", "")) or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def _token(cookie: str) -> str:
    return sha256(f"form {cookie}".encode()).hexdigest()
