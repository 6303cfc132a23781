"""Measured values for people: in the unit that reads best."""

from typing import Final

SHOWN: Final = {
    "s": (1e6, "µs", ",.2f"),
    "B": (1, "B", ",.0f"),
    "B/s": (1e-6, "MB/s", ",.0f"),
    "1": (100, "%", ".0f"),
}
"""By unit: the factor to what is shown, its name, and its format."""


def number(value: float, unit: str) -> str:
    """Return the number that is shown for a value."""
    factor, _, form = SHOWN.get(unit, (1, unit, ",.4g"))
    return format(value * factor, form)


def unit_shown(unit: str) -> str:
    """Return the unit in which `number` shows."""
    return SHOWN[unit][1] if unit in SHOWN else unit


def quantity(value: float, unit: str) -> str:
    """Return number and unit; whole numbers without one are counts, others shares."""
    if unit == "1" and value.is_integer():
        return f"{value:,.0f}"
    return f"{number(value, unit)} {unit_shown(unit)}"
