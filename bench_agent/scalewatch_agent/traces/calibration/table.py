"""A table of t_max: kept in a file, interpolated, and extrapolated with a flag.

    log t_max is linear in log bytes, and then in log p

t_max does not fall with bytes. Beyond the measured bytes the last two points are
continued, beyond the processes the growth that foresees the table best (`growth`), or
the last two points where there are no more, without falling. The function is noted as
extrapolated.
"""

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent import errors, folders
from scalewatch_agent.experiments.launchers.jobs import JobLauncher
from scalewatch_agent.traces import functions, reduction
from scalewatch_agent.traces.calibration.cells import SHARED, Cell
from scalewatch_agent.traces.calibration.growth import LEAST_COUNTS, extrapolated
from scalewatch_agent.traces.trace import Trace

SCHEMA: Final = 1

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]
"""log bytes and log t_max, both rising."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Best times of calls, and the library and machine that they belong to.

    Parameters
    ----------
    title
        Tells calibrations apart: library, machine and date.
    extrapolated
        Functions that were asked for beyond the table, and by which growths in p.
    """

    title: str
    cells: tuple[Cell, ...]
    extrapolated: dict[str, set[str]] = field(default_factory=dict, compare=False)

    def __call__(
        self, function: str, processes: int, sizes: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return t_max in s for sizes in bytes; None for a function without cells."""
        curves = _curves(self.cells, function)
        if not curves:
            return None
        wanted = np.log(np.maximum(1, sizes))
        counts = sorted(curves)
        if processes > counts[-1] or any(_is_beyond(curves[p], wanted) for p in counts):
            self.extrapolated.setdefault(function, set())
        if processes > counts[-1] and len(counts) >= LEAST_COUNTS:
            unique, place = np.unique(wanted, return_inverse=True)
            grown, growths = _grown(function, curves, processes, unique)
            self.extrapolated[function].update(growths)
            return grown[place.reshape(-1)]
        # The measured numbers of processes on both sides, or the last two.
        above = bisect_left(counts, processes, 1, len(counts) - 1) if counts[1:] else 0
        low, high = counts[max(0, above - 1)], counts[above]
        if processes <= counts[0]:
            high = counts[0]
        last = _along(curves[high], wanted)
        if low == high:
            held: NDArray[np.float64] = np.exp(last)
            return held
        slope = (last - _along(curves[low], wanted)) / np.log(high / low)
        if processes > high:
            # Nothing gets faster with more processes than were calibrated.
            slope = np.maximum(0, slope)
        best: NDArray[np.float64] = np.exp(last + slope * np.log(processes / high))
        return best


def _grown(
    function: str,
    curves: Mapping[int, Curve],
    processes: int,
    wanted: NDArray[np.float64],
) -> tuple[NDArray[np.float64], list[str]]:
    """Return t_max beyond the processes, and the growths, for rising log bytes."""
    counts = np.array(sorted(curves), np.float64)
    # Where bytes are those for all others, what each gets is the same at each p.
    shares = (
        counts / processes if functions.function_of(function) in SHARED else counts**0
    )
    times = [
        _along(curves[int(count)], np.maximum(0, wanted + np.log(share)))
        for count, share in zip(counts, shares, strict=True)
    ]
    grown, growths = extrapolated(counts, np.exp(times), processes)
    return np.maximum.accumulate(grown), growths


def _curves(cells: Iterable[Cell], function: str) -> Mapping[int, Curve]:
    """Return t_max over bytes, for each number of processes."""
    points: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for cell in cells:
        if cell.function == function and cell.best > 0:
            points[cell.processes].append((max(1, cell.bytes), cell.best))
    curves = {}
    for processes, times_by_size in points.items():
        sizes, times = np.array(sorted(times_by_size)).T
        curves[processes] = np.log(sizes), np.maximum.accumulate(np.log(times))
    return curves


def _is_beyond(curve: Curve, wanted: NDArray[np.float64]) -> bool:
    """Tell whether bytes lie above the measured ones, where these matter."""
    sizes, _ = curve
    return len(sizes) > 1 and bool((wanted > sizes[-1] + 1e-9).any())


def _along(curve: Curve, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    sizes, times = curve
    interpolated: NDArray[np.float64] = np.interp(wanted, sizes, times)
    if len(sizes) > 1:
        slope = (times[-1] - times[-2]) / (sizes[-1] - sizes[-2])
        interpolated = interpolated + slope * np.maximum(0, wanted - sizes[-1])
    return interpolated


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a table, all blocks of each cell included.

    Raises
    ------
    CalibrationUnusable
        If the file cannot be written.
    """
    content = {
        "schema": SCHEMA,
        "title": calibration.title,
        "cells": [
            {
                "function": cell.function,
                "p": cell.processes,
                "bytes": cell.bytes,
                "t_max": cell.best,
                "blocks": cell.blocks,
            }
            for cell in calibration.cells
        ],
    }
    try:
        path.write_text(json.dumps(content, indent=1) + "\n")
    except OSError as error:
        reason = f"it cannot be written: {error.strerror}"
        raise errors.CalibrationUnusable(path, reason) from None


def read_calibration(path: Path) -> Calibration:
    """Return the table in a file.

    Raises
    ------
    CalibrationUnusable
        If there is none.
    """
    try:
        content = json.loads(path.read_text())
        cells = tuple(_cell(each) for each in content["cells"])
        if content["schema"] != SCHEMA or not cells:
            raise errors.CalibrationUnusable(path, "it is of another version, or empty")
        return Calibration(str(content["title"]), cells)
    except OSError as error:
        raise errors.CalibrationUnusable(path, error.strerror or str(error)) from None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise errors.CalibrationUnusable(
            path, "it is no table of `calibrate`"
        ) from None


def _cell(content: Mapping[str, Any]) -> Cell:
    blocks = tuple(float(each) for each in content["blocks"])
    if not blocks or not all(0 < each < float("inf") for each in blocks):
        raise ValueError
    return Cell(
        str(content["function"]), int(content["p"]), int(content["bytes"]), blocks
    )


def reduced_by(calibration: Calibration | None, trace: Trace) -> reduction.Reduced:
    """Return the sums of a trace, and which table they go by."""
    if calibration is None:
        return reduction.reduced(trace)
    measured = replace(calibration, extrapolated={})
    sums = reduction.reduced(trace, measured)
    extrapolated = frozenset(
        f"{function} by {' or '.join(sorted(growths))}" if growths else function
        for function, growths in measured.extrapolated.items()
    )
    return replace(sums, calibration=measured.title, extrapolated=extrapolated)


AUTO: Final = "auto"
"""The calibration of the machine and the library in use."""

_UNUSUAL: Final = re.compile(r"[^\w.+-]+")


def library_of(launcher: JobLauncher) -> str:
    """Return the library whose calls a launcher's jobs make."""
    facts = launcher.facts
    return str(facts.get("mpi") or facts.get("simulator") or "MPI")


def kept_calibration(machine: str, library: str) -> Path:
    """Return the file of the newest calibration of a library on a machine."""
    name = _UNUSUAL.sub("-", f"{machine}-{library}").strip("-")
    return folders.calibrations_folder() / f"{name}.json"


def calibration_for(
    wanted: str | None, machine: str, library: str
) -> Calibration | None:
    """Return the table in a file, the one that is kept (`AUTO`), or none.

    Raises
    ------
    CalibrationUnusable
        If it is not there.
    """
    if wanted is None:
        return None
    if wanted != AUTO:
        return read_calibration(Path(wanted))
    path = kept_calibration(machine, library)
    if not path.exists():
        reason = f"there is none of {library} on {machine}: scalewatch-agent calibrate"
        raise errors.CalibrationUnusable(AUTO, reason)
    return read_calibration(path)
