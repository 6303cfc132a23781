"""The outlook of a scan: forecasts at settings that nobody measured, and what is next.

Forecasts come from the repetitions themselves and the noise that the analysis learned,
not from the formula of a model: an interval has to allow for every curve that explains
the measurements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import (
    Finding,
    Forecast,
    Mark,
    MemoryWall,
    Proposal,
    Verdict,
    break_even,
    memory_wall,
)
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.forecasts.break_even import HiddenTerm, hidden_term
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.pools import pooled
from scalewatch.services.analysis.questions import (
    SeriesQuestion,
    Target,
    find_all,
    proposed,
)
from scalewatch.services.series.scans import Scan
from scalewatch.services.series.snapshots import repetitions_of

LEVEL: Final = 0.9
"""Probability that the interval of a forecast holds."""

MULTIPLES: Final = (2, 4, 16)
"""Forecasts are shown at these multiples of the largest setting measured."""

STEPS: Final = 9
"""Settings at which the interval of a curve is computed."""

LARGEST_TARGET: Final = 1e12
"""No machine has more processes, and no problem that anybody runs is larger."""

TWICE: Final = 2.0
"""How much slower than expected is worth a scale of its own."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Nodes that a scan over processes or threads was measured on.

    Parameters
    ----------
    largest
        Setting that was measured on them.
    nodes
        How many, of `cores` each, None where nobody says how many those are.
    most
        Largest setting for which cores suffice; None where more nodes may join, or
        their cores are unknown.
    """

    largest: float
    nodes: int
    cores: int | None
    most: float | None

    @classmethod
    def of(cls, scan: Scan, fingerprint: Mapping[str, Any]) -> "Placement | None":
        """Return what configuration, settings and fingerprint tell, if they do."""
        largest = max(scan.evidence, key=lambda taken: taken.x, default=None)
        if largest is None or scan.parameter not in {"p", "threads"}:
            return None
        stated = {**scan.configuration, **largest.coordinate}
        tasks, nodes, threads, p = (
            _count(stated.get(name))
            for name in ("tasks_per_node", "nodes", "threads", "p")
        )
        cores = _count(fingerprint.get("cores"))
        if scan.parameter == "threads":
            # Threads share one process, and processes one node unless more are named.
            on_node = tasks or (p or 1) // (nodes or 1) or 1
            most = cores and cores // on_node
            return cls(largest.x, nodes or 1, cores, most)
        if tasks:
            return cls(largest.x, nodes or -(-int(largest.x) // tasks), cores, None)
        if not nodes:
            return None
        is_fixed = "nodes" in scan.configuration
        most = nodes * cores // (threads or 1) if is_fixed and cores else None
        return cls(largest.x, nodes, cores, most)

    def allows(self, setting: float) -> bool:
        """Tell whether cores suffice, or did for what was measured."""
        return self.most is None or setting <= max(self.most, self.largest)


def _count(value: object) -> int | None:
    """Return a whole number above zero, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 1 and float(value).is_integer() else None


@dataclass(frozen=True, slots=True)
class Outlook:
    """Expected behaviour at larger scales.

    Parameters
    ----------
    wanted
        The scale of a request, if it names one.
    target
        The forecast for it, if there is one.
    horizon
        The largest scale that forecasts reach; None if they reach all of these.
    hidden
        A term that the measurements could not have shown.
    forecasts
        At multiples of the largest setting measured, and at the target.
    expected
        The expectation at the target, else at the farthest forecast; None where its
        level is unknown.
    twice_from
        The setting from which it takes twice as much as expected; None if never, or
        where nothing is expected, or no level is known of it.
    wall
        Where memory no longer suffices, for a metric that is memory.
    proposal
        The measurement to take next, where the verdict is undecided.
    placement
        The nodes that were measured on, where they are known.
    """

    wanted: float | None
    target: Forecast | None
    horizon: float | None
    hidden: HiddenTerm | None
    forecasts: tuple[Forecast, ...]
    expected: float | None
    twice_from: float | None
    wall: MemoryWall | None
    proposal: Proposal | None
    placement: Placement | None = None


Repetitions = Mapping[UUID, Reals]
"""All repetitions of a scan, by run."""


def target_of(text: str) -> Target:
    """Read a target such as `p=65536` or `p=65536,n=1e6`."""
    parts = (part.partition("=") for part in text.split(","))
    return {name.strip(): float(setting) for name, _, setting in parts}


def outlook(
    session: Session,
    scan: Scan,
    target: float | None = None,
    fingerprint: Mapping[str, Any] | None = None,
) -> Outlook | None:
    """Return the outlook of a scan at larger scales; None without a model."""
    if scan.standing.model is None:
        return None
    repetitions = repetitions_of(session, [scan])
    measured = [each.x for each in scan.evidence]
    scales = {multiple * max(measured) for multiple in MULTIPLES}
    placement = Placement.of(scan, fingerprint or {})
    wanted = sorted(scales | ({target} if target is not None else set()))
    wanted = [each for each in wanted if placement is None or placement.allows(each)]
    question = _question(scan, repetitions, _targets(scan, wanted))
    finding = find_all([question], {"level": LEVEL})[0] if question else None
    forecasts = finding.forecasts if finding else ()
    farthest = forecasts[-1].at[scan.parameter] if forecasts else None
    expected, twice_from = _against_expectation(
        scan, farthest if target is None else target
    )
    return Outlook(
        wanted=target,
        horizon=finding.horizon if finding else None,
        hidden=_hidden(question, finding) if question and finding else None,
        target=next(
            (each for each in forecasts if each.at[scan.parameter] == target), None
        ),
        forecasts=forecasts,
        expected=expected,
        twice_from=twice_from,
        wall=_wall(scan, fingerprint or {}),
        proposal=_proposal(scan, repetitions),
        placement=placement,
    )


def forecasts_of(
    session: Session,
    scans: Sequence[Scan],
    targets: Sequence[Target],
    level: float = LEVEL,
) -> list[tuple[Forecast, ...]]:
    """Return the forecasts of each scan at the targets that name all its parameters.

    A scan without a model has none.

    Parameters
    ----------
    level
        Probability that an interval holds.
    """
    questions = {
        place: question
        for place, scan in enumerate(scans)
        if scan.standing.model is not None
        if (question := _question(scan, repetitions_of(session, [scan]), targets))
    }
    findings = find_all(list(questions.values()), {"level": level})
    forecasts = {
        place: finding.forecasts
        for place, finding in zip(questions, findings, strict=True)
    }
    return [forecasts.get(place, ()) for place in range(len(scans))]


def curve_forecasts(
    session: Session, scan: Scan, target: float | None = None
) -> tuple[Forecast, ...]:
    """Return intervals along a scan, up to a target if there is one."""
    measured = [each.x for each in scan.evidence]
    if scan.standing.model is None or not measured:
        return ()
    end = max(*measured, target or 0)
    along = np.geomspace(min(measured), end, STEPS).tolist()
    return forecasts_of(session, [scan], _targets(scan, [*along[:-1], end]))[0]


def held_at(scan: Scan) -> dict[str, float]:
    """Return where the other parameters of a scan are largest: they stay there."""
    measured = [each.coordinate for each in scan.evidence]
    return {
        name: float(max(at.get(name, 0) for at in measured))
        for name in scan.parameters[1:]
        if measured
    }


def _question(
    scan: Scan, repetitions: Repetitions, targets: Sequence[Target]
) -> SeriesQuestion | None:
    """Return the question about a scan; None where no repetitions are kept."""
    measured = [each for each in scan.evidence if each.run in repetitions]
    if not measured:
        return None
    return SeriesQuestion.of(
        pooled(
            [each.coordinate for each in measured],
            [repetitions[each.run] for each in measured],
            scan.parameter,
        ),
        scan.expectation,
        scan.standing.noise,
        targets,
        exact=scan.standing.rule == EXACT or None,
    )


def _hidden(question: SeriesQuestion, finding: Finding) -> HiddenTerm | None:
    """Return the term that measurements could not show beside their model.

    None of several parameters. Exact counts hide nothing, and what fits no growth hides
    more than that.
    """
    is_certain = finding.exactness is not None and finding.exactness.outcome is not None
    if is_certain or finding.misfit or finding.model is None:
        return None
    if len(question.parameters) > 1 or not np.nanmin(question.values) > 0:
        return None
    (parameter,) = question.parameters
    settings = {parameter: question.settings.reshape(-1)}
    if settings[parameter].min() <= 0:
        return None
    return hidden_term(settings, question.values, finding.model, question.noise)


def _proposal(scan: Scan, repetitions: Repetitions) -> Proposal | None:
    """Return the cheapest measurement that would settle an undecided verdict."""
    if scan.standing.verdict is not Verdict.UNDECIDED:
        return None
    question = _question(scan, repetitions, ())
    return proposed(question, scan.metric, scan.unit) if question else None


def _targets(scan: Scan, scales: Sequence[float]) -> list[Target]:
    """Return where all parameters are, one of them at some scales."""
    held = held_at(scan)
    return [{**held, scan.parameter: scale} for scale in scales]


def _against_expectation(
    scan: Scan, target: float | None
) -> tuple[float | None, float | None]:
    """Return what is expected at the target, and from where it takes twice that.

    None where the level of the expectation is unknown: its growth is no number.
    """
    model, expectation, level = scan.standing.model, scan.expectation, scan.taken_level
    if model is None or expectation is None or level is None:
        return None, None
    named = {scan.parameter, *model.growth.parameters, *expectation.growth.parameters}
    if named != {scan.parameter} or set(level.at) != {scan.parameter}:
        return None, None
    try:
        curve = level.curve(expectation.growth)
        expected = None if target is None else float(curve({scan.parameter: target}))
        if scan.standing.is_open and scan.standing.mark is not Mark.MISMATCH:
            return expected, None  # another growth may be the true one
        start = level.at[scan.parameter]
        twice = break_even(model, curve, TWICE, scan.parameter, start=start)
    except ModellingError:
        return None, None
    return expected, twice


def _wall(scan: Scan, fingerprint: Mapping[str, Any]) -> MemoryWall | None:
    """Return where the processes of a node need more memory than it has."""
    model = scan.standing.model
    memory = fingerprint.get("memory_bytes")
    share = scan.configuration.get("tasks_per_node", fingerprint.get("cores"))
    if model is None or scan.metric != "memory" or scan.parameter != "p":
        return None
    if not isinstance(memory, int | float) or not isinstance(share, int):
        return None
    if memory <= 0 or share <= 0 or set(model.growth.parameters) - {"p"}:
        return None
    return memory_wall(model, float(memory), share)
