"""Machines of a project: facts, provenance, states, noise, nights, and coverage."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, starmap
from statistics import median
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.modelling.common_mode.scan import SPREADS
from scalewatch.modelling.machines.states import changed_parts
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import coverage
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import regressions

CORRELATED: Final = 0.05
"""Least correlation of nights that are called correlated."""

WHOSE: Final = {
    "library": "the library's, as on other machines",
    "machine": "the machine's, not on others",
    "undecided": "the machine's or the library's: a second machine would decide",
}


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A fact that differs between two states; None where a state lacks it."""

    fact: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class NightStep:
    """A commit from which on all regions of a machine took another time.

    Parameters
    ----------
    factor
        After over before.
    origin
        Cause of the step: `library`, `machine` or `undecided`.
    """

    commit: str
    factor: float
    origin: str

    @property
    def sentence(self) -> str:
        """The step in words."""
        sense = "slow" if self.factor > 1 else "fast"
        if self.origin == "machine":
            return f"machine {sense} since {self.commit}, × {self.factor:.2f}"
        return f"× {self.factor:.2f} since {self.commit}: {WHOSE[self.origin]}"


@dataclass(frozen=True, slots=True)
class Nights:
    """The common mode of a machine in a metric: moves that all regions share.

    Parameters
    ----------
    correlation
        Of one night with the next.
    spread
        Usual change of levels from one night to the next, as a share.
    regions, commits
        From how many this was learned.
    effects
        Newest nights, by commit: mean move of all regions, as a logarithm.
    bad
        Commits of nights that were taken for bad ones, by hash.
    steps
        Oldest first.
    """

    metric: str
    correlation: float
    spread: float
    regions: int
    commits: int
    effects: tuple[tuple[str, float], ...]
    bad: Mapping[str, str]
    steps: tuple[NightStep, ...]

    @property
    def sentence(self) -> str:
        """How nights of the machine are correlated, and how far they scatter."""
        how = "independent"
        if self.correlation >= CORRELATED:
            how = f"correlated, {self.correlation:.1f}"
        return (
            f"nights of this machine are {how}; usual spread {100 * self.spread:.1f} %"
        )


def nights_of(session: Session, project_id: int, machine: str) -> tuple[Nights, ...]:
    """Return the nights of a machine, by metric, as the newest detection knows them."""
    detection = regressions.detection_of(session, project_id)
    known = detection.details.get("nights", ()) if detection else ()
    return tuple(
        Nights(
            metric=each["metric"],
            correlation=each["correlation"],
            spread=each["spread"],
            regions=each["regions"],
            commits=each["commits"],
            effects=tuple((commit, effect) for commit, effect in each["nights"]),
            bad=each["bad"],
            steps=tuple(NightStep(**step) for step in each["steps"]),
        )
        for each in known
        if each["machine"] == machine
    )


def jobs_noise(session: Session, project_id: int, metric: str) -> Mapping[str, float]:
    """Return the share by which whole jobs of a machine differ, where it was learned.

    Twice the usual spread of its level from one run to the next, as the newest
    detection knows it.
    """
    detection = regressions.detection_of(session, project_id)
    return {
        known["machine"]: SPREADS * known["spread"]
        for known in (detection.details.get("nights", ()) if detection else ())
        if known["metric"] == metric and known["spread"] > 0
    }


def bad_nights(details: Mapping[str, Any], metric: str) -> Mapping[str, set[str]]:
    """Return the hashes of commits of bad nights by machine."""
    bad: dict[str, set[str]] = {}
    for known in details.get("nights", ()):
        if known["metric"] == metric:
            bad.setdefault(known["machine"], set()).update(known["bad"])
    return bad


COMMITS: Final = 20
"""Commits whose coverage is shown."""

WORST: Final = 8
"""Noisiest regions that are named."""


@dataclass(frozen=True, slots=True)
class MachineState:
    """The facts of a machine for some time.

    Parameters
    ----------
    changes
        Against the state before, empty for the first one.
    """

    facts: Mapping[str, Any]
    first_run_at: datetime
    last_run_at: datetime
    runs: int
    changes: tuple[ChangedFact, ...]


@dataclass(frozen=True, slots=True)
class Scatter:
    """How far repetitions lie apart: the interquartile range over the median.

    Parameters
    ----------
    median, largest
        Over the coordinates of a region, or over the regions of a metric.
    """

    name: str
    median: float
    largest: float


@dataclass(frozen=True, slots=True)
class MetricNoise:
    """The noise of a metric at the newest commit that the machine measured.

    Parameters
    ----------
    future
        How far its curves depart from growths beyond the last setting, in what is
        usual of codes, as forecasts that were met have shown; None where nothing was
        analysed yet, or too few series were.
    departing
        Share of its series that depart from growths within the settings.
    """

    metric: str
    scatter: Scatter
    regions: tuple[Scatter, ...]
    future: float | None
    departing: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The runs of a machine for a commit.

    Parameters
    ----------
    coordinates
        One per run.
    """

    commit: Commit
    coordinates: tuple[Mapping[str, Any], ...]
    results: int
    failures: int
    last_run_at: datetime


@dataclass(frozen=True, slots=True)
class Platform:
    """A machine of a project.

    Parameters
    ----------
    commits
        How many it measured.
    states, coverage
        Newest first.
    unmeasured
        Regions that others measured at the newest commit, and this machine did not.
    """

    project: str
    name: str
    slot: int
    runs: int
    commits: int
    states: tuple[MachineState, ...]
    noise: tuple[MetricNoise, ...]
    nights: tuple[Nights, ...]
    coverage: tuple[Coverage, ...]
    unmeasured: tuple[str, ...]
    machines: tuple[str, ...]


def platform(session: Session, project_name: str, name: str) -> Platform:
    """Return a machine of a project in full.

    Raises
    ------
    NotFound
        If the project, or its machine, is unknown.
    """
    project = projects.existing(session, project_name)
    machine = machines.named(session, project.id, name)
    siblings = machines.of_project(session, project.id)
    commits = coverage.newest_commits(session, machine, COMMITS)
    rows = machines.states(session, machine.id)
    changes = [
        changed_facts(before.facts, after.facts) for after, before in pairwise(rows)
    ]
    states = tuple(
        MachineState(*row, changes=changed)
        for row, changed in zip(rows, [*changes, ()], strict=True)
    )
    return Platform(
        project=project.name,
        name=machine.name,
        slot=[each.id for each in siblings].index(machine.id),
        runs=sum(state.runs for state in states),
        commits=len(coverage.commits_on(session, machine.id)),
        states=states,
        noise=_noise(session, machine.id, commits[0].id) if commits else (),
        nights=nights_of(session, project.id, machine.name),
        coverage=_coverage(session, machine.id, commits),
        unmeasured=_unmeasured(session, machine.id, commits[0]) if commits else (),
        machines=tuple(each.name for each in siblings),
    )


def _unmeasured(
    session: Session, machine_id: int, commit: AnyCommit
) -> tuple[str, ...]:
    now = CommitSnapshot.of(session, commit)
    everywhere = {region for metric in now.metrics for region in now.regions(metric)}
    measured = coverage.regions_on(session, machine_id, commit.id)
    return tuple(sorted(everywhere - measured))


def _noise(
    session: Session, machine_id: int, commit_id: int
) -> tuple[MetricNoise, ...]:
    spread: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for region, metric, middle, below, above in coverage.spreads(
        session, machine_id, commit_id
    ):
        if middle and below is not None and above is not None:
            spread[metric][region].append((below + above) / middle)
    learned = machines.noise_assumed(session, machine_id, commit_id)
    return tuple(
        MetricNoise(
            metric=metric,
            scatter=_scatter(
                metric, [share for shares in regions.values() for share in shares]
            ),
            regions=tuple(
                sorted(
                    starmap(_scatter, regions.items()),
                    key=lambda scatter: -scatter.median,
                )[:WORST]
            ),
            future=noise.get("future"),
            departing=noise["sizes"][-1] if "sizes" in noise else None,
        )
        for metric, regions in sorted(spread.items())
        for noise in [learned.get(metric, {})]
    )


def _scatter(name: str, shares: Sequence[float]) -> Scatter:
    return Scatter(name, median(shares), max(shares))


def _coverage(
    session: Session, machine_id: int, commits: Sequence[AnyCommit]
) -> tuple[Coverage, ...]:
    runs: dict[int, list[coverage.RunCounts]] = defaultdict(list)
    for run in coverage.runs_of(session, machine_id, [commit.id for commit in commits]):
        runs[run.commit_id].append(run)
    return tuple(
        Coverage(
            commit=commit_of(commit),
            coordinates=tuple(run.coordinate for run in runs[commit.id]),
            results=sum(run.results for run in runs[commit.id]),
            failures=sum(run.failures for run in runs[commit.id]),
            last_run_at=max(run.received_at for run in runs[commit.id]),
        )
        for commit in commits
        if runs[commit.id]
    )


@dataclass(frozen=True, slots=True)
class Machine:
    """A platform as one project names it.

    Parameters
    ----------
    fingerprint
        Hardware, network and software, by its last run.
    provenance
        Source of its numbers, if they were not measured there.
    """

    name: str
    last_run_at: datetime
    runs: int
    fingerprint: Mapping[str, Any]
    provenance: str | None


def machines_of(session: Session, project: str) -> tuple[Machine, ...]:
    """Return a project's machines in the order in which they appeared.

    Raises
    ------
    NotFound
        If no run of such a project was ever posted.
    """
    project_id = projects.existing(session, project).id
    facts = machines.newest_facts(session, project_id)
    origins = {name: text for _, name, text in machines.provenances(session, project)}
    return tuple(
        Machine(name, last_run_at, runs, facts[name], origins.get(name))
        for name, last_run_at, runs in machines.last_seen(session, project_id)
    )


def newest_fingerprint(
    session: Session, project: str, machine: str
) -> Mapping[str, Any]:
    """Return the facts of a machine by its last run."""
    project_id = projects.existing(session, project).id
    return machines.newest_facts(session, project_id).get(machine, {})


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of numbers of some machines, in words of those who posted them."""

    machines: tuple[str, ...]
    text: str


def origins_of(session: Session, project: str) -> tuple[Provenance, ...]:
    """Return the origins of simulated and published machines of a project."""
    return all_origins(session, project).get(project, ())


def all_origins(
    session: Session, project: str | None = None
) -> Mapping[str, tuple[Provenance, ...]]:
    """Return the origins of one project, or of each that has some."""
    named: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for owner, machine, text in machines.provenances(session, project):
        if text:
            named[owner][text].append(machine)
    return {
        owner: tuple(Provenance(tuple(names), text) for text, names in texts.items())
        for owner, texts in named.items()
    }


def changed_facts(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[ChangedFact, ...]:
    """Return the facts that matter and differ, by name."""
    return tuple(
        ChangedFact(name, before.get(name), after.get(name))
        for name in changed_parts(before, after)
    )


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the facts that matter and differ in words: `mpi A → B, cores 64 → 128`."""
    changed = [
        f"{each.fact} {_worded(each.before)} → {_worded(each.after)}"
        for each in changed_facts(before, after)
    ]
    return ", ".join(changed[:3]) + (" …" if len(changed) > 3 else "")


def _worded(fact: Any) -> Any:
    return "unknown" if fact is None else fact
