"""Which way a metric is better: what its unit says where nobody else does."""

import re
from collections.abc import Mapping
from typing import Final, Literal

from scalewatch.quantities import SIMULATED_TIME, TIME, parse_unit

Direction = Literal["lower", "higher"]

_RATE: Final = re.compile(
    r".*/\s*(s|sec|seconds?|min|minutes?|h|hours?|d|days?)"  # B/s, GFlop/s, it/s
    r"|.*\b(s|sec)(\^|\*\*)?[-⁻][1¹]"  # MB s^-1
    r"|[kmgtpe]?i?(flops|bps|ips|lups|updates per second|hz)|[mgtpe]f",
    re.IGNORECASE,
)
"""Work in a time. A plain `flop` is no rate; `flops` is one, as people write it."""


_COST: Final = re.compile(
    r"[munµ]?s|sec|seconds?|min|h|hours?/ns|[kmgt]?i?b|bytes|[kmgt]?j|[km]?wh?|[mgt]?flop",
    re.IGNORECASE,
)
"""Time, space, energy and operations."""

_MONEY: Final = re.compile(r"[$€£]|\b(usd|eur|chf|gbp)\b", re.IGNORECASE)

_COST_OF_TIME: Final = re.compile(r"/\s*[munpf]s(ec)?$")
"""Time for a simulated one, as in hours/ns."""

_GAIN_NAME: Final = re.compile(
    r"efficiency|speed[_ -]?up|throughput|bandwidth|flops|lups|sypd|\bfps\b|\bfom"
    r"|figure of merit|(^|[\W_])(rate|perf|performance)($|[\W_])"
    r"|per[_ ](s(ec(ond)?)?|min(ute)?|h(our)?|day)(?![a-z])",
    re.IGNORECASE,
)
_COST_NAME: Final = re.compile(
    r"time|latency|(?<![a-z])load|memory|error|elapsed|duration|price|cost"
    r"|(?:node|core|cpu|gpu)[ _-]?hours?|\b(?:seconds|minutes|hours|days) per\b"
    r"|zeit\b|dauer\b|\btemps\b|durée|tiempo|\btempo\b",
    re.IGNORECASE,
)


def stated_direction(better: Mapping[str, Direction], metric: str) -> Direction | None:
    """Return the direction that is stated for a metric, or by `*` for all others."""
    return better.get(metric) or better.get("*")


def better_direction(unit: str) -> Direction:
    """Return the better direction of a metric in `unit`: of a rate, higher.

    So is work for an energy. All else that is measured is a cost: seconds, bytes,
    operations, and power.
    """
    text = unit.strip()
    quantity = parse_unit(text)
    powers = dict(quantity.dimension)
    energy = powers.get("J", 0)
    is_cost = (
        energy > 0
        or _MONEY.search(text)
        or (SIMULATED_TIME in powers and _COST_OF_TIME.search(text))
    )
    is_gain = quantity.is_rate or energy < 0 or _RATE.fullmatch(text)
    return "higher" if is_gain and not is_cost else "lower"


def told_direction(metric: str, unit: str) -> Direction | None:
    """Return the direction that unit or name of a metric tell, or None if neither."""
    if better_direction(unit) == "higher":
        return "higher"
    powers = dict(parse_unit(unit).dimension)
    is_time_of_something = powers.pop(TIME, 0) == 1 and all(
        p < 0 for p in powers.values()
    )
    if _COST.fullmatch(unit.strip()) or is_time_of_something:
        return "lower"
    if _GAIN_NAME.search(metric):
        return "higher"
    return "lower" if _COST_NAME.search(metric) else None
