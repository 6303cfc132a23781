"""`scalewatch search`: run an experiment in the configurations worth running.

The agent runs each trial, the dashboard judges it.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import click
import httpx2
import optuna
from rich.console import Console
from rich.table import Table

from scalewatch.cli.processes import program
from scalewatch.errors import TrialFailed

PATIENCE: Final = 120.0
"""Seconds that the analysis of a trial may take."""

PAUSE: Final = 0.5

EPILOG: Final = """
\b
Examples:
  scalewatch search hydro.yaml --region step --vary threads=1,2,4
  scalewatch search code.yaml --region solve --vary threads=1,2,4,8 \\
      --vary compiler=gcc,clang --objective time --target 1024 --trials 5

Where all combinations fit into --trials they are all run; otherwise a Bayesian search
(tree-structured Parzen estimators) chooses the likeliest. Vary one or two
settings at a time: each trial is a whole sweep.

\b
Exit codes:
  0  found               1  no trial succeeded
  2  wrong usage
"""


@dataclass(slots=True)
class Bench:
    """Runs an experiment in different configurations, and asks what came out.

    Parameters
    ----------
    experiment
        File that the agent sweeps.
    server
        Address of the dashboard.
    region, query
        Parameters of the query by which the dashboard judges a configuration; what it
        answers is to be small.
    token
        That lets one post runs there, if it asks for one.
    """

    experiment: Path
    server: str
    region: str
    query: Mapping[str, str]
    token: str | None = None
    place: dict[str, str] = field(default_factory=dict, init=False)
    """Project, commit and machine of the runs, once there is one."""

    def measure(self, settings: Mapping[str, str]) -> float:
        """Sweep the experiment in a configuration, and return its objective.

        Raises
        ------
        TrialFailed
            If the agent measures nothing, or the dashboard cannot tell the objective.
        """
        runs = self._sweep(settings)
        self.place = {name: runs[-1][name] for name in ("project", "commit", "machine")}
        deadline = monotonic() + PATIENCE
        for run in runs:  # until they are analysed: a model may be needed
            while monotonic() < deadline:
                answer = self._get(f"runs/{run['id']}/verdict", {"wait": "10"})
                if answer.get("state") != "pending":
                    break
                sleep(PAUSE)
        where = [("where", f"{name}={value}") for name, value in settings.items()]
        answer = self._get(
            f"projects/{self.place['project']}/configurations",
            [*self._asked_for.items(), *where],
        )
        tried = (answer.get("tried") or [{}])[0]
        if (value := tried.get("value")) is None:
            reason = tried.get("reason") or answer.get("detail") or "nothing is known"
            raise TrialFailed(settings, str(reason))
        return float(value)

    def page(self) -> str:
        """Return the address of the page of what was found."""
        address = f"{self.server}/p/{self.place['project']}/scaling/configurations"
        return str(httpx2.URL(address, params=self._asked_for))

    @property
    def _asked_for(self) -> dict[str, str]:
        place = {name: self.place[name] for name in ("commit", "machine")}
        return {"region": self.region, **place, **self.query}

    def _sweep(self, settings: Mapping[str, str]) -> list[dict[str, Any]]:
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
        lines = done.stdout.splitlines()
        if runs := [json.loads(line) for line in lines if line.startswith("{")]:
            return runs
        words = [line for line in done.stderr.splitlines() if line.strip()]
        raise TrialFailed(settings, words[-1] if words else "no run was measured")

    def _get(self, path: str, query: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        url = f"{self.server}/api/v1/{path}"
        try:
            answer = httpx2.get(url, params=query, headers=headers, timeout=60.0)
            content: dict[str, Any] = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise TrialFailed({}, f"{self.server} does not answer: {error}") from None
        return content


class Levels(click.ParamType[tuple[str, tuple[str, ...]]]):
    """`threads=1,2,4`."""

    name = "SETTING=LEVEL,…"

    def convert(self, value: str, param: Any, ctx: Any) -> tuple[str, tuple[str, ...]]:
        """Return the name of a setting and its levels."""
        name, _, levels = value.partition("=")
        chosen = tuple(dict.fromkeys(filter(None, levels.split(","))))
        if not (name and chosen):
            self.fail(f"{value!r} is not like threads=1,2,4", param, ctx)
        return name, chosen


@click.command("search", epilog=EPILOG)
@click.argument("experiment", type=click.Path(exists=True, path_type=Path))
@click.option("--region", required=True, help="What is to scale well, or be fast.")
@click.option("--vary", type=Levels(), multiple=True, required=True, help="A setting.")
@click.option(
    "--objective",
    type=click.Choice(["area", "growth", "correlation", "time"]),
    default="area",
    help="Divergence metric of the scaling error, or the time at --target.",
)
@click.option(
    "--kind",
    type=click.Choice(["strong", "weak"]),
    default="strong",
    help="Of scaling.",
)
@click.option("--target", type=click.FloatRange(min=1), help="p for --objective time.")
@click.option("--trials", type=click.IntRange(min=1), default=20, help="At most.")
@click.option("--seed", type=int, default=0, help="Of the search.")
@click.option(
    "--server",
    default="http://127.0.0.1:8000",
    envvar="SCALEWATCH_SERVER",
    help="The dashboard.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    experiment: Path,
    region: str,
    vary: Sequence[tuple[str, tuple[str, ...]]],
    **options: Any,
) -> None:
    """Run an experiment in different configurations and tell which is best."""
    query = {"objective": options["objective"], "kind": options["kind"]}
    if options["target"] is not None:
        query["target"] = f"{options['target']:g}"
    bench = Bench(
        experiment=experiment,
        server=options["server"].rstrip("/"),
        region=region,
        query=query,
        token=os.environ.get("SCALEWATCH_TOKEN"),
    )
    space = dict(vary)
    size = prod(len(levels) for levels in space.values())
    # It would print each failed trial with its traceback.
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    trials, seed = options["trials"], options["seed"]
    sampler: optuna.samplers.BaseSampler
    if size <= trials:
        sampler = optuna.samplers.GridSampler(dict(space), seed=seed)
    else:
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=trials // 3)
    study = optuna.create_study(direction="minimize", sampler=sampler)
    study.optimize(
        partial(_measured, space, bench),
        n_trials=min(trials, size),
        catch=(TrialFailed,),
    )
    best_first = sorted(
        {
            tuple(str(trial.params[name]) for name in space): trial.value or 0.0
            for trial in _completed(study)
        }.items(),
        key=lambda item: item[1],
    )
    if not best_first:
        click.echo("No trial succeeded.", err=True)
        ctx.exit(1)
    table = Table(*space, title="Configurations, best first", title_justify="left")
    table.add_column(options["objective"], justify="right")
    for settings, value in best_first:
        table.add_row(*settings, f"{value:.4g}")
    Console().print(table)
    click.echo(f"What matters: {bench.page()}")


def _measured(
    space: Mapping[str, Sequence[str]], bench: Bench, trial: optuna.Trial
) -> float:
    """Run a configuration; one that was run before is not run again."""
    settings = {
        name: str(trial.suggest_categorical(name, list(levels)))
        for name, levels in space.items()
    }
    for known in _completed(trial.study):
        if known.params == trial.params and known.value is not None:
            return known.value
    listed = " ".join(f"{name}={value}" for name, value in settings.items())
    words = f"{trial.number + 1}: {listed}"
    click.echo(f"{words} …", err=True)
    try:
        value = bench.measure(settings)
    except TrialFailed as why:
        click.echo(str(why), err=True)
        raise
    click.echo(f"{words}: {value:.4g}", err=True)
    return value


def _completed(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    return study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
