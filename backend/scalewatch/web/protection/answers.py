"""How what this room refuses is answered: as a problem document, or as a page."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from scalewatch.errors import ScalewatchError

Answer = Callable[[Request, ScalewatchError], Response]
