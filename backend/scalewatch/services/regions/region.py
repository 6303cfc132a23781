"""A region at a commit: how it scales on each machine."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.errors import NoTimes, NotMeasured
from scalewatch.modelling import Mark
from scalewatch.services.commits.baselines import Neighbours, neighbours_of
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.compositions import ScanComposition, compositions_of
from scalewatch.services.expectations.built_in import LITMUS_TESTS
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.selection.renamed_regions import renamed
from scalewatch.services.selection.view import View, choose_metric, is_chosen, shared
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.scans import Scan
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.runs import source_locations
from scalewatch.storage.runs.source_locations import SourceLocation
from scalewatch.wire import TIME


@dataclass(frozen=True, slots=True)
class Region:
    """A region at a commit.

    Parameters
    ----------
    machines
        All that measured it, in the order in which they appeared.
    machine
        The one whose scans are shown; None shows all.
    source
        Where it lies in the source at this commit, if its runs tell.
    compositions
        Its scans beside the composed model that is expected, if one is.
    newest
        The newest commit, where that did not measure it and none was named: `commit`
        is the newest one that did. None otherwise.
    """

    project: str
    region: str
    commit: Commit
    neighbours: Neighbours
    metric: str
    metrics: tuple[str, ...]
    expectation: Expectation | None
    composition: ComposedExpectation | None
    machines: tuple[str, ...]
    machine: str | None
    scans: tuple[Scan, ...]
    source: SourceLocation | None = None
    compositions: tuple[ScanComposition, ...] = ()
    newest: Commit | None = None

    @property
    def commits(self) -> tuple[Commit, ...]:
        """Commits that one may want to see it at, newest first."""
        return self.neighbours.nearby

    @property
    def unit(self) -> str:
        """Unit of the metric."""
        return self.scans[0].unit

    def distinction(self, scan: Scan) -> Mapping[str, Any]:
        """Return the settings that tell a scan from the others of its machine."""
        siblings = [
            other.configuration for other in self.scans if other.machine == scan.machine
        ]
        common = shared(siblings)
        return {
            name: value
            for name, value in scan.configuration.items()
            if name not in common
        }


def region_at(session: Session, view: View, region: str) -> Region:
    """Return how a region scales at a commit, by machine and configuration.

    Where no commit is named, it is the newest one that measured the region.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown, or the region, the metric or the
        machine was not measured at this commit.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    now = CommitSnapshot.of(session, row)
    metrics = now.metrics_of(region)
    newest = None
    # A former name leads to the present one, see the page of a region.
    if not (metrics or view.commit or renamed(session, project.name, region)):
        newest = commit_of(row)
        row = commits.newest_with(session, project.id, region) or row
        now = CommitSnapshot.of(session, row)
        metrics = now.metrics_of(region)
    commit = commit_of(row)
    if not metrics:
        raise NotMeasured("region", region, at=commit.label)
    metric = choose_metric(metrics, view.metric)
    measured = now.scans(metric, [region])
    scans = sorted(
        (scan for scan in measured if is_chosen(scan, view.configuration)),
        key=lambda scan: (scan.slot, str(scan.configuration)),
    )
    shown = tuple(scan for scan in scans if view.machine in {None, scan.machine})
    if not shown:
        settings = ", ".join(view.settings) or region
        raise NotMeasured("machine", view.machine or "any", at=settings)
    return Region(
        project=project.name,
        region=region,
        commit=commit,
        neighbours=neighbours_of(session, project, row),
        metric=metric,
        metrics=tuple(metrics),
        expectation=shown[0].expectation,
        composition=shown[0].composition,
        machines=tuple(dict.fromkeys(scan.machine for scan in scans)),
        machine=view.machine,
        scans=shown,
        source=source_locations.of_region(session, row.id, region),
        newest=newest,
    )


def with_compositions(
    session: Session, region: Region, targets: Sequence[Mapping[str, float]] = ()
) -> Region:
    """Return a region with its scans beside the composed model, at targets, too."""
    if region.composition is None:
        return region
    project = projects.existing(session, region.project)
    commit = CommitSnapshot.of(
        session, find_commit(session, project, region.commit.sha)
    )
    compositions = compositions_of(commit, region.scans, targets)
    return replace(region, compositions=tuple(compositions))


def timed_region(
    session: Session, view: View, region: str | None
) -> tuple[Region, tuple[str, ...]]:
    """Return a region on all machines, by time unless another metric is asked for.

    Unless one is named, the region that most often scales worse than expected; without
    any, the first by name that is no litmus test. With the names of all regions that
    have the metric at this commit.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the metric or the region is unknown there.
    NoTimes
        If no metric is asked for, and others than time were measured only.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    commit = CommitSnapshot.of(session, row)
    metric = view.metric or TIME
    regions = tuple(commit.regions(metric))
    if not regions:
        others = [] if view.metric else commit.metrics
        at = commit_of(row).label
        raise NoTimes(others, at=at) if others else NotMeasured("metric", metric, at=at)
    everywhere = replace(view, metric=metric, machine=None, configuration={})
    shown = region or commit.kept(
        ("telling region",),
        lambda: _telling(commit.outlined([metric]), regions),
        metrics=[metric],
    )
    return region_at(session, everywhere, shown), regions


def scans_shown(region: Region, view: View) -> tuple[list[Scan], Scan]:
    """Return the scans of a configuration, and the one that is shown of a machine.

    Raises
    ------
    NotMeasured
        If the machine has none.
    """
    scans = [scan for scan in region.scans if is_chosen(scan, view.configuration)]
    for scan in scans:
        if view.machine in {None, scan.machine}:
            return scans, scan
    settings = ", ".join(view.settings) or "this commit"
    raise NotMeasured("machine", view.machine or "any", at=settings)


def _telling(judged: Iterable[Judged], regions: Iterable[str]) -> str:
    """Return the region of a commit that there is most to say about."""
    worse = Counter(
        each.region for each in judged if each.standing.mark is Mark.MISMATCH
    )
    return min(regions, key=lambda name: (-worse[name], name in LITMUS_TESTS, name))
