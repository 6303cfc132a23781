"""Questions about series: findings, factors between few settings, next measurements.

Many are modelled in few batches, and none twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from scalewatch.errors import ModellingError
from scalewatch.modelling import (
    Cost,
    Finding,
    Growth,
    Noise,
    Proposal,
    find_models,
    next_measurement,
)
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.modelling.few_settings import Step, steps_of
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.batch import NEEDED_SETTINGS, most_repetitions
from scalewatch.modelling.search.findings import refusal
from scalewatch.services.caches import Kept, key_of
from scalewatch.texts.scales import RESOURCES, hours_of
from scalewatch.wire import SECONDS, TIME

if TYPE_CHECKING:  # The base installation has no database.
    from scalewatch.services.expectations.in_force import Expectation

Target = Mapping[str, float]

ANSWERS: Final = Kept[Any](20_000)
"""Answers about series by the content they follow from: findings, proposals, noise."""

STARTUP: Final = 1.0
"""Seconds that a job takes before it measures, where its times are unknown."""


class MeasuredSeries(Protocol):
    """A series as files and databases have it."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that vary."""

    @property
    def settings(self) -> Reals:
        """Its settings in ascending order, shape (n, parameters)."""

    @property
    def values(self) -> Reals:
        """Repetitions at each of them, shape (n, R); NaN is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class SeriesQuestion:
    """A series to be modelled, judged and forecast.

    Parameters
    ----------
    parameters
        Those that vary.
    settings
        Its coordinates, shape (n, parameters).
    values
        Repetitions at each coordinate, shape (n, repetitions); NaN is missing.
    expectation, deviation_limit
        E and D, if anything is expected.
    noise
        As learned from all series of the machine and the metric.
    targets
        Where forecasts are wanted, as settings of all parameters.
    exact
        Whether the values are declared to be exact; None to tell by themselves.
    """

    parameters: tuple[str, ...]
    settings: Reals
    values: Reals
    expectation: Growth | None = None
    deviation_limit: Growth | None = None
    noise: Noise = USUAL
    targets: Sequence[Target] = ()
    exact: bool | None = None

    @classmethod
    def of(
        cls,
        series: MeasuredSeries,
        expectation: "Expectation | None" = None,
        noise: Noise | None = None,
        targets: Sequence[Target] = (),
        *,
        exact: bool | None = None,
    ) -> Self:
        """Return the question about a series, without arguments that do not concern it.

        An expectation does if it depends on parameters that vary alone, a target if
        it names all of them.
        """
        names = series.parameters
        if expectation is not None and not expectation.is_about(names):
            # Files have none: they choose the scale by the expectation.
            expectation = expectation.along(getattr(series, "followers", {}))
        if expectation is not None and not expectation.is_about(names):
            expectation = None
        return cls(
            parameters=names,
            settings=series.settings,
            values=series.values,
            expectation=expectation.growth if expectation else None,
            deviation_limit=expectation.deviation_limit if expectation else None,
            noise=noise or USUAL,
            targets=[
                {name: target[name] for name in names}
                for target in targets
                if target.keys() >= {*names}
            ],
            exact=exact,
        )

    @property
    def alike(self) -> tuple[object, ...]:
        """The key of series that are modelled together."""
        return (
            self.parameters,
            self.settings.tobytes(),
            self.expectation,
            self.deviation_limit,
            self.noise,
            self.exact,
            *(tuple(sorted(target.items())) for target in self.targets),
        )

    def key(self, *choices: object) -> bytes:
        """Return the key of an answer to it, by all that this depends on."""
        return key_of(_digest(self.alike), self.values.tobytes(), *choices)


def find_all(
    questions: Sequence[SeriesQuestion], choices: Mapping[str, Any]
) -> list[Finding]:
    """Return a finding for each question, in their order; none is computed twice.

    Series that are alike but for their repetitions are modelled together. Where a
    question makes no sense, the finding says so as its reason.

    Parameters
    ----------
    choices
        Further arguments of `find_models`: space, rule, summary, level.
    """
    chosen = repr(sorted(choices.items())).encode()
    return ANSWERS.answers(
        [question.key("finding", chosen) for question in questions],
        lambda places: _find([questions[place] for place in places], choices),
    )


def series_steps(series: MeasuredSeries) -> tuple[Step, ...]:
    """Return the factors between the settings of a series with too few for a growth.

    None where it has enough, or where several parameters vary.
    """
    if len(series.parameters) != 1 or len(series.settings) >= NEEDED_SETTINGS:
        return ()
    return steps_of(series.settings.reshape(-1), series.values)


def step_words(step: Step, parameter: str) -> str:
    """Return a factor in words: `it falls to 0.5 times [0.4, 0.6] from p = 2 to 8`."""
    return (
        f"it {direction(step)} to {step.factor:.3g} times [{step.low:.3g}, "
        f"{step.high:.3g}] from {parameter} = {step.start:.10g} to {step.end:.10g}"
    )


def direction(step: Step) -> str:
    """Return the verb of a factor."""
    return "grows" if step.factor >= 1 else "falls"


def whole_step_words(steps: Sequence[Step], parameter: str) -> str:
    """Return the factor between the ends in words; nothing without one."""
    return step_words(steps[-1], parameter) if steps else ""


def proposed(
    question: SeriesQuestion, metric: str, unit: str | None
) -> Proposal | None:
    """Return the cheapest measurement that would settle a verdict, if any would.

    Parameters
    ----------
    question
        About a series of which something is expected.
    metric, unit
        Of its values: a time without a unit is in seconds.
    """
    proposal: Proposal | None
    (proposal,) = ANSWERS.answers(
        [question.key("proposal", metric, unit)],
        lambda _: [_proposed(question, metric, unit)],
    )
    return proposal


def place_words(at: Mapping[str, float]) -> str:
    """Return a setting in words."""
    return " and ".join(f"{name} = {value:g}" for name, value in at.items())


def separating_words(at: Mapping[str, float]) -> str:
    """Return, in words, the setting whose count would tell growths apart."""
    return f"one more run at {place_words(at)} would separate the formulas"


def proposal_words(proposal: Proposal) -> str:
    """Return a proposal in words: the measurement, its worth and its cost."""
    return (
        f"{proposal.repetitions} repetitions at {place_words(proposal.at)} would "
        f"settle it with a probability of {proposal.settles:.0%}, for about "
        f"{proposal.hours:.2g} {hours_of(proposal.at)}"
    )


def _find(
    questions: Sequence[SeriesQuestion], choices: Mapping[str, Any]
) -> list[Finding]:
    batches: dict[tuple[object, ...], list[int]] = {}
    for position, question in enumerate(questions):
        batches.setdefault(question.alike, []).append(position)
    findings: dict[int, Finding] = {}
    for positions in batches.values():
        batch = [questions[position] for position in positions]
        findings |= zip(positions, _findings(batch, choices), strict=True)
    return [findings[position] for position in range(len(questions))]


def _findings(
    batch: Sequence[SeriesQuestion], choices: Mapping[str, Any]
) -> Sequence[Finding]:
    first = batch[0]
    try:
        return find_models(
            first.settings,
            stacked([question.values for question in batch]),
            parameter=first.parameters,
            expectation=first.expectation,
            deviation_limit=first.deviation_limit,
            targets=first.targets,
            noise=first.noise,
            **{"exact": first.exact, **choices},
        )
    except ModellingError as error:
        return [
            refusal(
                points=len(question.values),
                repetitions=most_repetitions(question.values),
                expectation=question.expectation,
                deviation_limit=question.deviation_limit,
                reason=str(error),
            )
            for question in batch
        ]


@lru_cache(maxsize=1024)
def _digest(alike: tuple[object, ...]) -> bytes:
    """Return a digest of the key that hundreds of series of a commit share."""
    return key_of(*alike)


def _proposed(
    question: SeriesQuestion, metric: str, unit: str | None
) -> Proposal | None:
    if question.expectation is None or len(question.parameters) > 1:
        return None
    (parameter,) = question.parameters
    if parameter not in RESOURCES:
        return None
    seconds = SECONDS.get(unit or "s", 0.0) if metric == TIME else 0.0
    try:
        return next_measurement(
            question.settings.reshape(-1),
            question.values,
            question.expectation,
            parameter=parameter,
            deviation_limit=question.deviation_limit,
            cost=Cost(STARTUP, seconds),
            noise=question.noise,
        )
    except ModellingError:
        return None
