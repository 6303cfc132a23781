"""Trials of configurations: run by the agent, judged by the dashboard."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import httpx2

from scalewatch.cli.processes import program
from scalewatch.errors import TrialFailed

PATIENCE: Final = 120.0
"""Seconds that the analysis of a trial may take."""

PAUSE: Final = 0.5

Settings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ObjectiveQuery:
    """Parameters of the query by which the dashboard judges a configuration."""

    region: str
    query: Mapping[str, str]


@dataclass(slots=True)
class Bench:
    """Runs an experiment in different configurations, and asks what came out.

    Parameters
    ----------
    experiment
        File that the agent sweeps.
    server
        Address of the dashboard.
    objective
        What is to be small.
    token
        That lets one post runs there, if it asks for one.
    """

    experiment: Path
    server: str
    objective: ObjectiveQuery
    token: str | None = None
    place: dict[str, str] = field(default_factory=dict, init=False)
    """Project, commit and machine of the runs, once there is one."""

    def measure(self, settings: Settings) -> float:
        """Sweep the experiment in a configuration, and return its objective.

        Raises
        ------
        TrialFailed
            If the agent measures nothing, or the dashboard cannot tell the objective.
        """
        runs = self._sweep(settings)
        self.place = {name: runs[-1][name] for name in ("project", "commit", "machine")}
        self._await(runs)
        return self._objective(settings)

    def page(self) -> str:
        """Return the address of the page of what was found."""
        query = {
            "region": self.objective.region,
            "commit": self.place["commit"],
            "machine": self.place["machine"],
            **self.objective.query,
        }
        project = self.place["project"]
        return str(
            httpx2.URL(f"{self.server}/p/{project}/configurations", params=query)
        )

    def _sweep(self, settings: Settings) -> list[dict[str, Any]]:
        """Let the agent measure, and return its summary of each run."""
        command = [
            *(str(program("scalewatch-agent")), "run", str(self.experiment)),
            *("--server", self.server, "--json"),
        ]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        done = subprocess.run(  # noqa: S603 - the product's own command
            command, capture_output=True, check=False, text=True
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        runs: list[dict[str, Any]] = [json.loads(line) for line in lines]
        if not runs:
            words = [line for line in done.stderr.splitlines() if line.strip()]
            raise TrialFailed(settings, words[-1] if words else "no run was measured")
        return runs

    def _await(self, runs: Sequence[Mapping[str, Any]]) -> None:
        """Wait until the runs are analysed; a model may be needed."""
        deadline = monotonic() + PATIENCE
        for run in runs:
            url = f"{self.server}/api/v1/runs/{run['id']}/verdict"
            while monotonic() < deadline:
                answer = self._get(url, {"wait": "10"})
                if answer.get("state") != "pending":
                    break
                sleep(PAUSE)

    def _objective(self, settings: Settings) -> float:
        project = self.place["project"]
        query = {
            "region": self.objective.region,
            "commit": self.place["commit"],
            "machine": self.place["machine"],
            **self.objective.query,
        }
        answer = self._get(
            f"{self.server}/api/v1/projects/{project}/configurations",
            [
                *query.items(),
                *(("where", f"{name}={value}") for name, value in settings.items()),
            ],
        )
        tried = answer.get("tried") or [{}]
        value = tried[0].get("value")
        if value is None:
            reason = (
                tried[0].get("reason") or answer.get("detail") or "nothing is known"
            )
            raise TrialFailed(settings, str(reason))
        return float(value)

    def _get(self, url: str, query: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            answer = httpx2.get(url, params=query, headers=headers, timeout=60.0)
            content: dict[str, Any] = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise TrialFailed({}, f"{self.server} does not answer: {error}") from None
        return content
