"""The report on a traced program: rules, each with the evidence that it rests on.

Rules look at the program over p: how its time in MPI bends, whether that may be
extrapolated, and what the time is: waiting for late senders at constant volume (a
pipeline), waiting at collectives while the load balance falls (imbalance), senders that
wait for receivers (blocking sends of long messages), more bytes per process (volume),
more messages per process (latency), or best times that grow themselves (the library).

References
----------
"Knowledge Based Automatic Scalability Analysis and Extrapolation for MPI Programs",
sections 3 and 6. "Catwalk: A Quick Development Path for Performance Models", which
finds the waiting of Sweep3D at constant volume.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import copysign

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.quadratic_extrapolation import Extrapolation
from scalewatch.modelling.traces.linearity import (
    THRESHOLDS,
    Bend,
    Thresholds,
    bend_of,
    bending_places,
    is_usable,
    quadratic_part,
)


class Rule(StrEnum):
    """Conclusion of a rule."""

    BENDS = "non-linear"
    LINEAR = "linear"
    TOO_FEW = "too few numbers of processes"
    USABLE = "extrapolation may be used"
    UNUSABLE = "extrapolation may not be used"
    PIPELINE = "pipeline"
    IMBALANCE = "imbalance"
    BLOCKING = "blocking sends"
    VOLUME = "volume"
    LATENCY = "latency"
    LIBRARY = "library or network"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Conclusion about the program with its evidence.

    Parameters
    ----------
    evidence
        The numbers it rests on, by name.
    locations
        Regions it is about, with their share.
    """

    rule: Rule
    evidence: Mapping[str, float] = field(default_factory=dict)
    locations: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TracedProgram:
    """Input of the rules; times and counts are over all processes, shape (n,).

    Parameters
    ----------
    processes
        In ascending order.
    time
        The metric that is reported on.
    rows, location_rows
        Its extrapolations, and those of each location; empty for too few settings.
    mpi_time, overhead, late_sender, late_receiver, collective, messages, bytes
        Sums over the locations; NaN where unknown.
    load_balance
        From 0 to 1; None where unknown.
    is_calibrated
        Whether overhead is what calls take beyond a best time that was measured.
    """

    processes: Reals
    time: Reals
    rows: Sequence[Extrapolation]
    location_rows: Mapping[str, Sequence[Extrapolation]]
    mpi_time: Reals
    overhead: Reals
    late_sender: Reals
    late_receiver: Reals
    collective: Reals
    messages: Reals
    bytes: Reals
    load_balance: Reals | None
    is_calibrated: bool


def conclusions(
    program: TracedProgram, limits: Thresholds = THRESHOLDS
) -> tuple[Conclusion, ...]:
    """Return what the rules say of a program, the growth first and causes after it."""
    return (
        *_of_growth(program, limits),
        *_of_waiting(program, limits),
        *_of_volume(program, limits),
        *_of_library(program, limits),
    )


def power_over(processes: Reals, values: Reals) -> float | None:
    """Return the power of p by which values grow over the upper half of settings."""
    half = max(2, (processes.size + 1) // 2)
    p, y = processes[-half:], values[-half:]
    if processes.size < 2 or not (np.isfinite(y).all() and (y > 0).all()):
        return None
    return float(np.polyfit(np.log(p), np.log(y), 1)[0])


def _of_growth(program: TracedProgram, limits: Thresholds) -> tuple[Conclusion, ...]:
    rows = program.rows
    largest = float(program.time[-1]) if program.time.size else 0.0
    bend = bend_of(rows, largest, limits)
    if bend is Bend.UNKNOWN:
        return (Conclusion(Rule.TOO_FEW, {"settings": float(program.processes.size)}),)
    last = rows[-1]
    part = quadratic_part(rows)
    agreeing = [copysign(1.0, row.a2) == copysign(1.0, last.a2) for row in rows][::-1]
    evidence = {
        "a2": last.a2,
        "share": part / largest if largest else 0.0,
        "subsets": float(agreeing.index(False) if False in agreeing else len(rows)),
    }
    said = [
        Conclusion(Rule.LINEAR, evidence)
        if bend is Bend.LINEAR
        else Conclusion(
            Rule.BENDS, evidence, bending_places(program.location_rows, part, limits)
        )
    ]
    usable = is_usable(rows, limits)
    if usable is not None:
        tried = [row for row in rows if row.d is not None][-limits.tried :]
        said.append(
            Conclusion(
                Rule.USABLE if usable else Rule.UNUSABLE,
                {
                    "e_max": max(row.e_max or 0.0 for row in tried),
                    "d": max(row.d or 0.0 for row in tried),
                },
            )
        )
    return tuple(said)


def _of_waiting(program: TracedProgram, limits: Thresholds) -> list[Conclusion]:
    said = []
    late_sender, late_receiver, collective = (
        _last_share(kind, program.mpi_time)
        for kind in (program.late_sender, program.late_receiver, program.collective)
    )
    messages = _per_process(program, program.messages)
    volume = _per_process(program, program.bytes)
    if late_sender >= limits.waiting and all(
        power is not None and power <= limits.steady for power in ((messages, volume))
    ):
        said.append(
            Conclusion(
                Rule.PIPELINE,
                {
                    "late_sender": late_sender,
                    "messages_power": messages or 0.0,
                    "bytes_power": volume or 0.0,
                },
            )
        )
    balance = program.load_balance
    if balance is not None and collective >= limits.waiting:
        known = balance[np.isfinite(balance)]
        if known.size and known[0] - known[-1] >= limits.fallen:
            said.append(
                Conclusion(
                    Rule.IMBALANCE,
                    {
                        "wait_collective": collective,
                        "load_balance_first": float(known[0]),
                        "load_balance_last": float(known[-1]),
                    },
                )
            )
    size = _last_share(program.bytes, program.messages)
    if late_receiver >= limits.waiting / 2 and size >= limits.rendezvous:
        said.append(
            Conclusion(
                Rule.BLOCKING,
                {"late_receiver": late_receiver, "bytes_per_message": size},
            )
        )
    return said


def _of_volume(program: TracedProgram, limits: Thresholds) -> list[Conclusion]:
    volume = _per_process(program, program.bytes)
    messages = _per_process(program, program.messages)
    if volume is not None and volume > limits.steady:
        return [Conclusion(Rule.VOLUME, {"bytes_power": volume})]
    if messages is not None and messages > limits.steady:
        return [
            Conclusion(
                Rule.LATENCY,
                {"messages_power": messages, "bytes_power": volume or 0.0},
            )
        ]
    return []


def _of_library(program: TracedProgram, limits: Thresholds) -> list[Conclusion]:
    """Tell whether calls take what they take at best, or longer than that."""
    if not program.is_calibrated:
        return []
    overhead = _last_share(program.overhead, program.mpi_time)
    power = _per_process(program, program.mpi_time)
    evidence = {"overhead": overhead, "mpi_time_power": power or 0.0}
    if overhead >= limits.avoidable:
        return [Conclusion(Rule.CODE, evidence)]
    if power is not None and power > limits.steady:
        return [Conclusion(Rule.LIBRARY, evidence)]
    return []


def _per_process(program: TracedProgram, values: Reals) -> float | None:
    return power_over(program.processes, values / program.processes)


def _last_share(part: Reals, whole: Reals) -> float:
    """Return a part over the whole at the largest setting; 0 where unknown."""
    if not part.size or not np.isfinite(part[-1]) or not whole[-1] > 0:
        return 0.0
    return float(part[-1] / whole[-1])
