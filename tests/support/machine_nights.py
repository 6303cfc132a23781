"""Histories of regions on machines, as the watch over a machine's nights takes them."""

import numpy as np

from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.storage.histories.locations import LocatedSeries

P = 2.0 ** np.arange(2, 8)


def region_history(region, log, positions, *, machine=1, fingerprint=1):
    """Return the history of a region, of log-locations at P, shape (T, n)."""
    series = LocatedSeries(
        id=100 * machine + region,
        machine_id=machine,
        machine=f"machine-{machine}",
        is_exact=False,
        configuration_id=1,
        region=f"region-{region}",
        metric="time",
        better="lower",
        unit="s",
        configuration={},
    )
    return SeriesHistory(
        series=series,
        region=series.region,
        fingerprint_id=fingerprint,
        parameters=("p",),
        settings=tuple((p,) for p in P.tolist()),
        positions=tuple(positions),
        log=log,
    )
