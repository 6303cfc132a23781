"""Hotspots: where the profile of a code changes along a scan of a setting."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError, NotFound, NotMeasured
from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.hotspots import (
    DifferenceLine,
    differences_figure,
    movements_figure,
    shares_figure,
)
from scalewatch.modelling import (
    Against,
    Correction,
    Movement,
    ProfileScan,
    ScanStep,
    movements,
    scan_profiles,
)
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.selection.view import View, alternatives
from scalewatch.storage.access import projects
from scalewatch.storage.runs import profiles
from scalewatch.texts.scales import RESOURCES, varied_scale

LEVEL: Final = 0.05
"""Corrected p-values below this one are significant."""


SIZE: Final = "n"

WORK: Final = "n/"
"""Begin of the name of work per process or node, which weak scaling holds fixed."""


Setting = float | str


@dataclass(frozen=True, slots=True)
class ProfiledScan:
    """Profiled runs of a machine that differ in one setting only.

    Parameters
    ----------
    held
        Settings that they share.
    seconds
        By setting, the time of each function; of several runs, its mean.
    runs
        How many there are.
    """

    machine: str
    held: Mapping[str, Any]
    seconds: Mapping[Setting, Mapping[str, float]]
    runs: int


@dataclass(frozen=True, slots=True)
class HotspotQuestion:
    """The comparison of profiles that is asked for.

    Parameters
    ----------
    over
        Parameter of the scan; the most useful one unless given.
    held
        Which of several scans: the settings that it holds fixed, as text.
    against
        The profile that each is compared with.
    correction
        How p-values are corrected for the number of comparisons.
    unit
        Seconds that count as one in χ²; a hundredth of the shortest profile unless
        given.
    at
        The setting, as text, whose profile is shown beside the one before it; that
        of the largest change unless given.
    vs
        The other side: `commit=v1`, `machine=jureca` or `held=n=1000`.
    """

    over: str | None = None
    held: str | None = None
    against: Against = Against.PREVIOUS
    correction: Correction = Correction.HOLM
    unit: float | None = None
    at: str | None = None
    vs: str | None = None


@dataclass(frozen=True, slots=True)
class HotspotScan:
    """A scan, compared step by step, or why that cannot be done.

    Parameters
    ----------
    held
        Settings that all its runs share.
    label
        Those of it in which the scans of the machine differ, as text.
    functions, seconds
        Names, and times per setting of the scan: (settings, functions).
    unit
        Seconds that count as one in χ².
    steps
        The comparisons, in the order of the scan.
    reason
        Why there are none, in words.
    """

    machine: str
    held: Mapping[str, Any]
    label: str
    runs: int
    settings: tuple[float | str, ...]
    functions: tuple[str, ...] = ()
    seconds: tuple[tuple[float, ...], ...] = ()
    unit: float | None = None
    steps: tuple[ScanStep, ...] = ()
    reason: str | None = None

    @property
    def jumps(self) -> tuple[ScanStep, ...]:
        """The significant steps, the largest χ² first."""
        significant = [step for step in self.steps if step.is_significant]
        return tuple(sorted(significant, key=lambda step: -step.difference.chi2))


@dataclass(frozen=True, slots=True)
class Hotspots:
    """How the profiles of a commit change along a scan.

    Parameters
    ----------
    commits
        Those that were profiled, the last one first.
    overs
        Settings that a scan can vary.
    scans
        All scans over the chosen one, by label, on the chosen machine.
    chosen
        The one that is shown; None where nothing was profiled.
    other
        The other side, if one was asked for.
    alternatives
        Possible other sides: their names by the text for `vs`.
    step, movements
        Two neighbouring profiles, and the change of each function between them.
    """

    project: str
    commit: Commit | None
    commits: tuple[Commit, ...]
    machines: tuple[str, ...]
    question: HotspotQuestion
    overs: tuple[str, ...] = ()
    scans: tuple[str, ...] = ()
    chosen: HotspotScan | None = None
    other: HotspotScan | None = None
    alternatives: Mapping[str, str] = field(default_factory=dict)
    step: ScanStep | None = None
    movements: tuple[Movement, ...] = ()


def hotspots_at(session: Session, view: View, question: HotspotQuestion) -> Hotspots:
    """Return how the profiles of a commit change; of the last one profiled by default.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the machine, the setting or the other side is
        unknown or was not profiled.
    """
    project = projects.existing(session, view.project)
    profiled = profiles.commits_of(session, project.id)
    commits = tuple(map(commit_of, profiled))
    if view.commit is not None:
        commit = find_commit(session, project, view.commit)
    elif profiled:
        commit = profiled[0]
    else:
        return Hotspots(project.name, None, (), (), question)
    runs = _chosen_runs(session, commit.id, view)
    machines = tuple(dict.fromkeys(run.machine for run in runs))
    if not runs:
        return Hotspots(project.name, commit_of(commit), commits, (), question)
    overs = varied(runs) or (_scale([*map(_settings, runs)]),)
    question = replace(question, over=question.over or overs[0])
    if view.machine is not None and view.machine not in machines:
        raise NotMeasured("machine", view.machine, at=commit_of(commit).label)
    machine = view.machine or machines[0]
    scans = _scans(runs, machine, question)
    scan = _held(scans, question.held)
    chosen = _compared(scan, scans, question)
    step = _step(chosen, question)
    labels = [_label(each, scans) for each in scans]
    return Hotspots(
        project=project.name,
        commit=commit_of(commit),
        commits=commits,
        machines=machines,
        question=question,
        overs=overs,
        scans=tuple(labels),
        chosen=chosen,
        other=_other(session, view, question, runs, machine),
        alternatives={
            **{
                f"held={label}": label
                for each, label in zip(scans, labels, strict=True)
                if each is not scan
            },
            **alternatives("machine", machines, machine),
            **alternatives(
                "commit", [each.label for each in commits], commit_of(commit).label
            ),
        },
        step=step,
        movements=movements(scan.seconds[step.before], scan.seconds[step.after])
        if step
        else (),
    )


def varied(runs: Sequence[profiles.ProfiledRun]) -> tuple[str, ...]:
    """Return the settings in which runs differ: scale and size first."""
    settings = [_settings(run) for run in runs]
    scale = _scale(settings)
    names = sorted(
        set().union(*settings), key=lambda name: (name != scale, name != SIZE, name)
    )
    return tuple(
        name for name in names if len({repr(each.get(name)) for each in settings}) > 1
    )


def profiled_scans(
    runs: Sequence[profiles.ProfiledRun], over: str
) -> tuple[ProfiledScan, ...]:
    """Return all scans over a setting, those with the most settings first.

    Runs whose problem grows with the processes make scans as well: they hold the
    work per process fixed.
    """
    groups: dict[tuple[str, tuple[tuple[str, Any], ...]], list[profiles.ProfiledRun]]
    groups = defaultdict(list)
    scale = over if over in RESOURCES else _scale([*map(_settings, runs)])
    for run in runs:
        settings = _settings(run)
        if over not in settings:
            continue
        rest = {name: value for name, value in settings.items() if name != over}
        ways = [rest]
        other = {scale: SIZE, SIZE: scale}.get(over)
        if other in rest:
            work = settings[SIZE] / settings[scale]
            others = {name: rest[name] for name in rest if name != other}
            ways.append(others | {WORK + scale: work})
        for held in ways:
            groups[run.machine, tuple(sorted(held.items()))].append(run)
    scans = [
        ProfiledScan(machine, dict(held), _seconds(members, over), len(members))
        for (machine, held), members in groups.items()
    ]
    # A single setting is shown only where there is nothing to compare.
    compared = [scan for scan in scans if len(scan.seconds) > 1]
    single = [scan for scan in scans if not _holds_work(scan)]
    # Among equals, a fixed size comes before fixed work.
    return tuple(
        sorted(
            compared or single,
            key=lambda scan: (-len(scan.seconds), _holds_work(scan)),
        )
    )


def _holds_work(scan: ProfiledScan) -> bool:
    return any(name.startswith(WORK) for name in scan.held)


def _scale(settings: Sequence[Mapping[str, Any]]) -> str:
    scale = varied_scale(settings)
    return scale.name if scale else "p"


def _settings(run: profiles.ProfiledRun) -> dict[str, Any]:
    return {**run.configuration, **run.coordinate}


def _seconds(
    runs: Sequence[profiles.ProfiledRun], over: str
) -> dict[Setting, dict[str, float]]:
    """Return the mean time of each function by setting."""
    at: dict[Setting, list[dict[str, float]]] = defaultdict(list)
    for run in runs:
        value = _settings(run)[over]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        at[float(value) if is_number else str(value)].append(profiles.decode(run.blob))
    return {
        setting: {
            name: fmean(each.get(name, 0.0) for each in taken)
            for name in set().union(*taken)
        }
        for setting, taken in at.items()
    }


def _chosen_runs(
    session: Session, commit_id: int, view: View
) -> list[profiles.ProfiledRun]:
    """Return the profiled runs with the settings of the view."""
    return [
        run
        for run in profiles.at_commit(session, commit_id)
        if all(
            str(run.configuration.get(name)) == text
            for name, text in view.configuration.items()
        )
    ]


def _scans(
    runs: Sequence[profiles.ProfiledRun], machine: str, question: HotspotQuestion
) -> tuple[ProfiledScan, ...]:
    on_machine = [run for run in runs if run.machine == machine]
    scans = profiled_scans(on_machine, question.over or "p")
    if not scans:
        raise NotFound("setting", question.over)
    return scans


def _held(scans: Sequence[ProfiledScan], label: str | None) -> ProfiledScan:
    for scan in scans:
        if label in {None, _label(scan, scans)}:
            return scan
    raise NotFound("scan", label)


def _label(scan: ProfiledScan, scans: Sequence[ProfiledScan]) -> str:
    """Return the settings that tell a scan from the others: `n=1000, threads=2`."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in scan.held.items()
        if any(repr(other.held.get(name)) != repr(value) for other in scans)
    )


def _compared(
    scan: ProfiledScan, scans: Sequence[ProfiledScan], question: HotspotQuestion
) -> HotspotScan:
    """Compare the profiles of a scan, or say why that cannot be done."""
    place = HotspotScan(
        scan.machine, scan.held, _label(scan, scans), scan.runs, tuple(scan.seconds)
    )
    try:
        compared: ProfileScan = scan_profiles(
            list(scan.seconds),
            list(scan.seconds.values()),
            against=question.against,
            correction=question.correction,
            level=LEVEL,
            unit=question.unit,
        )
    except ModellingError as why:
        return replace(place, reason=str(why))
    return replace(
        place,
        settings=compared.settings,
        functions=compared.functions,
        seconds=tuple(map(tuple, compared.seconds.tolist())),
        unit=compared.unit,
        steps=tuple(compared),
    )


def _step(scan: HotspotScan, question: HotspotQuestion) -> ScanStep | None:
    """Return the step that is shown: the one asked for, else the largest change."""
    if question.at is not None:
        for step in scan.steps:
            if setting_key(step.after) == question.at:
                return step
        raise NotFound("setting", question.at)
    return max(scan.steps, key=lambda step: step.difference.chi2, default=None)


def setting_key(setting: float | str) -> str:
    """Return the text by which a setting is asked for."""
    return setting if isinstance(setting, str) else f"{setting:g}"


def _other(
    session: Session,
    view: View,
    question: HotspotQuestion,
    runs: Sequence[profiles.ProfiledRun],
    machine: str,
) -> HotspotScan | None:
    """Return the scan that the chosen one is compared with."""
    if not question.vs:
        return None
    kind, _, named = question.vs.partition("=")
    match kind:
        case "held":
            scans = _scans(runs, machine, question)
            return _compared(_held(scans, named), scans, question)
        case "machine":
            scans = _scans(runs, named, question)
        case "commit":
            project = projects.existing(session, view.project)
            commit = find_commit(session, project, named)
            scans = _scans(_chosen_runs(session, commit.id, view), machine, question)
        case _:
            raise NotFound("comparison", question.vs)
    # Another machine or commit may hold other settings fixed.
    matching = [each for each in scans if _label(each, scans) == question.held]
    return _compared((matching or list(scans))[0], scans, question)


def _name(scan: HotspotScan, name: str | None) -> str:
    """Return a name of a scan that tells it from the other."""
    return name or scan.label or scan.machine


def _differences(shown: Hotspots) -> Figure:
    if shown.chosen is None:
        return canvas()
    lines = [DifferenceLine(_name(shown.chosen, None), shown.chosen.steps)]
    if shown.other is not None:
        name = shown.alternatives.get(shown.question.vs or "")
        lines.append(DifferenceLine(_name(shown.other, name), shown.other.steps))
    return differences_figure(shown.question.over or "p", lines)


def _shares(shown: Hotspots) -> Figure:
    scan = shown.chosen
    if scan is None:
        return canvas()
    over = shown.question.over or "p"
    return shares_figure(over, scan.settings, scan.functions, scan.seconds)


FIGURES: Final[Mapping[str, Callable[[Hotspots], Figure]]] = {
    "differences": _differences,
    "movements": lambda shown: (
        canvas()
        if shown.step is None
        else movements_figure(shown.step.before, shown.step.after, shown.movements)
    ),
    "shares": _shares,
}
