"""Requests: identified, timed, counted for Prometheus, and logged."""

import logging
import os
import re
from collections.abc import Iterable
from contextvars import ContextVar
from time import perf_counter
from typing import Final
from uuid import uuid4

from fastapi import Request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scalewatch.web import answers

HEADER: Final = "X-Request-ID"
READABLE: Final = re.compile(r"[\w.:-]{1,64}")

REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)
"""The id of the request that is being answered; every line of the log has it."""

_LOG: Final = logging.getLogger("scalewatch.requests")


FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"

BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 90)
"""Seconds; goals are 50 ms for JSON, 150 ms for pages, 500 ms for posting."""

Gauges = Iterable[tuple[str, str, float]]
"""Name, meaning and value."""


class Metrics:
    """The numbers of one application."""

    def __init__(self) -> None:
        self._own = CollectorRegistry()
        self._requests = Counter(
            "scalewatch_requests",
            "Answered requests.",
            ("method", "route", "status"),
            registry=self._own,
        )
        self._seconds = Histogram(
            "scalewatch_request_seconds",
            "Time from a request to the end of its answer.",
            ("method", "route"),
            buckets=BUCKETS,
            registry=self._own,
        )

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answered request."""
        # Names in addresses are not bounded, routes are.
        route = getattr(scope.get("route"), "path", "other")
        self._requests.labels(scope["method"], route, str(status)).inc()
        self._seconds.labels(scope["method"], route).observe(seconds)

    def text(self, gauges: Gauges) -> bytes:
        """Return all numbers in the format of Prometheus."""
        stored = CollectorRegistry()
        stored.register(_Gauges(gauges))
        requests = self._own
        if FOLDER in os.environ:
            requests = CollectorRegistry()
            MultiProcessCollector(requests)  # type: ignore[no-untyped-call]
        return generate_latest(stored) + generate_latest(requests)


class _Gauges(Collector):
    def __init__(self, gauges: Gauges) -> None:
        self.gauges = gauges

    def collect(self) -> Iterable[GaugeMetricFamily]:
        for name, meaning, value in self.gauges:
            yield GaugeMetricFamily(f"scalewatch_{name}", meaning, value=value)


class Requests:
    """ASGI middleware that names, counts, times and logs requests.

    A client may bring an id of its own, so that its log and ours can be compared.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and take note of its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        brought = Headers(scope=scope).get(HEADER, "")
        request_id = brought if READABLE.fullmatch(brought) else uuid4().hex
        # Not reset: the server logs failures of this task after we have returned.
        REQUEST_ID.set(request_id)
        started = perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            self._note(scope, status, perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        self.metrics.note(scope, status, seconds)
        client = scope.get("client")
        _LOG.info(
            "%s %s %d",
            scope["method"],
            scope["path"],
            status,
            extra={
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "milliseconds": round(seconds * 1000, 2),
                "client": client[0] if client else None,
            },
        )


METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def allowed(request: Request) -> str:
    """Return the header `Allow` of an address: the methods of all of its routes."""
    return ", ".join(method for method in METHODS if _is_allowed(request, method))


def _is_allowed(request: Request, method: str) -> bool:
    # What can be read has a head, see `Heads`; streams alone have none.
    is_head = method == "HEAD" and not request.url.path.endswith(answers.STREAMS)
    scope = {**request.scope, "method": "GET" if is_head else method}
    return any(
        route.matches(scope)[0] is Match.FULL for route in request.app.router.routes
    )
