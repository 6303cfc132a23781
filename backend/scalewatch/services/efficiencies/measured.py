"""Scans of a server as the efficiency reads them: runs pooled, settings told apart."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

import numpy as np

from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.texts.scales import axis_of


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredScan:
    """A scan over parameters that vary by themselves; others depend on its scale.

    Parameters
    ----------
    parameters, settings
        Those that vary, the scale first, and their coordinates, shape (n, parameters).
    values
        Repetitions of all runs at each of them, shape (n, R); NaN is missing.
    dependent
        Settings that follow from the scale, n of each.
    fixed
        Settings that are held fixed.
    failures
        How many runs failed at each coordinate.
    """

    metric: str
    unit: str | None
    parameters: tuple[str, ...]
    settings: Reals
    values: Reals
    dependent: Mapping[str, Sequence[float]]
    fixed: Mapping[str, object]
    failures: Sequence[int]
    failed_jobs: Sequence[str] = ()

    @classmethod
    def of(
        cls, scan: Scan, repetitions: Mapping[UUID, Reals], scale: str | None = None
    ) -> Self:
        """Return a scan with all of its repetitions.

        Parameters
        ----------
        repetitions
            By run. Where they were thinned or are not kept, the median stands for them.
        scale
            The axis, where several settings vary together; p, else the first.
        """
        taken = [
            each
            for each in scan.measurements
            if not each.is_left_out and _is_numeric(each.coordinate)
        ]
        at = [{**measured.coordinate, scan.parameter: measured.x} for measured in taken]
        names = [scan.parameter, *sorted(set().union(*at) - {scan.parameter})]
        names = [name for name in names if all(name in each for each in at)]
        varied = [name for name in names if len({each[name] for each in at}) > 1]
        chosen = axis_of(varied, scale)
        axis = chosen.name if chosen else scan.parameter
        levels = {each[axis] for each in at}
        dependent = [
            name
            for name in varied
            if name != axis
            and len({(each[axis], each[name]) for each in at}) == len(levels)
        ]
        free = (name for name in varied if name not in {axis, *dependent})
        parameters = [axis, *free]
        pooled: dict[tuple[float, ...], list[int]] = defaultdict(list)
        for row, coordinate in enumerate(at):
            pooled[tuple(float(coordinate[name]) for name in parameters)].append(row)
        settings = sorted(pooled)
        firsts = [pooled[setting][0] for setting in settings]
        held = {name: at[0][name] for name in names if name not in varied} if at else {}
        return cls(
            metric=scan.metric,
            unit=scan.unit or None,
            parameters=tuple(parameters),
            settings=np.array(settings, np.float64).reshape(-1, len(parameters)),
            values=stacked(
                [
                    np.concatenate([_values(taken[row], repetitions) for row in rows])
                    for rows in map(pooled.__getitem__, settings)
                ]
            )
            if settings
            else np.empty((0, 1)),
            dependent={
                name: [float(at[row][name]) for row in firsts] for name in dependent
            },
            fixed={**scan.configuration, **held},
            failures=[
                sum(taken[row].middle is None for row in pooled[setting])
                for setting in settings
            ],
        )


def _is_numeric(coordinate: Mapping[str, Any]) -> bool:
    return all(isinstance(value, int | float) for value in coordinate.values())


def _values(taken: Measurement, repetitions: Mapping[UUID, Reals]) -> Reals:
    if taken.middle is None:
        return np.full(1, np.nan)
    return repetitions.get(taken.run, np.array([taken.middle], np.float64))
