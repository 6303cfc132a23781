"""A connection to the server, to post runs and to ask what is to be measured."""

from types import TracebackType
from typing import Self

import httpx2 as httpx


class Connection:
    """A connection to the server at `url`; a context manager."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        right = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(
            timeout=httpx.Timeout(60, connect=5),
            headers={"User-Agent": "scalewatch-agent", **right},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()
