"""Reasons why something is undecided, suspected or has no value: evidence, and words.

The modelling core decides and returns the evidence; the sentence about it is `str` of
one of these. A reason that has evidence carries it as fields.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

NO_EXPECTATION: Final = "no expectation was given"
INFINITE: Final = "a value is infinite"
NO_LOGARITHM: Final = "a value that is not positive has no logarithm"
NOT_POSITIVE: Final = (
    "a value is zero or negative, or vanishes beside the others: relative errors "
    "cannot weigh it"
)
NO_FACTORS: Final = (
    "the space needs growths of one parameter each: it is their sums and products "
    "that compete"
)
ONE_FUNCTION: Final = (
    "one function took all the time in both profiles: no share can change"
)
CONSTANT_ERROR: Final = "the error is constant; it does not grow, so it counts as 0"
UNSETTLED: Final = "the measurements do not settle it"
"""Why a verdict is open that no other reason keeps open, before its probabilities."""

NEVER_POSITIVE: Final = "at no setting is it a positive number without shared cores"
COUNTED: Final = "The library: no machine changes a count"


@dataclass(frozen=True, slots=True)
class Unsettled:
    """No verdict is probable enough; `probability` is by verdict."""

    probability: Mapping[str, float]

    def __str__(self) -> str:
        shares = (
            f"{verdict} {share:.0%}" for verdict, share in self.probability.items()
        )
        return f"{UNSETTLED}: {', '.join(shares)}"


@dataclass(frozen=True, slots=True)
class FewSettings:
    """Too few settings for a growth; `further` ones would tell it, as texts."""

    measured: int
    needed: int
    parameter: str = ""
    further: Sequence[str] = ()

    def __str__(self) -> str:
        lacking = f"{self.measured} of {self.needed} settings"
        if not self.further:
            return lacking
        *others, last = self.further
        listed = " and ".join(filter(None, [", ".join(others), last]))
        return f"{lacking}: {self.parameter} = {listed} would show its growth"


@dataclass(frozen=True, slots=True)
class FewInBoth:
    """Too few settings were measured in both versions, see `TooFewSettings`."""

    lacking: Exception

    def __str__(self) -> str:
        return f"{self.lacking} in both versions"


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A growth that no computer evaluates at the settings."""

    growth: object

    def __str__(self) -> str:
        return f"{self.growth} is too large to compute with at the settings measured"


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A design that cannot tell a product from a sum; `point` would resolve it."""

    parameters: Sequence[str]
    point: Mapping[str, float] | None

    def __str__(self) -> str:
        problem = (
            f"the settings of {' and '.join(self.parameters)} cannot tell a product of "
            "their growths from a sum"
        )
        if self.point is None:
            return f"{problem}; a grid of settings can"
        where = ", ".join(f"{name} = {x:g}" for name, x in self.point.items())
        return f"{problem}; one more measurement at {where} can"


@dataclass(frozen=True, slots=True)
class NoFit:
    """A model that explains nothing: values lie `smape` percent off it on average.

    `adjusted_r2` is None of a constant; `negative_at` names settings at which the model
    is not positive, as a text.
    """

    smape: float
    adjusted_r2: float | None
    negative_at: str = ""

    def __str__(self) -> str:
        if self.negative_at:
            return (
                "no growth of the space explains the settings: the best one is not "
                f"positive at {self.negative_at}"
            )
        fit = (
            "" if self.adjusted_r2 is None else f", adjusted R² {self.adjusted_r2:.2f}"
        )
        return (
            "no growth of the space explains the settings: they lie "
            f"{self.smape:.2g} % off the best one on average{fit}"
        )


@dataclass(frozen=True, slots=True)
class WarmUp:
    """First repetitions, so many at each setting, `factor` times the others."""

    repetitions: int
    factor: float

    def __str__(self) -> str:
        count = self.repetitions
        first = f"first {count} repetitions" if count > 1 else "first repetition"
        return (
            f"warm-up: at the {first} of each setting it is {self.factor:.3g} times "
            f"the others; --skip-first {count}, or skip: {count} in an experiment, "
            "leaves that out"
        )


@dataclass(frozen=True, slots=True)
class TwoModes:
    """Repetitions at two levels `factor` apart, `low_share` of them at the lower."""

    factor: float
    low_share: float

    def __str__(self) -> str:
        return (
            f"two modes: repetitions lie at two levels {self.factor:.3g} times apart, "
            f"{self.low_share:.0%} at the lower one and none between, where a location "
            "may be; --summary min takes the lower"
        )


@dataclass(frozen=True, slots=True)
class LastStep:
    """A curve that goes otherwise at its last settings than something else does.

    Parameters
    ----------
    parameter, start, end
        The last two settings.
    exponent
        Of the curve between them.
    other, expected
        What goes otherwise, and its exponent.
    """

    parameter: str
    start: float
    end: float
    exponent: float
    other: str
    expected: float

    def __str__(self) -> str:
        return (
            f"from {self.parameter} = {self.start:g} to {self.end:g} it goes like "
            f"{self.parameter}^{self.exponent:.2f}, {self.other} like "
            f"{self.parameter}^{self.expected:.2f}"
        )


@dataclass(frozen=True, slots=True)
class NoFormula:
    """No formula reproduces exact counts; `exponents` bound their local exponent."""

    exponents: tuple[float, float] | None

    def __str__(self) -> str:
        known = ""
        if self.exponents is not None:
            low, high = self.exponents
            known = f"; the local exponent lies between {low:.3g} and {high:.3g}"
        return f"no growth of the space fits these exact counts{known}"


@dataclass(frozen=True, slots=True)
class PossibleFormulas:
    """Formulas that exact counts may have, and the weight of one that is not known."""

    formulas: Sequence[tuple[str, float]]
    unknown: float | None

    def __str__(self) -> str:
        possible = [f"{formula} ({share:.0%})" for formula, share in self.formulas]
        if self.unknown is not None:
            possible.append(f"none that is known ({self.unknown:.0%})")
        return f"these exact counts may be those of {' or '.join(possible)}"


@dataclass(frozen=True, slots=True)
class FewScales:
    """A divergence metric needs the error at more scales."""

    known: int
    needed: int

    def __str__(self) -> str:
        return f"{self.needed} scales needed, the error is known at {self.known}"


@dataclass(frozen=True, slots=True)
class LacksParameter:
    """A part of a composed model depends on a parameter that its target lacks."""

    parameter: str
    target: str

    def __str__(self) -> str:
        return f"it depends on {self.parameter}, which {self.target} lacks"


@dataclass(frozen=True, slots=True)
class NeverMeasured:
    """A part of a composed model has neither a model nor values at the settings."""

    target: str

    def __str__(self) -> str:
        return (
            f"it has no model, and was not measured where {self.target} was, without "
            "sharing cores"
        )


@dataclass(frozen=True, slots=True)
class MeasuredOtherwise:
    """A part of a composed model was measured in another configuration."""

    target: str

    def __str__(self) -> str:
        return f"it was measured otherwise than {self.target}"


@dataclass(frozen=True, slots=True)
class MachineMoved:
    """Regions of one machine changed together, and none on the other machines."""

    machine: str
    regions: int
    watched: int

    def __str__(self) -> str:
        return (
            f"The machine: {self.regions} of {self.watched} regions moved together "
            f"on {self.machine}, and none on the other machines"
        )


@dataclass(frozen=True, slots=True)
class MovedAlone:
    """Regions changed on one machine, and on none of the others that measure them."""

    machine: str
    regions: Sequence[str]
    others: int

    def __str__(self) -> str:
        few = ", ".join(self.regions) if len(self.regions) < 3 else None
        return (
            f"The machine: {few or f'{len(self.regions)} regions'} moved on "
            f"{self.machine} alone, and not on {self.others} others that measure "
            f"{'it' if len(self.regions) == 1 else 'them'}"
        )


@dataclass(frozen=True, slots=True)
class LibraryMoved:
    """A region changed on all machines that measure it."""

    region: str
    machines: int

    def __str__(self) -> str:
        return (
            f"The library: {self.region} moved on all {self.machines} machines that "
            "measure it"
        )


@dataclass(frozen=True, slots=True)
class OneMachine:
    """Only one machine measures, so that nothing tells library from machine."""

    machine: str

    def __str__(self) -> str:
        return (
            f"Library or machine: only {self.machine} measures this, "
            "a second machine would decide"
        )


@dataclass(frozen=True, slots=True)
class NoSingleCause:
    """A change of some regions on some machines that no single cause explains."""

    regions: int
    machines: int
    watched: int

    def __str__(self) -> str:
        return (
            f"The change affects {self.regions} region{'s' * (self.regions > 1)} on "
            f"{self.machines} of {self.watched} machines; no single machine or library "
            "change explains it"
        )
