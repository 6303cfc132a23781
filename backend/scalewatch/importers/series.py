"""Series of measurements, whatever file they come from."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2s
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import UnreadableFile
from scalewatch.modelling.arrays import stacked
from scalewatch.quantities import factor_between, is_time, parse_unit
from scalewatch.texts.scales import goes_with
from scalewatch.wire import SIMULATED, UNITS, kept_unit
from scalewatch.wire.fields import better_direction

WHOLE_PROGRAM: Final = "program"
"""Region of a measurement that names none."""

VALUE: Final = "value"
"""Metric of a measurement that names none."""

OWN_TIME: Final = "own_time"
"""Metric of the seconds that a region takes by itself, of which profiles are made."""

LONGEST_NAME: Final = 200
"""Characters of a name in an address."""

_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f?#]")
_DIGEST: Final = 4
"""Bytes that tell shortened names apart."""

_UNNAMEABLE: Final = re.compile(r"[^\w.%-]+")

_WHOLE: Final = 2**63

Setting = str | bool | int | float | None
Coordinate = tuple[float, ...]


class SeriesIdentity(NamedTuple):
    """Region, metric and settings that the measurements of a series have in common.

    `origin` is where they come from, for the case that other series come from
    elsewhere; `is_exact` states that values have no noise.
    """

    region: str
    metric: str
    unit: str | None
    configuration: tuple[tuple[str, Setting], ...]
    parameters: tuple[str, ...]
    origin: tuple[tuple[str, Setting], ...]
    is_exact: bool = False

    @property
    def usual_unit(self) -> str:
        """The unit that the file tells, or else that of the metric."""
        return usual_unit(self.metric, self.unit)


class Provenance(NamedTuple):
    """Commit, machine, job and times of a run, where a file has them; ISO 8601.

    Runs of several files, or of several repetitions that paths name, stay apart.
    """

    commit: str | None = None
    branch: str | None = None
    committed_at: str | None = None
    machine: str | None = None
    job: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    source: str | None = None
    repetition: str | None = None
    parents: tuple[str, ...] = ()


_UNKNOWN_RUN: Final = Provenance()


def stated_moment(stated: Any) -> str | None:
    """Return a time as ISO 8601 with its zone; those without one are in UTC."""
    try:
        moment = datetime.fromisoformat(stated)
    except (TypeError, ValueError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


class ImportedMeasurement(NamedTuple):
    """The repetitions of a run at one coordinate, NaN where one is missing.

    `sources` tells of each setting where it comes from, `is_crowded` whether processes
    or threads shared cores, `launched` how many processes a command before it started,
    which is not believed unasked. `dependent` are settings that follow from the
    coordinate, as nodes do from processes.
    """

    subject: SeriesIdentity
    coordinate: Coordinate
    values: Sequence[float]
    provenance: Provenance = _UNKNOWN_RUN
    sources: tuple[tuple[str, str], ...] = ()
    is_crowded: bool = False
    launched: float | None = None
    dependent: tuple[tuple[str, float], ...] = ()


def measurement(  # noqa: PLR0913, PLR0917 - all that is said of a value
    region: str,
    metric: str,
    unit: str | None,
    values: float | Sequence[float],
    settings: Mapping[str, float],
    configuration: Mapping[str, Setting] | None = None,
    origin: tuple[tuple[str, Setting], ...] = (),
    provenance: Provenance = _UNKNOWN_RUN,
    *,
    failed: bool = False,
    launched: float | None = None,
) -> ImportedMeasurement:
    """Return what was measured at one coordinate, in the base unit of its dimension.

    Parameters
    ----------
    values
        One value or the repetitions, in `unit`.
    settings
        The coordinate: what is varied.
    configuration
        What is held fixed.
    failed
        Whether the run ended badly: then none of its values was measured.
    """
    base, size = base_unit(metric, unit)
    repetitions = [values] if isinstance(values, int | float) else [*values]
    if failed:
        repetitions = [math.nan] * len(repetitions)
    elif size != 1:
        repetitions = [value * size for value in repetitions]
    return ImportedMeasurement(
        SeriesIdentity(
            region or WHOLE_PROGRAM,
            metric,
            base,
            tuple((configuration or {}).items()),
            tuple(settings),
            origin,
        ),
        tuple(map(float, settings.values())),
        repetitions,
        provenance,
        launched=launched,
    )


@lru_cache(maxsize=4096)
def base_unit(metric: str, unit: str | None) -> tuple[str | None, float]:
    """Return the unit in which a metric is kept, and how many of it a unit is.

    Times are kept in seconds, and known metrics in the first of their units.
    """
    if unit is None:
        return None, 1.0
    base = next(iter(UNITS.get(metric, {})), "s")
    factor = factor_between(unit, base)
    return (unit, 1.0) if factor is None else (base, factor)


def addressable(name: str) -> str:
    """Return a name as an address can hold it: nested by `->`, and not too long."""
    plain = _REFUSED.sub("_", name.replace("/", "->")).strip() or "_"
    if plain in {".", ".."}:
        return f"_{plain}"
    if len(plain) <= LONGEST_NAME:
        return plain
    digest = blake2s(plain.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()
    half = (LONGEST_NAME - len(digest) - 2) // 2
    return f"{plain[:half]}…{plain[-half:]}…{digest}"


def seconds_of(unit: str | None) -> float | None:
    """Return how many seconds a unit is, or None if it is none of time."""
    quantity = parse_unit(unit or "")
    return quantity.size if is_time(quantity.dimension) else None


def moment_of(seconds: float) -> str | None:
    """Return seconds since 1970 as ISO 8601, None where no calendar has them."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError):
        return None


def usual_unit(metric: str, unit: str | None) -> str:
    """Return the unit that a file tells of a metric, or else that of the metric."""
    return unit or next(iter(UNITS.get(metric, {})), "")


def postable_metric(metric: str, unit: str | None) -> str:
    """Return the name of a metric; one of another unit is not the known one.

    `flops` in GFLOP/s, as tests of ReFrame say, is a rate and no number of operations.
    """
    units = UNITS.get(metric)
    if unit is None or units is None or kept_unit(metric, unit)[0] in units:
        return metric
    if better_direction(unit) == "higher":
        return f"{metric}_rate"
    return f"{metric}_in_{_UNNAMEABLE.sub('_', unit) or 'one'}"


_GROUPED: Final = re.compile(r"[-+]?\d{1,3}(_\d{3})+(\.\d+)?")


def plain_setting(text: str) -> Setting:
    """Return a setting as the number that it is, or else as the text.

    Whole numbers beyond 64 bits are no settings that databases hold: they stay texts.
    """
    if "_" in text and not _GROUPED.fullmatch(text):
        return text
    with suppress(ValueError):
        whole = int(text)
        return whole if -_WHOLE <= whole < _WHOLE else text
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def written_number(text: str) -> float:
    """Return a number of any notation; `1_024` is grouped by thousands, `1_0` torn.

    Raises
    ------
    ValueError
        If it is none.
    """
    if "_" in text and not _GROUPED.fullmatch(text.strip()):
        raise ValueError(text)
    return float(text)


class Follower(NamedTuple):
    """A parameter that varies only together with another, which stands for both.

    Parameters
    ----------
    levels
        Its settings, in the order of the other's.
    """

    name: str
    leader: str
    levels: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ImportedSeries:
    """Measurements of a metric of a region along a scan.

    Parameters
    ----------
    region, metric
        What was measured.
    unit
        Unit of the values, where the file tells it.
    configuration
        What is held fixed.
    parameters
        What is varied.
    settings
        Coordinates in ascending order, shape (n, parameters).
    values
        Repetitions at each coordinate, shape (n, repetitions); NaN is missing.
    is_exact
        Whether the file says that they have no noise.
    crowded
        Positions of coordinates at which processes or threads shared cores.
    together
        Parameters that are none here, as each varies only together with one of these.
    failed
        How many runs failed at each coordinate; empty where none did.
    failed_jobs
        Their jobs, as far as they are known.
    """

    region: str
    metric: str
    unit: str | None
    configuration: Mapping[str, Setting]
    parameters: tuple[str, ...]
    settings: NDArray[np.float64]
    values: NDArray[np.float64]
    is_exact: bool = False
    crowded: tuple[int, ...] = ()
    together: tuple[Follower, ...] = ()
    failed: tuple[int, ...] = ()
    failed_jobs: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[int, ...]:
        """How many runs failed at each coordinate."""
        return self.failed or (0,) * len(self.settings)

    @property
    def partly_failed(self) -> tuple[int, ...]:
        """Positions of coordinates at which some runs failed and others succeeded."""
        return tuple(
            row
            for row, count in enumerate(self.failed)
            if count and not np.isnan(self.values[row]).all()
        )

    @property
    def dependent(self) -> Mapping[str, Sequence[float]]:
        """Settings that follow from those of the parameters."""
        return {each.name: each.levels for each in self.together}

    @property
    def fixed(self) -> Mapping[str, Setting]:
        """Settings that are held fixed."""
        return self.configuration

    def along(self, names: Iterable[str]) -> Self:
        """Return it over parameters of some names, as far as they vary with its own.

        One that is the same at several coordinates tells these not apart.
        """
        wanted = {*names}
        swaps = {
            each.leader: each
            for each in self.together
            if each.name in wanted
            and each.leader not in wanted
            and len({*each.levels}) == len(self.settings)
        }
        if not swaps:
            return self
        columns = [
            swaps[name].levels if name in swaps else column
            for name, column in zip(self.parameters, self.settings.T, strict=True)
        ]
        settings = np.column_stack(columns)
        order = np.lexsort(settings.T[::-1])
        followers = [
            each
            for swap in swaps.values()
            for each in (
                Follower(swap.leader, swap.name, self._levels(swap.leader)),
                *(
                    each._replace(leader=swap.name)
                    for each in self.together
                    if each.leader == swap.leader and each is not swap
                ),
            )
        ]
        others = [each for each in self.together if each.leader not in swaps]
        return replace(
            self,
            parameters=tuple(
                swaps[name].name if name in swaps else name for name in self.parameters
            ),
            settings=settings[order],
            values=self.values[order],
            crowded=tuple(np.flatnonzero(np.isin(order, self.crowded)).tolist()),
            failed=tuple(self.failed[row] for row in order if self.failed),
            together=tuple(
                each._replace(levels=tuple(np.array(each.levels)[order].tolist()))
                for each in (*others, *followers)
            ),
        )

    def _levels(self, name: str) -> tuple[float, ...]:
        return tuple(self.settings[:, self.parameters.index(name)].tolist())


@dataclass(frozen=True, slots=True)
class _Scan:
    """Values of a series, by coordinate and run."""

    runs: dict[tuple[Coordinate, Provenance], list[float]]
    sources: Mapping[str, str]
    crowded: set[Coordinate] = field(default_factory=set)
    dependent: dict[Coordinate, tuple[tuple[str, float], ...]] = field(
        default_factory=dict
    )

    def failed_jobs(self) -> tuple[str, ...]:
        """Return the jobs of runs that failed, as far as they are known."""
        jobs = {
            run.job: None
            for (_, run), values in self.runs.items()
            if run.job and all(map(math.isnan, values))
        }
        return tuple(jobs)

    def coordinates(self) -> Mapping[Coordinate, Sequence[float]]:
        """Return the values at each coordinate, of all runs together."""
        pooled: dict[Coordinate, list[float]] = {}
        for (coordinate, _), values in self.runs.items():
            pooled.setdefault(coordinate, []).extend(values)
        return pooled


class Scans:
    """Measurements on their way to series, which keep their order of appearance.

    Measurements of the same subject at the same coordinate are repetitions of each
    other, and stay apart only by the run that they are of.
    """

    def __init__(self, measurements: Iterable[ImportedMeasurement] = ()) -> None:
        self._scans: dict[SeriesIdentity, _Scan] = {}
        self._units: dict[SeriesIdentity, list[str]] = {}
        self._kept: dict[SeriesIdentity, tuple[SeriesIdentity, _Scan, float]] = {}
        for measurement in measurements:
            self.add(measurement)

    def __bool__(self) -> bool:
        return bool(self._scans)

    def add(self, measurement: ImportedMeasurement) -> None:
        """Add the repetitions at one coordinate."""
        subject, coordinate, values, provenance, sources, is_crowded, *_ = measurement
        known = self._kept.get(subject)
        if known is None:
            kept, size = self._in_first_unit(subject)
            scan = self._scans.setdefault(kept, _Scan({}, dict(sources)))
            known = self._kept[subject] = kept, scan, size
        _, scan, size = known
        values = values if size == 1 else [value * size for value in values]
        scan.runs.setdefault((coordinate, provenance), []).extend(values)
        if is_crowded:
            scan.crowded.add(coordinate)
        if measurement.dependent:
            # Of what differs at a coordinate, as restarts of its jobs, the largest.
            known_there = scan.dependent.get(coordinate, ())
            scan.dependent[coordinate] = max(known_there, measurement.dependent)

    def remove(self, measurement: ImportedMeasurement) -> None:
        """Take away the repetitions at one coordinate, all that were added."""
        subject, scan, _ = self._kept[measurement.subject]
        del scan.runs[measurement.coordinate, measurement.provenance]
        if not scan.runs:
            del self._scans[subject]
            self._kept = {
                each: known
                for each, known in self._kept.items()
                if known[1] is not scan
            }

    def _in_first_unit(self, subject: SeriesIdentity) -> tuple[SeriesIdentity, float]:
        """Return the series that a subject is of, and the factor between their units.

        Of several units of the same dimension a series has the first: MB/s and GB/s.
        """
        kept, size = subject, 1.0
        if subject.unit is not None:
            units = self._units.setdefault(subject._replace(unit=None), [])
            factors = ((unit, factor_between(subject.unit, unit)) for unit in units)
            known = ((unit, factor) for unit, factor in factors if factor is not None)
            if (first := next(known, None)) is None:
                units.append(subject.unit)
            else:
                kept, size = subject._replace(unit=first[0]), first[1]
        return kept, size

    def skip_first(self, count: int, source: str) -> Iterator[str]:
        """Leave out the first repetitions of each run at each coordinate, as warm-ups.

        Yield a note about series that nobody repeated, which stay whole.

        Raises
        ------
        UnreadableFile
            If nothing would be left of a run whose series is repeated, or of all.
        """
        whole = []
        for subject, scan in self._scans.items():
            name = f"{subject.region} ({subject.metric})"
            short = [at for at, values in scan.runs.items() if len(values) <= count]
            if all(len(values) == 1 for values in scan.runs.values()):
                whole.append(name)
                continue
            if short:
                (coordinate, _), *_ = short
                where = ", ".join(
                    f"{parameter} = {setting:g}"
                    for parameter, setting in zip(
                        subject.parameters, coordinate, strict=True
                    )
                )
                fault = f"--skip-first {count} leaves nothing of {name} at {where}"
                raise UnreadableFile(source, fault)
            for key, values in scan.runs.items():
                scan.runs[key] = values[count:]
        if len(whole) == len(self._scans):
            fault = f"--skip-first {count} leaves nothing, as nothing is repeated in it"
            raise UnreadableFile(source, fault)
        if whole:
            yield f"not repeated, hence nothing skipped: {', '.join(whole)}"

    def merge(self, other: Self) -> None:
        """Add all that `other` holds."""
        for measurement in other.measurements():
            self.add(measurement)

    def measurements(self) -> Iterator[ImportedMeasurement]:
        """Yield what was measured of each subject at each coordinate."""
        for subject, scan in self._scans.items():
            sources = tuple(scan.sources.items())
            for (coordinate, provenance), values in scan.runs.items():
                yield ImportedMeasurement(
                    subject,
                    coordinate,
                    values,
                    provenance,
                    sources,
                    coordinate in scan.crowded,
                    dependent=scan.dependent.get(coordinate, ()),
                )

    def series(self) -> list[ImportedSeries]:
        """Return all series.

        The configuration of each names what its origin differs in from others. A
        parameter that never varies along a series is part of it as well.
        """
        origins = {subject.origin for subject in self._scans}
        common = set.intersection(*map(set, origins)) if origins else set()
        # A machine that is none is named, though all be of it.
        common = {each for each in common if SIMULATED not in str(each[1])}
        differing = {key for origin in origins for key, _ in set(origin) - common}
        return [
            _series(subject, scan, differing)
            for subject, scan in self._with_failures().items()
        ]

    def _with_failures(self) -> dict[SeriesIdentity, _Scan]:
        """Return scans with the failures of no unit: `FAIL` in the place of `3 s`."""
        scans = dict(self._scans)
        for subject, scan in self._scans.items():
            units = self._units.get(subject, ()) if subject.unit is None else ()
            has_values = any(
                not math.isnan(value) for each in scan.runs.values() for value in each
            )
            if len(units) != 1 or has_values:
                continue
            whole = subject._replace(unit=units[0])
            runs = {key: [*values] for key, values in scans[whole].runs.items()}
            for key, values in scans.pop(subject).runs.items():
                runs.setdefault(key, []).extend(values)
            scans[whole] = replace(scans[whole], runs=runs)
        return scans


def _series(
    subject: SeriesIdentity, scan: _Scan, differing: set[str]
) -> ImportedSeries:
    rows = sorted(scan.coordinates().items())
    settings = np.array([coordinate for coordinate, _ in rows])
    values = stacked([np.array(measured) for _, measured in rows])
    varied = _varied(subject.parameters, settings)
    failed = tuple(int(np.isnan(measured).sum()) for _, measured in rows)
    origin = {key: setting for key, setting in subject.origin if key in differing}
    fixed = {
        parameter: int(level)
        if (level := float(settings[0, column])).is_integer()
        else level
        for column, parameter in enumerate(subject.parameters)
        if column not in varied and _levels(settings[:, [column]]) == 1
    }
    return ImportedSeries(
        region=subject.region,
        metric=subject.metric,
        unit=subject.unit,
        configuration=origin | dict(subject.configuration) | fixed,
        parameters=tuple(subject.parameters[column] for column in varied),
        settings=settings[:, varied],
        values=values,
        is_exact=subject.is_exact,
        crowded=tuple(
            row
            for row, (coordinate, _) in enumerate(rows)
            if coordinate in scan.crowded
        ),
        failed=failed if any(failed) else (),
        failed_jobs=scan.failed_jobs() if any(failed) else (),
        together=tuple(
            Follower(
                parameter,
                subject.parameters[other],
                tuple(settings[:, column].tolist()),
            )
            for column, parameter in enumerate(subject.parameters)
            if column not in varied and _levels(settings[:, [column]]) > 1
            for other in varied
            if _depends(parameter, settings[:, [other, column]])
        )
        + _dependent(scan, rows, subject.parameters[varied[0]]),
    )


def _dependent(
    scan: _Scan, rows: Sequence[tuple[Coordinate, object]], leader: str
) -> tuple[Follower, ...]:
    """Return the dependent settings that every row of a series has."""
    stated = [dict(scan.dependent.get(coordinate, ())) for coordinate, _ in rows]
    return tuple(
        Follower(name, leader, tuple(each[name] for each in stated))
        for name in stated[0]
        if all(name in each for each in stated)
    )


def _varied(parameters: Sequence[str], settings: NDArray[np.float64]) -> list[int]:
    """Return the columns of parameters that vary, p before all others.

    Of parameters that vary only together, as p and n under weak scaling, the first
    stands for all; and a single point was still measured for the sake of one.
    """
    columns = sorted(range(len(parameters)), key=lambda at: parameters[at] != "p")
    varied: list[int] = []
    for column in columns:
        if _levels(settings[:, [column]]) > 1 and not any(
            _depends(parameters[column], settings[:, [other, column]])
            for other in varied
        ):
            varied.append(column)
    return varied or columns[:1]


def _depends(parameter: str, pair: NDArray[np.float64]) -> bool:
    """Tell whether a parameter varies only with another, whose column is the first."""
    return goes_with(parameter, map(tuple, pair.tolist()))


def _levels(settings: NDArray[np.float64]) -> int:
    return len(set(map(tuple, settings.tolist())))
