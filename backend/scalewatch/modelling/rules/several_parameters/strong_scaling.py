"""Lines along one parameter: the growths worth trying there, and bases that fall.

Along a line on which one parameter varies and the others are held, every structure is
c + c'·f(p) with coefficients of that line. So the misfit of f, summed over the lines,
tells how well f can do in any structure, before the others are known.

Work that processes share falls: n/p + p has no product of growths that rise. Divided by
u = 1/p it is n + p², a sum like any other. So a surface whose measurements fall along
a parameter is also fitted after division by that base, and the likelier one is taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.elimination import Design, fit


def shortlist(
    settings: Mapping[str, Reals],
    parameter: str,
    tau: Reals,
    weight: Reals,
    omega: Reals,
) -> Indices:
    """Return the growths of one parameter, the fittest first, shape (G,).

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,).
    parameter
        The one that varies.
    tau
        Its growths, shape (G, n).
    weight, omega
        As in `elimination.fit`, shape (n,).
    """
    misfit = np.zeros(len(tau))
    for line in lines(settings, parameter):
        # At worst a growth is a constant.
        along, growths = tau[:, line], np.arange(len(tau))[:, np.newaxis]
        constant, _ = fit(Design.of(along, growths[:1, :0]), weight[line], omega[line])
        with_term, _ = fit(Design.of(along, growths), weight[line], omega[line])
        misfit += np.minimum(with_term, constant)
    return misfit.argsort(kind="stable")


def lines(settings: Mapping[str, Reals], parameter: str) -> Iterator[Indices]:
    """Yield the points of each line; all points where there is no line."""
    held = [column for name, column in settings.items() if name != parameter]
    if not held:
        yield np.arange(len(settings[parameter]))
        return
    place = np.unique(np.stack(held, axis=1), axis=0, return_inverse=True)[1]
    lines = [
        np.flatnonzero(place.reshape(-1) == line) for line in range(place.max() + 1)
    ]
    long = [line for line in lines if len(line) >= ASSUMED.shortest_line]
    yield from long or [np.arange(len(settings[parameter]))]


@dataclass(frozen=True, slots=True)
class Base:
    """A factor that all hypotheses of a contest have in common.

    Parameters
    ----------
    growth
        u.
    unit
        The largest u at the settings.
    tau, target_tau
        u over it, at the settings and at the targets, shapes (n,) and (T,).
    """

    growth: Growth
    unit: float
    tau: Reals
    target_tau: Reals

    @classmethod
    def none(cls, points: int, targets: int) -> "Base":
        """Return the base of growths that rise."""
        return cls(CONSTANT, 1.0, np.ones(points), np.ones(targets))

    @classmethod
    def inverse(
        cls,
        parameter: str,
        settings: Mapping[str, Reals],
        targets: Sequence[Mapping[str, float]],
    ) -> "Base":
        """Return 1/p for a parameter of positive settings and targets."""
        least = float(settings[parameter].min())
        beyond = np.array([target[parameter] for target in targets])
        return cls(
            Growth.of(parameter, power=-1),
            1 / least,
            least / settings[parameter],
            least / beyond,
        )


def falling(
    settings: Mapping[str, Reals],
    targets: Sequence[Mapping[str, float]],
    location: Location,
) -> Iterator[tuple[Base, NDArray[np.intp]]]:
    """Yield bases that fall, each with the series that fall along its parameter."""
    threshold = ASSUMED.fall * np.sqrt(2 * location.variance)
    for parameter, x in settings.items():
        at_targets = [target[parameter] for target in targets]
        if min(x.min(), *at_targets, x.max()) <= 0:
            continue
        drop = np.zeros(location.log.shape[1])
        for line in lines(settings, parameter):
            along = location.log[line[np.argsort(x[line], kind="stable")]]
            drop = np.maximum(drop, along[0] - along.min(axis=0))
        series = np.flatnonzero(drop > threshold)
        if len(series):
            yield Base.inverse(parameter, settings, targets), series
