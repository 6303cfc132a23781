"""Ask the server what is to be measured once more, and tell it what came of that."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Final

import httpx2 as httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from scalewatch_agent.delivery.deliver import Connection
from scalewatch_agent.errors import ServerSilent

RENEWALS: Final = 3
"""How often a lease is renewed before it would have ended."""


class RunSetting(BaseModel):
    """Where too few jobs have measured."""

    model_config = ConfigDict(frozen=True)

    suite: str
    coordinate: dict[str, int | float]
    configuration: dict[str, Any]


class Commit(BaseModel):
    """The version that is to be measured."""

    model_config = ConfigDict(frozen=True)

    sha: str


class Confirmation(BaseModel):
    """A suspicion about a commit, and the runs that would confirm it."""

    model_config = ConfigDict(frozen=True)

    id: int
    project: str
    commit: Commit
    machine: str
    reason: str


class ClaimedRun(BaseModel):
    """A confirmation to measure, until the lease ends."""

    model_config = ConfigDict(frozen=True)

    confirmation: Confirmation
    settings: tuple[RunSetting, ...]
    lease_seconds: float


class ConfirmationRequests(Connection):
    """Gives orders to `agent`."""

    def __init__(self, url: str, token: str | None, agent: str) -> None:
        super().__init__(url, token)
        self.agent = agent

    def claim(self, machine: str) -> ClaimedRun | None:
        """Return what is to be measured on a machine; None while there is nothing.

        Raises
        ------
        ServerSilent
            If the server does not answer, or not as one of ours.
        """
        offer = {"machine": machine, "agent": self.agent}
        answer = self._ask("POST", "confirmations/claim", offer)
        if answer.status_code == httpx.codes.NO_CONTENT:
            return None
        try:
            return ClaimedRun.model_validate_json(answer.content)
        except ValidationError:
            raise ServerSilent(self.url, "it is no Scalewatch server") from None

    def finish(self, order: ClaimedRun, state: str, outcome: str) -> None:
        """Say what came of an order.

        Raises
        ------
        ServerSilent
            If the server does not answer, or gave the order to another agent.
        """
        self._report(order, {"state": state, "outcome": outcome})

    @contextmanager
    def holding(self, order: ClaimedRun) -> Iterator[None]:
        """Renew the lease of an order for as long as it is measured."""
        is_over = Event()

        def renew() -> None:
            while not is_over.wait(order.lease_seconds / RENEWALS):
                try:
                    self._report(order, {"state": "running"})
                except ServerSilent:
                    continue  # it may be back in time

        thread = Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _report(self, order: ClaimedRun, progress: Mapping[str, str]) -> None:
        path = f"confirmations/{order.confirmation.id}"
        self._ask("PATCH", path, {"agent": self.agent, **progress})

    def _ask(
        self, method: str, path: str, content: Mapping[str, Any]
    ) -> httpx.Response:
        url = f"{self.url.rstrip('/')}/api/v1/{path}"
        try:
            answer = self._client.request(method, url, json=content)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ServerSilent(self.url, str(error) or type(error).__name__) from None
        if answer.is_success:
            return answer
        raise ServerSilent(
            self.url, f"it answered {answer.status_code}: {_why(answer)}"
        )


def _why(answer: httpx.Response) -> str:
    try:
        content = answer.json()
    except (ValueError, RecursionError):
        content = None
    detail = content.get("detail") if isinstance(content, dict) else None
    return str(detail or answer.reason_phrase)
