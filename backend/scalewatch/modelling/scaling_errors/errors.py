"""How far a code is from ideal strong and weak scaling, between all pairs of scales.

Strong scaling keeps the problem size k, weak scaling the work per process. With M the
time to solution, equations (4) and (5) of the reference are

    α(k, n₁, n₂) = n₂/n₁ - M(k, n₁) / M(k, n₂)
    β(k, n₁, n₂) = 1 - M(k, n₁) / M(k·n₂/n₁, n₂)

Both are 0 for ideal scaling and positive where time is lost. A and B, equations (6)
and (7), are the sets of all (n₁, n₂, error): here a matrix whose row is n₁ and whose
column is n₂, NaN where a time is not known.

Beside the error stand speed-up, efficiency and serial fraction. For c = n₂/n₁ times the
processes and the share e = M(k, n₁)/M(·, n₂) of the time:

* speed-up s is e for strong scaling and, scaled, c·e for weak scaling;
* parallel efficiency is s/c: 1 - α/c, and 1 - β;
* the serial fraction of Karp and Flatt is (1/s - 1/c) / (1 - 1/c). If it stays
  constant, serial work limits the code; if it grows, overhead does.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 2.1.
A. H. Karp and H. P. Flatt, "Measuring Parallel Processor Performance",
Communications of the ACM 33(5), 1990.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.errors import BadScale, RepeatedScale, UnknownChoice, WrongShape
from scalewatch.modelling.arrays import Reals


class ScalingKind(StrEnum):
    """Quantity kept while the number of processes grows."""

    STRONG = "strong"  # the problem size
    WEAK = "weak"  # the work per process


class Origin(StrEnum):
    """How the times of a pair are known."""

    MEASURED = "measured"
    MODELLED = "modelled"  # by a model, no farther than it was measured
    EXTRAPOLATED = "extrapolated"  # by a model, beyond its measurements


@dataclass(frozen=True, slots=True)
class ScalingError:
    """One member of A or B.

    Parameters
    ----------
    n1, n2
        Scales.
    error
        α or β between them.
    origin
        How it is known.
    """

    n1: float
    n2: float
    error: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class ScalingErrors:
    """A or B: the scaling errors between all pairs of scales.

    Parameters
    ----------
    kind
        α if strong, β if weak.
    size
        k, the problem size at n₁; None where nobody recorded it.
    scales
        Rising, shape (n,).
    errors
        Shape (n, n), [i, j] between n₁ = scales[i] and n₂ = scales[j]; NaN where a
        time is not known.
    is_modelled
        Whether the times come from a model.
    is_extrapolated
        Where that model was not measured, shape (n, n).
    """

    kind: ScalingKind
    size: float | None
    scales: Reals
    errors: Reals
    is_modelled: bool
    is_extrapolated: NDArray[np.bool_]

    @property
    def normalised(self) -> Reals:
        """Errors as the share of the ideal that is lost, 1 if all of it is lost."""
        return normalised(self.kind, self.scales, self.errors)

    def origin(self, i: int, j: int) -> Origin:
        """Return how the times of a pair are known."""
        if not self.is_modelled:
            return Origin.MEASURED
        is_beyond = bool(self.is_extrapolated[i, j])
        return Origin.EXTRAPOLATED if is_beyond else Origin.MODELLED

    def __iter__(self) -> Iterator[ScalingError]:
        """Yield the members of the set, by n₁ and n₂."""
        for i, j in np.argwhere(np.isfinite(self.errors)).tolist():
            yield ScalingError(
                float(self.scales[i]),
                float(self.scales[j]),
                float(self.errors[i, j]),
                self.origin(i, j),
            )


def strong_errors(scales: ArrayLike, times: ArrayLike) -> Reals:
    """Return α between all pairs of scales, for any number of series at once.

    Parameters
    ----------
    scales
        n₁ and n₂, shape (n,).
    times
        M(k, n), shape (…, n); one that is not positive and finite is not known.

    Returns
    -------
    NDArray
        Shape (…, n, n).

    Raises
    ------
    BadScale, RepeatedScale, WrongShape
        If a scale is not positive or occurs twice, or the shapes do not fit.
    """
    n = checked_scales(scales)
    known = known_times(times)
    if known.shape[-1:] != n.shape:
        raise WrongShape("times", known.shape, f"(…, {n.size})")
    errors = np.empty((*known.shape, n.size))
    np.divide(known[..., :, np.newaxis], known[..., np.newaxis, :], out=errors)
    return np.subtract(n / n[:, np.newaxis], errors, out=errors)


def weak_errors(
    scales: ArrayLike, sizes: ArrayLike, times: ArrayLike, size: float
) -> Reals:
    """Return β between all pairs of scales, for any number of series at once.

    Parameters
    ----------
    scales
        n₁ and n₂, shape (n,).
    sizes
        Problem sizes at which the times are known, shape (m,).
    times
        M(size, n), shape (…, m, n); one that is not positive and finite is not known.
    size
        k, the problem size at n₁.

    Returns
    -------
    NDArray
        Shape (…, n, n); NaN where k·n₂/n₁ is not among the sizes.

    Raises
    ------
    BadScale, RepeatedScale, WrongShape
        If a scale or size is not positive or occurs twice, or the shapes do not fit.
    """
    n, k = checked_scales(scales), checked_scales(sizes, "problem size")
    known = known_times(times)
    if known.shape[-2:] != (k.size, n.size):
        raise WrongShape("times", known.shape, f"(…, {k.size}, {n.size})")
    place, is_there = _place_of(needed_sizes(n, size), k)
    cells = (place * n.size + np.arange(n.size)).reshape(-1)
    table = known.reshape(*known.shape[:-2], -1)
    errors = np.take(table, cells, axis=-1).reshape(*known.shape[:-2], n.size, n.size)
    start, is_start_there = _place_of(np.full(1, size), k)
    first = known[..., start[0], :]
    np.divide(first[..., :, np.newaxis], errors, out=errors)
    np.subtract(1.0, errors, out=errors)
    if not (is_there.all() and is_start_there.all()):
        errors[..., ~(is_there & is_start_there)] = np.nan
    return errors


def with_constant_work(errors: ScalingErrors) -> ScalingErrors:
    """Return strong errors as weak ones of runs whose work per process is constant.

    Where the size that the times belong to is that of each process, equation (5) is
    1 - M(n₁)/M(n₂): that is α + 1 - n₂/n₁ of the same times.
    """
    n = errors.scales
    weak = errors.errors + 1 - n / n[:, np.newaxis]
    return replace(errors, kind=ScalingKind.WEAK, errors=weak)


def needed_sizes(scales: Reals, size: float) -> Reals:
    """Return k·n₂/n₁, the problem size that β needs at n₂; shape (n, n)."""
    return np.asarray(size * (scales / scales[:, np.newaxis]))


def normalised(kind: ScalingKind, scales: Reals, errors: Reals) -> Reals:
    """Return errors as the share of the ideal that is lost, shape (…, n, n).

    α counts speed-up, of which n₂/n₁ is ideal: α·n₁/n₂, like β, is 1 less the
    parallel efficiency.
    """
    if kind is ScalingKind.WEAK:
        return errors
    return np.asarray(errors * (scales[:, np.newaxis] / scales))


def known_times(times: ArrayLike) -> Reals:
    """Return times, NaN where one is no time: ratios with it would mean nothing."""
    values = np.asarray(times, dtype=np.float64)
    is_time = np.isfinite(values) & (values > 0)
    return values if is_time.all() else np.where(is_time, values, np.nan)


def checked_scales(scales: ArrayLike, what: str = "scale") -> Reals:
    """Return scales or sizes that are positive, finite and all different.

    Raises
    ------
    BadScale, RepeatedScale, WrongShape
        If they are not.
    """
    values = np.asarray(scales, dtype=np.float64)
    if values.ndim != 1:
        raise WrongShape(f"{what}s", values.shape, "(n,)")
    is_bad = ~(np.isfinite(values) & (values > 0))
    if is_bad.any():
        raise BadScale(what, float(values[is_bad][0]))
    distinct, times = np.unique(values, return_counts=True)
    if (times > 1).any():
        raise RepeatedScale(what, float(distinct[times > 1][0]))
    return values


def _place_of(
    wanted: Reals, sizes: Reals
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the positions of sizes, and which there are, up to rounding."""
    order = np.argsort(sizes)
    rising = sizes[order]
    after = np.searchsorted(rising, wanted * (1 - 1e-9)).clip(max=rising.size - 1)
    return order[after], np.isclose(rising[after], wanted, rtol=1e-9, atol=0.0)


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """How much faster a code is than at a base scale.

    Parameters
    ----------
    base
        n₁.
    scales
        n₂, shape (n,).
    speed_up, efficiency, serial_fraction
        Shape (n,), NaN where not known; the fraction, of Karp and Flatt, also where
        n₂ = n₁.
    """

    base: float
    scales: Reals
    speed_up: Reals
    efficiency: Reals
    serial_fraction: Reals


def speed_up(errors: ScalingErrors, base: float | None = None) -> SpeedUp:
    """Return speed-ups over a base scale, the smallest unless given.

    Raises
    ------
    UnknownChoice
        If the base is not among the scales.
    """
    scales = errors.scales
    row = row_of(errors, base)
    factor = scales / scales[row]
    efficiency = 1 - errors.normalised[row]
    gained = factor * efficiency
    # Of a time beyond all measure, rounding leaves no speed-up at all.
    is_other = (factor != 1) & (gained > 0)
    fraction = np.full(scales.shape, np.nan)
    others = factor[is_other]
    fraction[is_other] = (1 / gained[is_other] - 1 / others) / (1 - 1 / others)
    return SpeedUp(float(scales[row]), scales, gained, efficiency, fraction)


def row_of(errors: ScalingErrors, base: float | None) -> int:
    """Return the row of a base scale, the smallest unless given.

    Raises
    ------
    UnknownChoice
        If the base is not among the scales.
    """
    if base is None:
        return int(errors.scales.argmin())
    rows = np.flatnonzero(errors.scales == base)
    if not rows.size:
        known = map("{:g}".format, errors.scales)
        wanted = f"{base:g}"
        raise UnknownChoice("scale", wanted, known)
    return int(rows[0])
