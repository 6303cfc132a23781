"""Scaling errors of a region at a commit, by machine and configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.modelling import ScalingKind
from scalewatch.services.commits.find import Commit
from scalewatch.services.regions.region import Region, region_at, timed_region
from scalewatch.services.scaling_errors.scan import (
    CodeScaling,
    ScalingQuestion,
    code_scaling,
    settled,
    side_by_side,
)
from scalewatch.services.selection.view import View, choices_among, is_chosen
from scalewatch.services.series.scans import Scan
from scalewatch.storage.access import projects


@dataclass(frozen=True, slots=True)
class RegionScaling:
    """The scaling errors of a region at a commit.

    Parameters
    ----------
    regions
        Those with times at this commit, by name.
    question
        As asked, with the kind and n₁ of the answer where none was named.
    scalings
        One per machine and configuration.
    chosen
        The one whose pairs are shown.
    other
        The other side, if one was asked for.
    alternatives
        Possible other sides: their names by the text for `vs`.
    choices
        Settings in which the scalings of a machine differ.
    """

    project: str
    region: str
    regions: tuple[str, ...]
    commit: Commit
    commits: tuple[Commit, ...]
    machines: tuple[str, ...]
    question: ScalingQuestion
    scalings: tuple[CodeScaling, ...]
    chosen: CodeScaling
    other: CodeScaling | None
    alternatives: Mapping[str, str]
    choices: Mapping[str, tuple[Any, ...]]

    @property
    def kind(self) -> ScalingKind:
        """The kind of scaling that is shown."""
        return self.question.kind or ScalingKind.STRONG


def scaling_errors_at(
    session: Session, view: View, region: str | None, question: ScalingQuestion
) -> RegionScaling:
    """Return how far a region is from ideal scaling, the most telling unless named.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the region, the machine or the other side is
        unknown or was not measured.
    """
    project = projects.existing(session, view.project)
    everything, regions = timed_region(session, view, region)
    scans = [scan for scan in everything.scans if is_chosen(scan, view.configuration)]
    scan = _chosen(scans, view)
    question = settled(scan, question)
    scalings = side_by_side(scans, question)
    return RegionScaling(
        project=project.name,
        region=everything.region,
        regions=regions,
        commit=everything.commit,
        commits=everything.commits,
        machines=everything.machines,
        question=question,
        scalings=scalings,
        chosen=scalings[scans.index(scan)],
        other=_other(
            session,
            replace(view, metric=everything.metric),
            everything.region,
            scan,
            question,
        ),
        alternatives=_alternatives(everything, scan),
        choices=choices_among(everything.scans),
    )


def _chosen(scans: Sequence[Scan], view: View) -> Scan:
    for scan in scans:
        if view.machine in {None, scan.machine}:
            return scan
    settings = ", ".join(view.settings) or "this commit"
    raise NotMeasured("machine", view.machine or "any", at=settings)


def _alternatives(everything: Region, chosen: Scan) -> dict[str, str]:
    """Return the possible other sides of a scan, by the text for `vs`."""
    settings = [
        f"{name}={value}"
        for scan in everything.scans
        if scan.machine == chosen.machine
        for name, value in scan.configuration.items()
        if chosen.configuration.get(name) != value
    ]
    return {
        **{
            f"machine={machine}": f"machine {machine}"
            for machine in everything.machines
            if machine != chosen.machine
        },
        **{
            f"commit={commit.label}": f"commit {commit.label}"
            for commit in everything.commits
            if commit.sha != everything.commit.sha
        },
        **{f"configuration={each}": each for each in settings},
    }


def _other(
    session: Session, view: View, region: str, scan: Scan, question: ScalingQuestion
) -> CodeScaling | None:
    """Return the other side of a scan; settings that are not named stay the same."""
    if not question.vs:
        return None
    kind, _, named = question.vs.partition("=")
    settings = {name: str(value) for name, value in scan.configuration.items()}
    same = replace(view, machine=scan.machine, configuration=settings)
    match kind:
        case "commit":
            wanted = replace(same, commit=named)
        case "machine":
            # Machines can differ in their configurations as well.
            wanted = replace(view, machine=named)
        case "configuration":
            name, _, value = named.partition("=")
            wanted = replace(same, configuration={**settings, name: value})
        case _:
            raise NotFound("comparison", question.vs)
    return code_scaling(region_at(session, wanted, region).scans[0], question)
