"""Speed-ups and efficiencies: checked beside times, and alone turned into times.

A speed-up S = T(b)/T and an efficiency E = b T(b)/(p T) of the base b tell the relative
time T/T(b) = 1/S = b/(p E); under weak scaling E = T(b)/T.
"""

from collections.abc import Hashable, Mapping, Sequence
from statistics import median
from typing import Final

from scalewatch.importers.tables.columns import EFFICIENCY, SPEEDUP

_TOLERANCE: Final = 0.05
"""Part by which a rounded speed-up may be off what the times say."""

_FEWEST: Final = 3
"""Rows of which a majority can say what a table's speed-ups are relative to."""

_LARGEST_SHARE: Final = 1.6
"""Efficiencies beyond are in per cent."""


def relative_time(
    kind: str, value: float, scale: float, base: float, *, is_weak: bool
) -> float:
    """Return the time relative to that of the base; NaN where there is none.

    Parameters
    ----------
    kind
        `speed-up` or `efficiency`, the latter as a share of 1.
    value
        What the table has.
    scale, base
        The scale of the row, and of the base.
    is_weak
        Whether the work grows with the scale.
    """
    if not value > 0:
        return float("nan")
    if kind == SPEEDUP or is_weak:
        return 1 / value
    return base / (scale * value)


def as_shares(values: Sequence[float | None]) -> float:
    """Return the factor by which efficiencies become shares of 1."""
    known = [value for value in values if value is not None]
    return 0.01 if known and max(known) > _LARGEST_SHARE else 1.0


def base_of(
    kind: str, scales: Sequence[float], values: Sequence[float | None]
) -> float:
    """Return the scale of the base: where the value is 1, or else the smallest."""
    size = as_shares(values) if kind == EFFICIENCY else 1.0
    ones = [
        scale
        for scale, value in zip(scales, values, strict=True)
        if value is not None and value * size == 1
    ]
    return min(ones or scales)


def contradictions(
    kind: str,
    scales: Sequence[float],
    times: Sequence[float | None],
    values: Sequence[float | None],
    groups: Sequence[Hashable],
) -> Mapping[int, float]:
    """Return rows whose value the times contradict, and what they say instead.

    Whatever all values of a group are relative to, most of them agree on it.
    """
    by_group: dict[Hashable, list[int]] = {}
    for at, group in enumerate(groups):
        if times[at] and values[at]:
            by_group.setdefault(group, []).append(at)
    wrong: dict[int, float] = {}
    for rows in by_group.values():
        if len(rows) < _FEWEST:
            continue
        strong = {at: _product(values, times, at) * scales[at] for at in rows}
        weak = {at: _product(values, times, at) for at in rows}
        ways = [weak] if kind == SPEEDUP else [strong, weak]
        odd = min((_odd(products) for products in ways), key=len)
        wrong |= {at: (values[at] or 0.0) * ratio for at, ratio in odd.items()}
    return wrong


def _product(
    values: Sequence[float | None], times: Sequence[float | None], at: int
) -> float:
    return (values[at] or 0.0) * (times[at] or 0.0)


def _odd(products: Mapping[int, float]) -> dict[int, float]:
    """Return the rows that do not share the others' base, and the factor to it."""
    usual = median(products.values())
    return {
        at: usual / product
        for at, product in products.items()
        if abs(product / usual - 1) > _TOLERANCE
    }
