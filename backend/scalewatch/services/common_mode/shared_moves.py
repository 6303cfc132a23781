"""Moves that the regions of a machine share, in histories that were measured alike."""

from collections.abc import Sequence

import numpy as np

from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.modelling.common_mode.common_mode import (
    LEAST_REGIONS,
    MachineMode,
    machine_mode,
)
from scalewatch.modelling.histories.changes import exact
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.modes import TwoModes, modes
from scalewatch.services.common_mode.project_history import SeriesHistory


def alike(histories: Sequence[SeriesHistory]) -> list[list[SeriesHistory]]:
    """Group histories of one metric, measured alike on one state of a machine."""
    groups: dict[tuple[object, ...], list[SeriesHistory]] = {}
    for history in histories:
        series = history.series
        state = (history.fingerprint_id, series.metric, series.is_exact)
        key = (*state, history.parameters, history.settings)
        groups.setdefault(key, []).append(history)
    return list(groups.values())


def directions_of(group: Sequence[SeriesHistory]) -> Reals:
    """Return level and tilts at the settings of a group, shape (k, n)."""
    settings = np.array(group[0].settings)
    return Histories.of(settings, np.zeros((1, 1, len(settings)))).directions


def nights_of(group: Sequence[SeriesHistory]) -> MachineMode | None:
    """Return the moves that the regions of a machine share, None of too few regions."""
    if group[0].series.is_exact:
        return None
    is_exact = exact(stacked([history.log for history in group]))
    if np.count_nonzero(~is_exact) < LEAST_REGIONS:
        return None
    noisy = [each for each, still in zip(group, is_exact, strict=True) if not still]
    positions = np.unique(np.concatenate([each.positions for each in noisy]))
    log = np.full((len(group), len(positions), len(group[0].settings)), np.nan)
    for row, (history, still) in enumerate(zip(group, is_exact, strict=True)):
        if not still:
            log[row, positions.searchsorted(history.positions)] = history.log
    return machine_mode(log, positions, directions_of(group))


def speeds_of(nights: MachineMode) -> TwoModes | None:
    """Return the two speeds between which a machine jumps as by chance, if it does."""
    effect = nights.mode.effect
    settings = np.arange(1.0, effect.shape[1] + 1)[:, np.newaxis]
    return modes(Histories.of(settings, effect[np.newaxis])).get(0)


def without_nights(
    history: SeriesHistory, row: int, nights: MachineMode, kept: Sequence[int]
) -> Reals:
    """Return the locations of a history without the nights of its machine.

    Parameters
    ----------
    row
        Of the history in the group that the nights are of.
    kept
        Rows of steps that are left in.
    """
    rows = nights.positions.searchsorted(history.positions)
    return nights.taken_out(history.log, row, rows, kept)
