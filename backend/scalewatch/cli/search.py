"""`scalewatch search`: run an experiment in the configurations worth running."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, Final

import click
import optuna
from rich.console import Console
from rich.table import Table

from scalewatch.cli.trials import Bench, ObjectiveQuery
from scalewatch.errors import TrialFailed

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
    space = dict(vary)
    query = {"objective": options["objective"], "kind": options["kind"]}
    if options["target"] is not None:
        query["target"] = f"{options['target']:g}"
    bench = Bench(
        experiment=experiment,
        server=options["server"].rstrip("/"),
        objective=ObjectiveQuery(region, query),
        token=os.environ.get("SCALEWATCH_TOKEN"),
    )
    study = _study(space, options["trials"], options["seed"])
    study.optimize(
        partial(_measured, space, bench),
        n_trials=min(options["trials"], _size(space)),
        catch=(TrialFailed,),
    )
    if not _completed(study):
        click.echo("No trial succeeded.", err=True)
        ctx.exit(1)
    _print(study, space, options["objective"])
    click.echo(f"What matters: {bench.page()}")


def _size(space: Mapping[str, Sequence[str]]) -> int:
    return prod(len(levels) for levels in space.values())


def _study(space: Mapping[str, Sequence[str]], trials: int, seed: int) -> optuna.Study:
    """Return a study that tries all combinations if it may, else the promising ones."""
    # It would print each failed trial with its traceback.
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    sampler: optuna.samplers.BaseSampler
    if _size(space) <= trials:
        sampler = optuna.samplers.GridSampler(dict(space), seed=seed)
    else:
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=trials // 3)
    return optuna.create_study(direction="minimize", sampler=sampler)


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
    words = f"{trial.number + 1}: " + " ".join(
        f"{name}={value}" for name, value in settings.items()
    )
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


def _print(
    study: optuna.Study, space: Mapping[str, Sequence[str]], objective: str
) -> None:
    """Print the configurations that were tried, the best first."""
    table = Table(title="Configurations, best first", title_justify="left")
    for name in space:
        table.add_column(name)
    table.add_column(objective, justify="right")
    tried = {
        tuple(str(trial.params[name]) for name in space): trial.value or 0.0
        for trial in _completed(study)
    }
    for settings, value in sorted(tried.items(), key=lambda item: item[1]):
        table.add_row(*settings, f"{value:.4g}")
    Console().print(table)
