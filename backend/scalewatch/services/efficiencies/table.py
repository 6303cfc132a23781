"""The table of a scan's efficiency: the same digits on terminals, pages and in files.

A repeated value has the digits of its uncertainty, two from 100 to 354 and else one; a
single one has four, and no more than were measured.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, log10
from typing import Any, Final

from scalewatch.modelling import ScalingKind
from scalewatch.modelling.efficiencies import (
    Largest,
    Quantity,
    SizeRow,
)
from scalewatch.services.efficiencies.scan import ScanScaling
from scalewatch.texts.numbers import MISSING, significant
from scalewatch.texts.scales import RESOURCES

MOST_DIGITS: Final = 4

WHOLE: Final = 0.095
"""Share from which on whole per cent are written."""

SURELY: Final = 0.9
"""Probability from which on an efficiency reaches a limit, or misses it."""

_POWERS: Final = {1e3: "³", 1e6: "⁶", 1e9: "⁹", 1e12: "¹²"}
_FROM: Final = 1e5
"""Rates from which on a column counts thousands or more."""

_PARTS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
"""Units of times; of the largest time at least one."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A size: its cells, its efficiency as a share, and a remark."""

    size: float
    cells: tuple[str, ...]
    efficiency: float | None = None
    note: str = ""
    is_forecast: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Efficiency of a scan by size: headings, and rows of as many cells."""

    headings: tuple[str, ...]
    rows: tuple[TableRow, ...]


def table_of(scaled: ScanScaling) -> Table:
    """Return the table of a scan of which strong or weak is known."""
    scaling = scaled.scaling
    if scaling is None:
        return Table((), ())
    rows = [*scaling.rows, *scaled.forecasts]
    size, unit = unit_of(scaled)
    is_even = len({row.runs for row in scaling.rows}) == 1
    speed_up = "Speed-up"
    if scaling.quantity is Quantity.RATE_EACH:
        speed_up = f"Total, × {scaled.scale.counted(scaling.base)}"
    elif scaling.quantity is Quantity.TIME and scaling.kind is ScalingKind.WEAK:
        speed_up = "Scaled speed-up"
    metric = scaled.metric[:1].upper() + scaled.metric[1:].replace("_", " ")
    headings = [
        scaled.scale.title,
        *(_title(name) for name in scaled.dependent),
        *([] if is_even else ["Runs"]),
        f"{metric} ({unit})" if unit else metric,
        speed_up,
        "Efficiency (%)",
    ]
    if scaled.hours_unit:
        headings.append(scaled.hours_unit[:1].upper() + scaled.hours_unit[1:])

    def line(row: SizeRow) -> TableRow:
        is_base = row.size == scaling.base
        cells = [
            f"{row.size:,.10g}",
            *(_setting(known.get(row.size)) for known in scaled.dependent.values()),
            *([] if is_even else [str(row.runs) if row.runs else MISSING]),
            _value(row, size),
            "1" if is_base else significant(row.speed_up),
            "100" if is_base else efficiency_text(row),
        ]
        if scaled.hours_unit:
            cells.append(significant(scaled.hours_of(row)))
        return TableRow(
            row.size,
            tuple(cells),
            row.efficiency.value,
            _note(row, is_base=is_base, limit=scaled.limits[0]),
            is_forecast=not row.runs,
        )

    below = [
        TableRow(
            x,
            (
                f"{x:,.10g}",
                *(_setting(known.get(x)) for known in scaled.dependent.values()),
                *([] if is_even else [MISSING]),
                significant(value / size, MOST_DIGITS),
                MISSING,
                MISSING,
                *([significant(scaled.hours.get(x))] if scaled.hours_unit else []),
            ),
            note="below the base",
        )
        for x, value in scaling.below_base.items()
    ]
    return Table(tuple(headings), (*below, *map(line, rows)))


def scaling_object(scaled: ScanScaling) -> dict[str, Any]:
    """Return the efficiency of a scan as plain values."""
    scaling = scaled.scaling
    known: dict[str, Any] = {
        "scale": scaled.scale.name,
        "counts": scaled.scale.many,
        "kind": None if scaling is None else str(scaling.kind),
        "evidence": str(scaled.evidence),
        "quantity": str(scaled.measured.quantity),
        "metric": scaled.metric,
        "unit": scaled.unit,
        "held": dict(scaled.held),
        "level": scaled.level,
    }
    if scaling is not None:
        following = scaling.next_run
        forecast = scaled.next_forecast
        known |= {
            "base": scaling.base,
            "rows": [_row_object(scaled, row) for row in scaling.rows],
            "below_base": [
                {"size": size, "value": value, "hours": scaled.hours.get(size)}
                for size, value in scaling.below_base.items()
            ],
            "forecasts": [_row_object(scaled, row) for row in scaled.forecasts],
            "limits": [_limit_object(largest) for largest in scaling.largest],
            "next": following
            and {
                "kind": str(following.kind),
                "size": following.size,
                "runs": following.runs,
                "efficiency": following.efficiency,
                "hours": scaled.next_hours,
                "holds": forecast and forecast.holds[scaled.limits[0]],
            },
            "is_at_limit": scaling.is_at_limit,
            "is_assumed": scaling.is_assumed,
        }
    known["hours_unit"] = scaled.hours_unit
    known["questions"] = [
        {
            "about": str(each.doubt),
            "sizes": list(each.sizes),
            "subject": each.subject,
            "value": each.value,
        }
        for each in scaled.questions
    ]
    return known


def uncertain(value: float, half: float) -> str:
    """Write a value and the half width of its interval, with the same decimals."""
    if half <= 0:
        return significant(value, MOST_DIGITS)
    power = _power(half)
    lead = round(half / 10.0 ** (power - 2))
    decimals = -power + (1 if lead <= 354 else 0) - (1 if lead > 949 else 0)
    decimals = min(decimals, MOST_DIGITS - 1 - _power(value))
    least = max(round(half, decimals), 10.0**-decimals)
    shown = max(decimals, 0)
    return f"{round(value, decimals):,.{shown}f} ± {least:,.{shown}f}"


def efficiency_text(row: SizeRow) -> str:
    """Write an efficiency in per cent with its interval: `86 ± 2`."""
    share, half = row.efficiency.value, (row.efficiency.high - row.efficiency.low) / 2
    decimals = 0 if share >= WHOLE else 1
    least = max(100 * half, 10.0**-decimals)
    return f"{percent(share)} ± {least:.{decimals}f}"


def percent(share: float) -> str:
    """Write a share in per cent, without the sign."""
    return f"{100 * share:.{0 if share >= WHOLE else 1}f}"


def probability(share: float) -> str:
    """Write a probability in per cent: never as certain."""
    if share > 0.99:
        return "> 99 %"
    return "< 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def _power(value: float) -> int:
    return floor(log10(abs(value)))


def unit_of(scaled: ScanScaling) -> tuple[float, str]:
    """Return what values are divided by, and the unit that they have then."""
    rows = [*(scaled.scaling.rows if scaled.scaling else ()), *scaled.forecasts]
    top = max(row.value.value for row in rows)
    unit = scaled.unit
    if unit == "s":
        return next((each for each in _PARTS if top >= each[0]), _PARTS[-1])
    if top < _FROM:
        return 1.0, "" if unit.replace("/", " per ") == scaled.metric else unit
    size = max(each for each in _POWERS if each <= top)
    return size, f"10{_POWERS[size]} {unit}".rstrip()


def _value(row: SizeRow, size: float) -> str:
    value = row.value.value / size
    half = (row.value.high - row.value.low) / (2 * size)
    if row.runs == 1:
        known = len(f"{value:.12e}".partition("e")[0].rstrip("0").replace(".", ""))
        return significant(value, min(MOST_DIGITS, known))
    return uncertain(value, half)


def _title(name: str) -> str:
    return RESOURCES[name].title if name in RESOURCES else f"Problem {name}"


def _setting(value: float | None) -> str:
    return MISSING if value is None else f"{value:,.10g}"


def _note(row: SizeRow, *, is_base: bool, limit: float) -> str:
    if not row.runs:
        return "forecast, not measured"
    if is_base:
        return "base"
    holds = row.holds[limit]
    if holds >= SURELY:
        return ""
    return f"≥ {percent(limit)} %?" if holds > 1 - SURELY else f"< {percent(limit)} %"


def _row_object(scaled: ScanScaling, row: SizeRow) -> dict[str, Any]:
    return {
        "size": row.size,
        "runs": row.runs,
        "value": row.value.value,
        "low": row.value.low,
        "high": row.value.high,
        "speed_up": row.speed_up,
        "efficiency": row.efficiency.value,
        "efficiency_low": row.efficiency.low,
        "efficiency_high": row.efficiency.high,
        "holds": {f"{limit:g}": share for limit, share in row.holds.items()},
        "per_doubling": row.per_doubling,
        "serial_fraction": row.serial_fraction,
        "hours": scaled.hours_of(row),
        "settings": dict(_settings(scaled, row.size)),
    }


def _settings(scaled: ScanScaling, size: float) -> Iterator[tuple[str, float]]:
    for name, known in scaled.dependent.items():
        if size in known:
            yield name, known[size]


def _limit_object(largest: Largest) -> dict[str, Any]:
    return {
        "limit": largest.limit,
        "size": largest.sure.size,
        "probability": largest.sure.holds[largest.limit],
        "by_median": largest.by_median.size,
        "fails": largest.fails and largest.fails.size,
        "dips": [row.size for row in largest.dips],
        "is_reached": largest.is_reached,
    }
