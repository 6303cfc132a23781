"""Forms: what a page's form sends, once it is sure that our page sent it."""

from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import parse_qs

from fastapi import Depends, Request

from scalewatch.errors import ForeignOrigin, InvalidReport, UnsupportedContent
from scalewatch.web.protection.origins import UNKNOWN, says_origin

URLENCODED: Final = "application/x-www-form-urlencoded"
MOST_FIELDS: Final = 10_000


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
    ForeignOrigin
        If it does not say from where: only a page has a form, and browsers say it.
    UnsupportedContent, InvalidReport
        If it is no form.
    """
    if not says_origin(request.headers):
        raise ForeignOrigin(UNKNOWN)
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
    if any("\x00" in text for texts in fields.values() for text in texts):
        raise InvalidReport([("", "a field holds a NUL")])
    return Form(fields)


FormDep = Annotated[Form, Depends(read_form)]
