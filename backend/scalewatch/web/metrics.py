"""Numbers for Prometheus: requests of this process, and what the database holds.

With several processes, each writes its numbers into files of a common folder,
$PROMETHEUS_MULTIPROC_DIR, and whichever is asked adds them up.
"""

import os
from collections.abc import Iterable
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.types import Scope

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
