"""From measurements to findings: model, verdict and forecasts of many series."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.errors import (
    FallingLimit,
    MissingParameter,
    NoExpectation,
    NotFinite,
    UnknownChoice,
)
from scalewatch.modelling.exact_counts.exactness import exact_series, exact_values
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.space import (
    Space,
    default_deviation_limit,
    pmnf,
    search_space,
)
from scalewatch.modelling.measurements.assumptions import (
    SUMMARIES,
    USUAL,
    Noise,
    Summary,
)
from scalewatch.modelling.measurements.batch import Batch, obstacle
from scalewatch.modelling.rules import Rule, Sample, rule_named
from scalewatch.modelling.search.exact import EXACT, ExactQuestion
from scalewatch.modelling.search.finding import Finding
from scalewatch.modelling.search.findings import Findings, Group, horizons, refusal
from scalewatch.reasons import INFINITE

Choice = Literal["auto", "expectation", "pmnf"] | Space
"""A space, or where it comes from."""

DEFAULT: Final = "evidence"
"""Name of the rule that asks by itself whether a series is exact."""


def find_models(  # noqa: PLR0913, one keyword per choice of the user
    x: ArrayLike,
    values: ArrayLike,
    *,
    parameter: str | Sequence[str] = "p",
    expectation: Growth | None = None,
    deviation_limit: Growth | None = None,
    space: Choice | Sequence[Choice] = "auto",
    rule: str = "evidence",
    summary: Summary | None = None,
    targets: Sequence[float | Mapping[str, float]] = (),
    level: float = 0.9,
    noise: Noise = USUAL,
    exact: bool | None = None,
) -> Findings:
    """Model a batch of series measured at the same settings.

    A series that cannot be modelled has a finding that says why in words.

    Parameters
    ----------
    x
        Settings, shape (n,); for several parameters (n, parameters). A setting may
        occur twice, its repetitions are put together.
    values
        Repetitions, shape (S, n, R), any unit; NaN where one is missing.
    parameter
        Name of what varies, several for several columns of `x`.
    expectation
        E: how all of them should grow.
    deviation_limit
        D: growths from E/D to E·D are acceptable; half of E's leading exponent
        unless given.
    space
        Growths that compete: those that follow from the expectation, the usual ones
        of the performance model normal form, a space of your own, or what the rule
        prescribes. Several are put together: ("expectation", your own) refines or
        widens what follows from the expectation.
    rule
        How one of them is selected, see `scalewatch.modelling.rules`; for several
        parameters the default rule tries their sums and products.
    summary
        How repetitions become one value; what the rule prescribes unless given.
    targets
        Settings at which forecasts are wanted; those beyond the range of numbers are
        left out.
    level
        Probability that a forecast's interval holds, and that settles a verdict.
    noise
        What the default rule assumes of the noise. Series of one machine and metric
        share theirs, see `learn_noise`.
    exact
        Whether the values are exact counts, of which the rule `exact` finds the
        formula. Unless it is said, the default rule leaves series to it whose
        repetitions tell one value at each setting.

    Raises
    ------
    UnknownChoice, NoExpectation, FallingLimit, MissingParameter
        If the question makes no sense, whatever the measurements.
    WrongShape, NotFinite
        If the arrays do not fit each other or a setting is no number.
    OutsideDomain
        If a growth that competes is not defined at a target.
    """
    if summary is not None and summary not in SUMMARIES:
        raise UnknownChoice("summary", summary, SUMMARIES)
    parameters = (parameter,) if isinstance(parameter, str) else tuple(parameter)
    if rule == EXACT:
        rule, exact = DEFAULT, True
    selector = rule_named(rule, len(parameters))
    choices = (space,) if isinstance(space, str | Space) else tuple(space)
    competing = _space(choices, selector, expectation, parameters)
    question = _Question(
        rule=selector,
        space=competing,
        summary=summary,
        expectation=expectation,
        deviation_limit=_limit(expectation, deviation_limit),
        targets=tuple(_target(each, parameters[0], competing) for each in targets),
        level=level,
        noise=noise,
        may_fall="auto" in choices,
        exact=exact
        if exact is not None or (rule == DEFAULT and "auto" in choices)
        else False,
    )
    groups: list[Group] = []
    single: dict[int, Finding] = {}
    for rows, part in Batch.of(x, values, parameters).groups():
        reason = obstacle(part.settings, question.space)
        is_sound = part.is_finite if reason is None else np.zeros(len(rows), np.bool_)
        for row in np.flatnonzero(~is_sound).tolist():
            single[int(rows[row])] = question.refuse(
                part.points, part.repetitions(row), reason or INFINITE
            )
        is_exact = is_sound.copy()
        is_exact[is_sound] = question.exact_among(part.only(is_sound))
        if is_exact.any():
            single |= question.count(rows[is_exact], part.only(is_exact))
        others = is_sound & ~is_exact
        if others.any():
            groups.append(question.ask(rows[others], part.only(others)))
    return Findings(groups, single, np.asarray(values, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class _Question:
    """Question about each group of a batch."""

    rule: Rule
    space: Space
    summary: Summary | None
    expectation: Growth | None
    deviation_limit: Growth | None
    targets: tuple[Mapping[str, float], ...]
    level: float
    noise: Noise
    may_fall: bool
    exact: bool | None

    def exact_among(self, batch: Batch) -> NDArray[np.bool_]:
        """Tell which series the rule `exact` is for, shape (S,)."""
        if self.exact is not None:
            return np.full(len(batch.values), self.exact)
        return exact_series(batch.values) & batch.is_ordinary

    def count(
        self, rows: NDArray[np.intp], batch: Batch
    ) -> Iterator[tuple[int, Finding]]:
        """Yield findings about exact counts, by their positions."""
        question = ExactQuestion(
            settings=batch.settings,
            expectation=self.expectation,
            deviation_limit=self.deviation_limit,
            targets=self.targets,
            level=self.level,
        )
        for number, y in enumerate(exact_values(batch.values)):
            yield int(rows[number]), question.answer(y, batch.repetitions(number))

    def ask(self, rows: NDArray[np.intp], batch: Batch) -> Group:
        scaled, exponents = batch.scaled()
        sample = Sample(
            settings=scaled.settings,
            values=scaled.values,
            space=self.space,
            summary=self.summary or self.rule.summary,
            expectation=self.expectation,
            deviation_limit=self.deviation_limit,
            targets=self.targets,
            level=self.level,
            noise=self.noise,
            may_fall=self.may_fall,
        )
        selection = self.rule.select(sample)
        return Group(
            rows=rows,
            sample=sample,
            selection=selection,
            log2_scale=exponents,
            rule=self.rule.name,
            horizons=horizons(sample, selection, self.rule.select),
        )

    def refuse(self, points: int, repetitions: int, reason: str) -> Finding:
        finding = refusal(
            points, repetitions, self.expectation, self.deviation_limit, reason
        )
        return replace(finding, rule=self.rule.name)


def _limit(expectation: Growth | None, limit: Growth | None) -> Growth | None:
    if expectation is None:
        return None
    if limit is None:
        return default_deviation_limit(expectation)
    if not limit.dominates(CONSTANT):
        raise FallingLimit(str(limit))
    return limit


def _target(
    target: float | Mapping[str, float], parameter: str, space: Space
) -> Mapping[str, float]:
    """Return the settings of a target at which the whole space is defined."""
    stated = target if isinstance(target, Mapping) else {parameter: target}
    settings = {name: float(setting) for name, setting in stated.items()}
    for name, setting in settings.items():
        if not np.isfinite(setting):
            raise NotFinite(name, setting)
    _require_defined(space, tuple(settings.items()))
    return settings


# Hundreds of series are asked about at the same target.
@lru_cache(maxsize=128)
def _require_defined(space: Space, settings: tuple[tuple[str, float], ...]) -> None:
    for growth in space:
        growth.log2(dict(settings))


@lru_cache(maxsize=128)
def _space(
    choices: tuple[Choice, ...],
    rule: Rule,
    expectation: Growth | None,
    parameters: tuple[str, ...],
) -> Space:
    """Return the growths that compete."""
    spaces = [_chosen(each, rule, expectation, parameters) for each in choices]
    competing = reduce(Space.__or__, spaces, Space(()))
    for name in (*competing.parameters, *(expectation or CONSTANT).parameters):
        if name not in parameters:
            raise MissingParameter(name, str(expectation or "the search space"))
    return competing


def _chosen(
    space: Choice,
    rule: Rule,
    expectation: Growth | None,
    parameters: tuple[str, ...],
) -> Space:
    if isinstance(space, Space):
        return space
    known = ("auto", "expectation", "pmnf")
    if space not in known:
        raise UnknownChoice("space", space, known)
    source: str = space
    if source == "auto":
        source = "pmnf" if expectation is None else rule.auto_space
    if source == "expectation":
        if expectation is None:
            raise NoExpectation
        return search_space(expectation, parameters[0])
    usual = reduce(Space.__or__, map(pmnf, parameters))
    if expectation is not None and (source == "both" or expectation not in usual):
        return usual | search_space(expectation, parameters[0])
    return usual
