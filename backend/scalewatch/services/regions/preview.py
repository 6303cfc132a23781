"""Judge a region by an expectation that nobody has declared yet, or declare it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport, NotMeasured
from scalewatch.modelling import Growth, Mark, direction, parse_growth
from scalewatch.services.analysis.analysis import Answer, answers_under
from scalewatch.services.analysis.rows import verdict_row
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations.declarations import (
    Declaration,
    declare,
    normalised,
)
from scalewatch.services.expectations.in_force import Expectation, in_force, limit_of
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.regions.region import Region
from scalewatch.services.selection.pages import InPages
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit

MOST: Final = 6
"""Analyses of a preview, each a commit on a machine: it has to come while one types."""

_UNSAVED: Final = 0
"""Stands for the id of what is in no row."""


REASON = "the status quo at {}"


@dataclass(frozen=True, slots=True)
class PreviewedVerdict:
    """A series at a commit, as it is judged now and as it would be.

    Parameters
    ----------
    now
        By the expectation in force, if there is one.
    probability, divergence
        Of the verdict `then`, where they are told.
    reason
        Why it would be undecided, or remarks.
    """

    commit: Commit
    now: Mark | None
    then: Mark
    probability: float | None
    divergence: Growth | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class PreviewedSeries:
    """A series with its verdicts, newest commit first."""

    machine: str
    configuration: Mapping[str, Any]
    verdicts: tuple[PreviewedVerdict, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """Verdicts that an expectation would give.

    Parameters
    ----------
    growth, deviation_limit
        E and D in their normal form, the default D where none was stated.
    left_out
        Machines that are not judged here, since there are too many.
    """

    project: str
    region: str
    metric: str
    growth: Growth
    deviation_limit: Growth
    series: tuple[PreviewedSeries, ...]
    left_out: int

    @property
    def newest(self) -> tuple[PreviewedVerdict, ...]:
        """The newest verdict of each series."""
        return tuple(each.verdicts[0] for each in self.series if each.verdicts)


def declared_as(shown: Region, growth: str, deviation_limit: str | None) -> Expectation:
    """Return the expectation that declaring these would put in force.

    Raises
    ------
    BadExpression, FallingLimit
        If one of them makes no sense.
    """
    stated = Declaration(shown.region, shown.metric, growth, deviation_limit)
    normal = normalised(stated)
    read = parse_growth(str(normal.growth))
    return Expectation(
        id=_UNSAVED,
        region=shown.region,
        metric=shown.metric,
        growth=read,
        deviation_limit=limit_of(read, normal.deviation_limit),
        version=_UNSAVED,
        author="",
        reason=None,
        declared_at=datetime.now(UTC),
    )


def check_parameters(shown: Region, growth: str) -> None:
    """Refuse a growth over what nobody measures: O(P) is a slip for O(p).

    Raises
    ------
    InvalidReport
        If the growth names such a parameter.
    BadExpression
        If it cannot be read.
    """
    measured = {
        parameter
        for scan in shown.scans
        for taken in scan.measurements
        for parameter in taken.coordinate
    }
    unknown = sorted(set(parse_growth(growth).parameters) - measured)
    if measured and unknown:
        said = f"{shown.region} is not measured over {', '.join(unknown)}, only over "
        raise InvalidReport([("", said + ", ".join(sorted(measured)))])


def under(shown: Region, expectation: Expectation) -> Region:
    """Return a region with its scans as they are, beside another expectation."""
    scans = tuple(
        replace(scan, expectation=expectation, taken_level=None) for scan in shown.scans
    )
    return replace(shown, scans=scans)


def preview(
    session: Session, view: View, shown: Region, expectation: Expectation
) -> Preview:
    """Judge the last commits of a region by an expectation that is not in force.

    On one machine several commits, on all of them the newest: `MOST` analyses.
    """
    project = projects.existing(session, shown.project)
    commit = find_commit(session, project, shown.commit.sha)
    now = _judged(CommitSnapshot.of(session, commit), view, shown)
    measured = [
        machine
        for machine in machines.of_project(session, project.id)
        if any(machine.name == series.machine for series in now)
    ]
    key = (shown.region, shown.metric)
    expectations = {**in_force(session, project.id), key: expectation}
    verdicts: dict[int, list[PreviewedVerdict]] = {each.series_id: [] for each in now}
    for machine in measured[:MOST]:
        number = MOST // min(MOST, len(measured)) - 1
        ids = commits.measured_before(session, commit, machine.id, number)
        older = commits.identified(session, ids)
        for row in (commit, *(older[each] for each in ids)):
            subject = AnalysedCommit(row.id, machine.id)
            answers = answers_under(session, subject, expectations, *key)
            for series in _judged(CommitSnapshot.of(session, row), view, shown):
                if series.series_id in answers and series.series_id in verdicts:
                    verdicts[series.series_id].append(
                        _verdict(row, series, answers[series.series_id], expectation)
                    )
    return Preview(
        project=shown.project,
        region=shown.region,
        metric=shown.metric,
        growth=expectation.growth,
        deviation_limit=expectation.deviation_limit,
        series=tuple(
            PreviewedSeries(
                each.machine, each.configuration, tuple(verdicts[each.series_id])
            )
            for each in now
            if verdicts[each.series_id]
        ),
        left_out=max(0, len(measured) - MOST),
    )


def _judged(commit: CommitSnapshot, view: View, shown: Region) -> Sequence[Judged]:
    """Return the series of a region at a commit that a view is about."""
    return [
        each
        for each in commit.judged([shown.metric], {shown.region})
        if shown.machine in {None, each.machine} and is_chosen(each, view.configuration)
    ]


def _verdict(
    row: AnyCommit, judged: Judged, answer: Answer, expectation: Expectation
) -> PreviewedVerdict:
    """Return a verdict as an analysis would store it, beside the present one."""
    finding = answer.finding
    stored = verdict_row(row.id, answer.series_id, finding, expectation, answer.crowded)
    divergence = finding.divergence
    side = None if divergence is None else direction(divergence)
    return PreviewedVerdict(
        commit=commit_of(row),
        now=judged.standing.mark,
        then=Mark.of(finding.verdict, side),
        probability=finding.verdict_probability.get(finding.verdict),
        divergence=divergence,
        reason=stored["reason"] or None,
    )


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A region whose growth is to be expected as it is.

    Parameters
    ----------
    growth
        The fastest that was found on any machine.
    machines, found_on
        Those on which it is the growth, and the number of all that have one.
    is_open
        Whether it is certain on none of them.
    expected
        What is expected now, if anything is.
    """

    region: str
    metric: str
    growth: Growth
    machines: tuple[str, ...]
    found_on: int
    is_open: bool
    expected: Expectation | None

    @property
    def is_change(self) -> bool:
        """Whether accepting it declares anything new."""
        return self.expected is None or self.expected.growth != self.growth


@dataclass(frozen=True, slots=True)
class Acceptances(InPages):
    """The growths found at a commit, as they would be expected.

    Parameters
    ----------
    left_out
        Regions and metrics of which no growth was found, which stay as they are.
    """

    LISTED = "regions"

    project: str
    commit: Commit
    metrics: tuple[str, ...]
    regions: tuple[Acceptance, ...]
    left_out: tuple[tuple[str, str], ...]


def acceptances(  # noqa: PLR0913 - one per part of the wish
    session: Session,
    project_name: str,
    reference: str | None,
    *,
    regions: Collection[str] = (),
    metric: str | None = None,
    is_replacing: bool = True,
) -> Acceptances:
    """Return the growths found at a commit, the fastest where machines differ.

    Parameters
    ----------
    reference
        The commit, as `find_commit` takes it; None for the newest.
    regions, metric
        Which; all unless given.
    is_replacing
        Whether regions are among them of which something is expected.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    """
    project = projects.existing(session, project_name)
    commit = find_commit(session, project, reference)
    now = CommitSnapshot.of(session, commit)
    by_growth: dict[tuple[str, str], dict[Growth, list[Judged]]] = {}
    for series in now.judged(now.metrics if metric is None else [metric]):
        if regions and series.region not in regions:
            continue
        if not is_replacing and (series.expectation or series.composition):
            continue
        growths = by_growth.setdefault((series.region, series.metric), {})
        if (growth := series.standing.growth) is not None:
            growths.setdefault(growth, []).append(series)
    expected = in_force(session, project.id)
    return Acceptances(
        project=project.name,
        commit=commit_of(commit),
        metrics=tuple(now.metrics),
        regions=tuple(
            Acceptance(
                *key,
                growth=max(growths),
                machines=tuple(
                    sorted({each.machine for each in growths[max(growths)]})
                ),
                found_on=len({each.machine for of in growths.values() for each in of}),
                is_open=all(each.standing.is_open for each in growths[max(growths)]),
                expected=expected.get(key),
            )
            for key, growths in sorted(by_growth.items())
            if growths
        ),
        left_out=tuple(
            sorted(key for key, growths in by_growth.items() if not growths)
        ),
    )


def accept(  # noqa: PLR0913 - one per part of the wish
    session: Session,
    project_name: str,
    reference: str | None,
    *,
    author: str,
    reason: str | None,
    regions: Sequence[str] = (),
    metric: str | None = None,
    is_replacing: bool = True,
) -> int | None:
    """Expect the growths that were found at a commit; return the job that judges.

    Parameters
    ----------
    reference, regions, metric, is_replacing
        Which, as `acceptances` takes them.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    NotMeasured
        If nothing of that has a model there.
    """
    accepted = acceptances(
        session,
        project_name,
        reference,
        regions=regions,
        metric=metric,
        is_replacing=is_replacing,
    )
    label = accepted.commit.label
    if not accepted.regions:
        raise NotMeasured("growth", ", ".join(regions) or "any region", at=label)
    return declare(
        session,
        accepted.project,
        [
            Declaration(each.region, each.metric, str(each.growth))
            for each in accepted.regions
        ],
        author=author,
        reason=reason or REASON.format(label),
    )
