"""An ideal gas in two dimensions: Euler's equations, finite volumes of first order.

A state has the shape (4, rows, columns): density, momentum along rows' and columns'
numbers, and total energy, each per volume. Lengths are in cells.

References
----------
V. V. Rusanov, "The calculation of the interaction of non-stationary shock waves and
obstacles", USSR Computational Mathematics and Mathematical Physics 1, 1962.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

State = NDArray[np.float64]
Reals = NDArray[np.float64]

GAMMA: Final = 1.4
"""Ratio of specific heats of air."""

COURANT: Final = 0.4
"""Share of a cell that the fastest wave may cross in a step."""


def state_of(density: Reals, velocity: tuple[Reals, Reals], pressure: Reals) -> State:
    """Return the state of a gas with these properties, each (rows, columns)."""
    across, along = velocity
    kinetic = density * (across**2 + along**2) / 2
    energy = pressure / (GAMMA - 1) + kinetic
    return np.stack([density, density * across, density * along, energy])


def pressure_of(state: State) -> Reals:
    """Return the pressure of each cell."""
    density, across, along, energy = state
    return np.asarray((GAMMA - 1) * (energy - (across**2 + along**2) / (2 * density)))


def wave_speeds(state: State, axis: int) -> Reals:
    """Return how fast the fastest wave of each cell moves along an axis, 0 or 1."""
    sound = np.sqrt(GAMMA * pressure_of(state) / state[0])
    return np.asarray(np.abs(state[1 + axis] / state[0]) + sound)


def fluxes(state: State, axis: int) -> State:
    """Return what crosses the faces between neighbours along an axis, 0 or 1.

    Parameters
    ----------
    state
        Shape (4, rows, columns).

    Returns
    -------
    Shape (4, rows - 1, columns) or (4, rows, columns - 1): the mean of both sides'
    fluxes, less what the faster of their waves spreads.
    """
    flow = _flow(state, axis)
    speed = wave_speeds(state, axis)
    low, high = _sides(axis)
    fastest = np.maximum(speed[low], speed[high])
    each_low, each_high = (slice(None), *low), (slice(None), *high)
    spread = fastest * (state[each_high] - state[each_low])
    return np.asarray((flow[each_low] + flow[each_high] - spread) / 2)


def _flow(state: State, axis: int) -> State:
    """Return the flux of Euler's equations in each cell."""
    pressure = pressure_of(state)
    velocity = state[1 + axis] / state[0]
    flow = state * velocity
    flow[1 + axis] += pressure
    flow[3] += pressure * velocity
    return np.asarray(flow)


def _sides(axis: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the cells below and above each face along an axis."""
    everything, low, high = slice(None), slice(None, -1), slice(1, None)
    if axis == 0:
        return (low, everything), (high, everything)
    return (everything, low), (everything, high)
