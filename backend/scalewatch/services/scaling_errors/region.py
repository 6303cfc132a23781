"""Scaling errors of a region at a commit, by machine and configuration, and drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.scaling_errors import (
    ErrorRow,
    contour_figure,
    difference_figure,
    efficiency_figure,
    efficiency_rows_figure,
    rows_figure,
)
from scalewatch.modelling import ScalingErrors, ScalingKind
from scalewatch.modelling.arrays import Reals
from scalewatch.services.commits.find import Commit
from scalewatch.services.regions.region import region_at, scans_shown, timed_region
from scalewatch.services.scaling_errors.scan import (
    CodeScaling,
    ScalingQuestion,
    code_scaling,
    settled,
    side_by_side,
)
from scalewatch.services.selection.view import (
    View,
    alternatives,
    choices_among,
    other_configurations,
)
from scalewatch.services.series.scans import Scan
from scalewatch.storage.access import projects
from scalewatch.storage.judgements import gate_rules
from scalewatch.texts.scales import RESOURCES, Scale


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

    @property
    def scale(self) -> Scale:
        """The parallel scale of what is shown."""
        return self.chosen.scale or RESOURCES["p"]


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
    scans, scan = scans_shown(everything, view)
    preferred = question.scale or gate_rules.scale_of(session, project.id)
    question = settled(scan, replace(question, scale=preferred))
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
        alternatives={
            **alternatives("machine", everything.machines, scan.machine),
            **alternatives(
                "commit",
                [each.label for each in everything.commits],
                everything.commit.label,
            ),
            **other_configurations(scan, everything.scans),
        },
        choices=choices_among(everything.scans),
    )


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


def label(scaling: CodeScaling, shared: Mapping[str, Any]) -> str:
    """Name a scaling by its machine and the settings that others do not share."""
    settings = [
        f"{name}={value}"
        for name, value in scaling.configuration.items()
        if name not in shared
    ]
    return " ".join([scaling.machine, *settings])


def _rows_of(
    shown: RegionScaling, values: Callable[[ScalingErrors], Reals]
) -> list[ErrorRow]:
    """Return the row of n₁ of each scaling that has one."""
    differing = shown.choices
    rows: list[ErrorRow] = []
    for scaling in shown.scalings:
        errors, sped = scaling.errors, scaling.speed_up
        if errors is None or sped is None:
            continue
        row = int(np.flatnonzero(errors.scales == sped.base)[0])
        shared = {name: 0 for name in scaling.configuration if name not in differing}
        rows.append(
            ErrorRow(
                label(scaling, shared),
                scaling.slot,
                errors.scales,
                values(errors)[row],
                errors.is_extrapolated[row],
                position=sum(each.slot == scaling.slot for each in rows),
            )
        )
    return rows


def _difference(shown: RegionScaling) -> Figure:
    if shown.other is None:
        raise NotFound("comparison", "vs")
    mine, others = shown.chosen.errors, shown.other.errors
    if mine is None or others is None:
        return canvas()
    return difference_figure(mine, others, shown.scale)


def _of_errors(
    draw: Callable[[ScalingErrors, Scale], Figure],
) -> Callable[[RegionScaling], Figure]:
    """Return how the errors that are shown are drawn, an empty figure without any."""
    return lambda shown: (
        canvas()
        if shown.chosen.errors is None
        else draw(shown.chosen.errors, shown.scale)
    )


FIGURES: Final[Mapping[str, Callable[[RegionScaling], Figure]]] = {
    "contours": _of_errors(contour_figure),
    "difference": _difference,
    "efficiency": _of_errors(efficiency_figure),
    "efficiency-rows": lambda shown: efficiency_rows_figure(
        shown.question.base or 1.0,
        _rows_of(shown, lambda errors: errors.normalised),
        shown.scale,
    ),
    "rows": lambda shown: rows_figure(
        shown.kind,
        shown.question.base or 1.0,
        _rows_of(shown, lambda errors: errors.errors),
        shown.scale,
    ),
}
