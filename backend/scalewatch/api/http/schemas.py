"""Schemas of what is not written by the fields of a dataclass."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from scalewatch.modelling import Verdict

Setting = str | bool | int | float | None
Settings = dict[str, Setting]
Coordinate = dict[str, int | float]


class Schema(BaseModel):
    """Base of all answers; nothing is answered that is not documented."""

    model_config = ConfigDict(extra="forbid")


class Factor(Schema):
    """p^power · log2(p)^log · 2^(exp2·p); exact exponents are text."""

    parameter: str = Field(examples=["p"])
    power: str = Field(examples=["1/2"])
    log: str = Field(examples=["0"])
    exp2: str = Field(examples=["0"])


class Term(Schema):
    """A growth with its coefficient."""

    coefficient: float
    factors: list[Factor]
    rounding: Literal["ceil", "floor"] | None = Field(
        default=None,
        description="Whether each log2(p) is the next or the last whole number.",
    )


class Model(Schema):
    """A performance model: a constant and terms."""

    formula: str = Field(examples=["1.2e-06 + 3.4e-07 * p^(1/2)"])
    constant: float
    terms: list[Term]


class Expectation(Schema):
    """The growth that the authors expect, as a version in force."""

    growth: str = Field(examples=["log p"])
    deviation_limit: str = Field(examples=["p^(1/2)"])
    version: int
    author: str
    reason: str | None
    declared_at: datetime


class Composition(Schema):
    """A model composed of other regions that is expected, as a version in force."""

    formula: str = Field(examples=["13*8*N/triad + 2*parallel + 2*reduction"])
    version: int
    author: str
    reason: str | None
    declared_at: datetime


class Noise(Schema):
    """The assumed noise, learned from all series of machine and metric."""

    summary: str = Field(examples=["robust"])
    level: str | None
    shares: list[float] = Field(description="Probability of each excess of variance.")
    sizes: list[float] = Field(
        description="Probability of each size by which curves depart from growths."
    )
    future: float = Field(
        description="Least such size beyond the last setting.", examples=[1.5]
    )
    shapes: float = Field(
        description="Probability that a growth has a lower-order term beside it."
    )
    typical: list[float] = Field(
        description="Variance of one repetition, and its degrees of freedom."
    )
    level_typical: list[float] = Field(description="The same, as `level` sees it.")


class Misfit(Schema):
    """A model that explains nothing of what was measured."""

    smape: float | None = Field(
        description="How far values deviate from the model on average, in percent."
    )
    adjusted_r2: float | None = Field(description="Null of a constant.")
    negative_at: str | None = Field(
        description="Settings at which the model is not positive, though values are."
    )
    sentence: str


class WarmUp(Schema):
    """First repetitions of each setting that are off the others."""

    repetitions: int
    factor: float = Field(description="By which they are off.", examples=[6.0])
    sentence: str


class TwoModes(Schema):
    """Two levels at which the repetitions of a setting lie, and none between."""

    factor: float = Field(description="Between the levels.", examples=[2.04])
    low_share: float = Field(description="Share of the lower one.")
    sentence: str


class LastStep(Schema):
    """A model that goes otherwise between the last settings than what was measured."""

    parameter: str = Field(examples=["p"])
    start: float = Field(description="The settings between which it does.")
    end: float
    exponent: float = Field(description="Of what was measured.", examples=[-0.69])
    other: str = Field(description="Beside which it stands.", examples=["the model"])
    expected: float = Field(description="Exponent of that.", examples=[-0.9])
    sentence: str


class Candidate(Schema):
    """A formula that reproduces exact counts."""

    formula: str = Field(examples=["p*(p-1)/2"])
    growth: str = Field(examples=["p^2"])
    probability: float


class Standing(Schema):
    """All that is known about one series at one commit."""

    state: Literal["judged", "modelled", "pending", "failed", "not measured"]
    points: int
    repetitions: int
    model: Model | None
    growth: str | None = Field(examples=["p^(1/2)"])
    growths: dict[str, str] = Field(examples=[{"p": "p^(1/2)"}])
    rule: str | None
    noise: Noise | None
    adjusted_r2: float | None
    smape: float | None
    class_probability: dict[str, float]
    divergence: str | None = Field(examples=["p^(1/2) / log p"])
    deviation_limit: str | None
    verdict: Verdict | None
    verdict_probability: dict[Verdict, float]
    reason: str | None
    unexplained: float = Field(
        description="Probability that no growth that competes explains the series."
    )
    misfit: Misfit | None = Field(
        description="How far values lie off the best model, where none explains them."
    )
    warm_up: WarmUp | None
    modes: TwoModes | None
    last_step: LastStep | None
    outcome: Literal["exact", "ambiguous", "none"] | None = Field(
        description="What exact counts tell; null for measurements with noise."
    )
    candidates: list[Candidate] = Field(
        description="Formulas that reproduce exact counts, the likeliest first."
    )
    separating: dict[str, float] | None = Field(
        description="The cheapest further setting that tells ambiguous formulas apart."
    )
    excepted: list[dict[str, float]] = Field(
        description="Settings at which exact counts are not what the formula tells."
    )
    independent: list[str] = Field(
        description="Parameters, of several, on which exact counts do not depend."
    )
    modelled_at: datetime | None
