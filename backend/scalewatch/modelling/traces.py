"""Traced programs over p: efficiencies, whether MPI bends away from a line, and why.

Efficiencies are quotients of two times, parallel efficiency = useful_mean / runtime,
and so on. Times are modelled, efficiencies follow: growths that explain times do not
explain numbers between 0 and 1. Where little is lost, models of both times would hide
it in their errors; so what is modelled beside the time that is kept is the time that is
lost,

    efficiency = kept / (kept + lost), lost = runtime - useful_mean.

The time that all processes together spend in MPI should at most be linear in p. With
a₂ of the quadratic a₀ + a₁·p + a₂·p² through all settings, it bends if

    |a₂|·P² ≥ 10 % of T at the largest P, with a₂ of one sign in the last three subsets,

and the extrapolation may be used if the last two subsets that were tried on a next
point have e_max ≤ 20 % and d ≤ 25 %. The publication gives no thresholds: these are the
round numbers that reproduce what it says of its two tables, of which it calls the first
one non-linear, the second linear and both stable from five settings on.

The report on a program is of rules, each with the evidence that it rests on: how its
time in MPI bends, whether that may be extrapolated, and what the time is: waiting for
late senders at constant volume (a pipeline), waiting at collectives while the load
balance falls (imbalance), senders that wait for receivers (blocking sends of long
messages), more bytes per process (volume), more messages per process (latency), or best
times that grow themselves (the library).

References
----------
POP, "Performance Optimisation and Productivity: standard metrics for performance
analysis of parallel applications", where efficiencies below 0.8 call for action.
"Knowledge Based Automatic Scalability Analysis and Extrapolation for MPI Programs",
sections 3, 4 and 6. "Catwalk: A Quick Development Path for Performance Models", which
finds the waiting of Sweep3D at constant volume.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import copysign
from typing import Final, TypeVar

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.model import Model, first_above
from scalewatch.modelling.quadratic_extrapolation import Extrapolation


class Efficiency(StrEnum):
    """Factors of parallel efficiency, each after the ones that it is a product of."""

    PARALLEL = "parallel efficiency"
    LOAD_BALANCE = "load balance"
    COMMUNICATION = "communication efficiency"
    SERIALISATION = "serialisation efficiency"
    TRANSFER = "transfer efficiency"

    @property
    def times(self) -> tuple[str, str]:
        """Metrics of the program of which it is the quotient."""
        return _TIMES[self]


_TIMES: Final[Mapping[Efficiency, tuple[str, str]]] = {
    Efficiency.PARALLEL: ("useful_mean", "runtime"),
    Efficiency.LOAD_BALANCE: ("useful_mean", "useful_max"),
    Efficiency.COMMUNICATION: ("useful_max", "runtime"),
    Efficiency.SERIALISATION: ("useful_max", "ideal_runtime"),
    Efficiency.TRANSFER: ("ideal_runtime", "runtime"),
}


def quotients(efficiency: Efficiency, times: Mapping[str, Reals]) -> Reals | None:
    """Return an efficiency at each setting; None where a time of it is unknown.

    Parameters
    ----------
    times
        By metric of the program, shape (n,); NaN is missing.
    """
    above, below = efficiency.times
    if above not in times or below not in times:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = times[above] / times[below]
    quotient[~np.isfinite(quotient)] = np.nan
    return quotient if np.isfinite(quotient).any() else None


def losses(efficiency: Efficiency, times: Mapping[str, Reals]) -> Reals | None:
    """Return the time that an efficiency loses at each setting, 0 at least."""
    above, below = efficiency.times
    if above not in times or below not in times:
        return None
    return np.maximum(times[below] - times[above], 0.0)


def falls_below(
    kept: Model, lost: Model, *, start: float, least: float = ASSUMED.least_efficiency
) -> float | None:
    """Return the number of processes from which kept / (kept + lost) is too small.

    Parameters
    ----------
    kept, lost
        Models over p of the time that an efficiency is the share of, and of its loss.
    start
        Where to begin, in processes.

    Returns
    -------
    None
        If it does not happen.
    """
    return first_above(lost, kept * (1 / least - 1), start=start)


Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on something is said of a traced program, in one table.

    Parameters
    ----------
    bend
        Share of the time at the largest P that |a₂|·P² has at least, if it bends.
    subsets
        Last subsets in which a₂ has one sign, if it bends.
    e_max, d
        Errors in percent up to which an extrapolation may be used.
    tried
        Last subsets that were tried on a next point and have to keep to those.
    named
        Share of the bend that the named locations make up together.
    mattering
        Share of a sum that a location makes up at least, if its growth matters.
    waiting
        Share of the time in MPI that one kind of waiting takes, if it is a cause.
    steady
        Power of p up to which something per process counts as constant.
    fallen
        By how much the load balance has fallen, if imbalance is a cause.
    rendezvous
        Bytes from which senders usually wait for the receiver.
    avoidable
        Share of the time in MPI below which overhead is none.
    """

    bend: float = 0.1
    subsets: int = 3
    e_max: float = 20.0
    d: float = 25.0
    tried: int = 2
    named: float = 0.8
    mattering: float = 0.02
    waiting: float = 0.5
    steady: float = 0.25
    fallen: float = 0.05
    rendezvous: float = 4096.0
    avoidable: float = 0.1


THRESHOLDS: Final = Thresholds()


class Bend(StrEnum):
    """How a quadratic departs from a line."""

    FASTER = "faster than p"
    LINEAR = "linear"
    SLOWER = "slower than p"
    UNKNOWN = "unknown"


def bend_of(
    rows: Sequence[Extrapolation], largest: float, limits: Thresholds = THRESHOLDS
) -> Bend:
    """Tell how a time bends; unknown with fewer subsets than have to agree.

    Parameters
    ----------
    rows
        One for each S = 4 … N.
    largest
        The time at the largest P.
    """
    if len(rows) < limits.subsets:
        return Bend.UNKNOWN
    signs = {copysign(1.0, row.a2) for row in rows[-limits.subsets :]}
    part = abs(quadratic_part(rows))
    if len(signs) > 1 or not part or part < limits.bend * abs(largest):
        return Bend.LINEAR
    return Bend.FASTER if signs == {1.0} else Bend.SLOWER


def quadratic_part(rows: Sequence[Extrapolation]) -> float:
    """Return a₂·P² at the largest P, in the unit of the times."""
    last = rows[-1]
    return last.a2 * last.settings[-1] ** 2


def is_usable(
    rows: Sequence[Extrapolation], limits: Thresholds = THRESHOLDS
) -> bool | None:
    """Tell whether an extrapolation may be used; None where too few were tried."""
    tried = [row for row in rows if row.d is not None][-limits.tried :]
    if len(tried) < limits.tried:
        return None
    return all(
        row.e_max is not None
        and row.e_max <= limits.e_max
        and row.d is not None
        and row.d <= limits.d
        for row in tried
    )


def bending_places(
    rows: Mapping[Place, Sequence[Extrapolation]],
    sign: float,
    limits: Thresholds = THRESHOLDS,
) -> tuple[tuple[Place, float], ...]:
    """Return the places that make up most of a bend, with their share of it.

    Parameters
    ----------
    sign
        That of the program's a₂: places that bend the other way are none of them.
    """
    parts = {
        place: part
        for place, of_region in rows.items()
        if of_region and (part := copysign(1.0, sign) * quadratic_part(of_region)) > 0
    }
    total = sum(parts.values())
    named: list[tuple[Place, float]] = []
    for place, part in sorted(parts.items(), key=lambda item: -item[1]):
        if sum(share for _, share in named) >= limits.named:
            break
        named.append((place, part / total))
    return tuple(named)


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
