"""Break-even and limits: scales at which a model reaches a value or another model.

Once a model is validated it can be instantiated to predict scaling limits (end of
section 2.4 of the reference): where a region becomes so much slower than expected
that it matters, and where memory no longer suffices (section 4.2, Juropa).

A term too small to be seen may outgrow the model. Of a location at the largest setting
x_n that has the relative standard deviation s, a term c·x^i of less than δ = 2s is not
seen. Forecasts hold what was not seen, so that their intervals say nothing about it;
were it there, it would double a model f from the x on where δ·(x/x_n)^i = f(x)/f(x_n).

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model, Term, first_above
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import located


@dataclass(frozen=True, slots=True)
class MemoryWall:
    """The scale at which the processes of a node need more than its memory.

    Parameters
    ----------
    scale
        Smallest number of processes that does not fit; None if any number fits.
    needed
        What the processes of a node need at `scale`, in the unit of the model.
    available
        Memory of a node, in the same unit.
    """

    scale: float | None
    needed: float | None
    available: float


def break_even(
    actual: Model,
    expected: Model,
    factor: float,
    parameter: str = "p",
    *,
    start: float = 1.0,
) -> float | None:
    """Return the scale from which the actual exceeds `factor` times the expected.

    Parameters
    ----------
    actual, expected
        Models in the same unit.
    factor
        How much more is tolerated, 2 for twice.
    parameter
        What is scaled.
    start
        Where to begin.
    """
    return _crossing(actual, expected * factor, parameter, start)


# Pages ask about the same models again and again.
@lru_cache(maxsize=1024)
def _crossing(model: Model, limit: Model, parameter: str, start: float) -> float | None:
    return first_above(model, limit, parameter, start=start)


def memory_wall(
    memory: Model,
    per_node: float,
    processes_per_node: int,
    parameter: str = "p",
    *,
    start: float = 1.0,
) -> MemoryWall:
    """Return where a node's processes together need more memory than it has.

    Parameters
    ----------
    memory
        Memory of one process.
    per_node
        Memory of a node, in the unit of the model.
    processes_per_node
        How many processes share it.
    parameter
        The total number of processes.
    start
        Where to begin.
    """
    together = memory * processes_per_node
    scale = first_above(together, Model(per_node), parameter, start=start)
    needed = None if scale is None else float(together({parameter: scale}))
    return MemoryWall(scale, needed, per_node)


@dataclass(frozen=True, slots=True)
class HiddenTerm:
    """A term that the measurements could not have shown.

    Parameters
    ----------
    growth
        What it grows like.
    share
        δ, of the model at the largest setting measured.
    largest
        That setting.
    doubles_from
        The setting from which on it would be more than all the rest.
    """

    growth: Growth
    share: float
    largest: float
    doubles_from: float


def hidden_term(
    settings: Mapping[str, Reals], values: ArrayLike, model: Model, noise: Noise
) -> HiddenTerm | None:
    """Return what may hide beside a model; None where nothing that outgrows it does.

    Parameters
    ----------
    settings
        Of the one parameter, shape (n,), positive.
    values
        Repetitions of one series, shape (n, R), positive; NaN where one is missing.
    model
        What was found, of the same parameter.
    noise
        What is known of the noise.
    """
    ((parameter, x),) = settings.items()
    location = located(np.asarray(values, np.float64)[np.newaxis], noise)
    share = ASSUMED.unseen * float(np.sqrt(location.variance[0]))
    largest = float(x.max())
    at_largest = float(model({parameter: largest}))
    for power in ASSUMED.hidden_powers:
        growth = Growth.of(parameter, power=power)
        if not growth > model.growth:
            continue
        hidden = Term(share * at_largest / largest**power, growth)
        start = break_even(Model(0.0, (hidden,)), model, 1.0, parameter, start=largest)
        return None if start is None else HiddenTerm(growth, share, largest, start)
    return None
