"""Performance guidelines: f ⪯ g + h between regions of one library.

A shortcut should not be slower than what it is a shortcut for, such as
Allreduce ⪯ Reduce + Bcast. A guideline is checked on what was measured and, because
models are combined before they are reduced to their asymptotic form (section 2.4 of
the reference), on scales that were not: a guideline that holds everywhere today may
be about to break.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015, sections 2.1, 2.4 and 4.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scalewatch.errors import BadExpression, UnknownChoice
from scalewatch.modelling.growths.crossing import first_above
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model, total

TOLERANCE = 0.05
"""A shortcut may be slower by this share before it counts: it may be noise."""

SIGNS = ("⪯", "≼", "≤", "<=")
"""How "is not slower than" may be written."""


@dataclass(frozen=True, slots=True)
class Guideline:
    """A region should not need more than others together.

    Parameters
    ----------
    region
        f, the shortcut.
    parts
        g, h, …: what it can be replaced by.
    """

    region: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.region} ⪯ {' + '.join(self.parts)}"


@dataclass(frozen=True, slots=True)
class GuidelineCheck:
    """Whether a guideline holds where measured, and where the models say it breaks.

    Parameters
    ----------
    guideline
        What was checked.
    violated_at
        Settings at which the shortcut was measured slower, rising.
    violated_from
        Smallest scale, from the largest setting on, at which the models break it;
        None if they never do.
    growth, allowed
        Leading-order terms of both sides.
    """

    guideline: Guideline
    violated_at: tuple[float, ...]
    violated_from: float | None
    growth: Growth
    allowed: Growth

    @property
    def holds(self) -> bool:
        """Whether neither measurements nor models break it."""
        return not self.violated_at and self.violated_from is None


def parse_guideline(text: str) -> Guideline:
    """Read `MPI_Allreduce ⪯ MPI_Reduce + MPI_Bcast`; `<=` will do.

    Raises
    ------
    BadExpression
        With the position and what was expected there.
    """
    sign = next((sign for sign in SIGNS if sign in text), None)
    if sign is None:
        raise BadExpression(text, len(text), "'⪯' or '<=' and the parts")
    region, parts = text.split(sign, 1)
    if not region.strip():
        raise BadExpression(text, 0, "a region")
    position = len(region) + len(sign)
    for part in parts.split("+"):
        if not part.strip():
            raise BadExpression(text, position, "a region")
        position += len(part) + 1
    return Guideline(region.strip(), tuple(part.strip() for part in parts.split("+")))


def check_guideline(  # noqa: PLR0913, measurements and models belong together
    guideline: Guideline,
    x: Sequence[float],
    values: Mapping[str, Sequence[float]],
    models: Mapping[str, Model],
    *,
    parameter: str = "p",
    tolerance: float = TOLERANCE,
) -> GuidelineCheck:
    """Check a guideline on measurements and on combined models.

    Parameters
    ----------
    guideline
        Names of regions.
    x
        Settings, shape (n,).
    values
        Summarised measurements by region, shape (n,), NaN where missing.
    models
        Models by region, in the same unit.
    parameter
        What is scaled.
    tolerance
        Share by which a shortcut may be slower.

    Raises
    ------
    UnknownChoice
        If a region of the guideline was not measured or has no model.
    """
    for region in (guideline.region, *guideline.parts):
        if region not in values or region not in models:
            raise UnknownChoice("region", region, sorted({*values} & {*models}))
    parts = tuple(models[each] for each in guideline.parts)
    allowed = total(parts) * (1 + tolerance)
    model = models[guideline.region]
    return GuidelineCheck(
        guideline=guideline,
        violated_at=violations(guideline, x, values, tolerance),
        violated_from=first_above(model, allowed, parameter, start=float(max(x))),
        growth=model.growth,
        allowed=allowed.growth,
    )


def violations(
    guideline: Guideline,
    x: Sequence[float],
    values: Mapping[str, Sequence[float]],
    tolerance: float = TOLERANCE,
) -> tuple[float, ...]:
    """Return the settings at which a shortcut was measured slower, rising.

    Parameters
    ----------
    x, values, tolerance
        As `check_guideline` takes them.
    """
    together = zip(*(values[each] for each in guideline.parts), strict=True)
    slower = {
        float(setting)
        for setting, shortcut, parts in zip(
            x, values[guideline.region], together, strict=True
        )
        if shortcut > sum(parts) * (1 + tolerance)
    }
    return tuple(sorted(slower))
