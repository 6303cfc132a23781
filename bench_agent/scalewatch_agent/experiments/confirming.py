"""Which jobs of which experiment an order is about, and the code that they measure."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from scalewatch_agent.delivery.confirmations import ClaimedRun, RunSetting
from scalewatch_agent.errors import ExperimentInvalid, OrderImpossible, VersionUnknown
from scalewatch_agent.experiments.launchers.jobs import Configured
from scalewatch_agent.experiments.loading import Loaded, load_experiment
from scalewatch_agent.programs import answer_of
from scalewatch_agent.versions import CheckedOutVersion, version_in

PATIENCE: Final = 300


def experiments_in(folder: Path) -> list[Path]:
    """Return the experiment files of a folder."""
    return sorted(each for each in folder.iterdir() if each.suffix in {".yaml", ".yml"})


def experiments_for(order: ClaimedRun, files: Sequence[Path]) -> list[Loaded]:
    """Return the experiments that an order is about, with the jobs it wants alone.

    Raises
    ------
    OrderImpossible
        If none of the files makes what is asked for.
    """
    confirmation = order.confirmation
    wanted = []
    for file in files:
        try:
            loaded = load_experiment(file)
        except ExperimentInvalid:
            continue
        experiment = loaded.experiment
        suite = experiment.suite or experiment.name
        settings = [each for each in order.settings if each.suite == suite]
        configured = tuple(
            each
            for each in loaded.configured
            if any(_is_at(each, setting) for setting in settings)
        )
        if experiment.project == confirmation.project and configured:
            experiment = experiment.model_copy(update={"machine": confirmation.machine})
            wanted.append(replace(loaded, experiment=experiment, configured=configured))
    if not wanted:
        suites = ", ".join(sorted({each.suite for each in order.settings}))
        raise OrderImpossible(
            f"no experiment of the agent measures {suites} of {confirmation.project} "
            "at what was measured before"
        )
    return wanted


@contextmanager
def checked_out(
    loaded: Loaded, sha: str, folder: Path
) -> Iterator[tuple[Loaded, CheckedOutVersion]]:
    """Yield an experiment whose source is a commit, in `folder` unless it is that.

    Raises
    ------
    OrderImpossible
        If the code's repository does not know the commit.
    """
    stated = loaded.experiment.commit
    if stated is not None:
        if stated.sha != sha:
            raise OrderImpossible(f"{loaded.path.name} measures {stated.sha} only")
        yield loaded, CheckedOutVersion(stated)
        return
    try:
        version = version_in(loaded.source)
    except VersionUnknown as error:
        raise OrderImpossible(str(error)) from None
    if version.commit.sha == sha and version.changes is None:
        yield loaded, version
        return
    top = Path(_git(loaded.source, "rev-parse", "--show-toplevel"))
    known = ("cat-file", "-e", f"{sha}^{{commit}}")
    try:
        _git(loaded.source, *known)
    except OrderImpossible:
        _git(loaded.source, "fetch", "--quiet", "--all", "--tags")
        _git(loaded.source, *known)
    _git(top, "worktree", "add", "--quiet", "--detach", str(folder), sha)
    try:
        source = folder / loaded.source.relative_to(top.resolve())
        experiment = loaded.experiment.model_copy(update={"source": str(source)})
        branch = None
        with suppress(OrderImpossible):  # what is checked out may not come from it
            _git(top, "merge-base", "--is-ancestor", sha, "HEAD")
            branch = version.commit.branch
        there = version_in(source)
        commit = there.commit.model_copy(update={"branch": branch})
        yield replace(loaded, experiment=experiment), replace(there, commit=commit)
    finally:
        _git(top, "worktree", "remove", "--force", str(folder))


def _is_at(configured: Configured, setting: RunSetting) -> bool:
    """Tell whether a job measures there; what it does not set may be anything."""
    there: Mapping[str, Any] = {**setting.configuration, **setting.coordinate}
    combination = configured.combination
    return setting.coordinate.keys() <= combination.keys() and all(
        there[name] == value for name, value in combination.items() if name in there
    )


def _git(folder: Path, *arguments: str) -> str:
    answer = answer_of(["git", "-C", str(folder), *arguments], PATIENCE)
    if answer.returncode:
        said = answer.stderr.strip().splitlines() or ["git gives no reason"]
        raise OrderImpossible(f"git {arguments[0]}: {said[-1]}")
    return answer.stdout.strip()
