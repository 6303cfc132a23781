"""Fields of what the bench agent sends: units, names, numbers, times; their faults."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from scalewatch.quantities import SIMULATED_TIME, factor_between, parse_unit
from scalewatch.quantities import TIME as TIME_POWER
from scalewatch.wire.repositories import LONGEST, holds_secret, web_address

SIMULATED: Final = "(simulated)"
"""Ends the names of machines that are simulated, wherever they are shown."""

TIME: Final = "time"
"""The metric of run times, the usual one where several were measured."""

UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "memory": {
        "B": 1.0,
        "kB": 1e3,
        "MB": 1e6,
        "GB": 1e9,
        "KiB": 2.0**10,
        "MiB": 2.0**20,
        "GiB": 2.0**30,
    },
    "bytes": {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9},
    "flops": {"flop": 1.0, "Mflop": 1e6, "Gflop": 1e9},
}
"""Known metrics: their units, each with its size in the first one."""

SECONDS: Final = UNITS[TIME]
"""Units of time, each with its size in seconds; a series of another unit is no time."""


@lru_cache(maxsize=4096)
def kept_unit(metric: str, unit: str) -> tuple[str, float]:
    """Return the unit that a metric is kept in, and how many of it a unit is.

    Known metrics are kept in the first of their units, as far as a unit is of the same
    dimension; of another metric, and where no factor exists, the unit is kept.
    """
    kept = next(iter(UNITS.get(metric, {unit: 1.0})))
    factor = factor_between(unit, kept)
    return (unit, 1.0) if factor is None else (kept, factor)


Sha = Annotated[
    str, StringConstraints(min_length=1, max_length=64, pattern=r"^[0-9A-Za-z._+-]+$")
]
"""A commit hash or a release tag."""

LONGEST_TEXT: Final = 10_000

Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT, pattern=r"^[^\x00]*$")]
"""Whole characters but NUL, which PostgreSQL cannot hold."""

Unit = Annotated[Text, StringConstraints(max_length=40)]
Finite = Annotated[float, Field(allow_inf_nan=False)]

Count = Annotated[int, Field(ge=0, lt=2**63)]
"""How many there are of something."""

Duration = Annotated[Finite, Field(ge=0)]
"""Seconds."""

Quantity = Annotated[float, Field(allow_inf_nan=False, ge=-1e290, le=1e290)]
"""A number that stays finite in any unit."""

Moment = Annotated[
    AwareDatetime,
    Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9000, 1, 1, tzinfo=UTC)),
]
"""A time with its zone."""


_UNADDRESSABLE: Final = re.compile(r"[\x00-\x1f\x7f/?#]")


def _addressable(name: str) -> str:
    """Refuse what cannot stand in a URL path, even percent-encoded."""
    if _UNADDRESSABLE.search(name):
        raise wrong("a name is one line without '/', '?' and '#'")
    if name in {".", ".."} or name.isspace():
        raise wrong(f"{name!r} is no name that an address can hold")
    return name


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_addressable),
    Field(
        json_schema_extra={
            "pattern": r"^(?!\.{1,2}$)(?=.*\S)[^\x00-\x1f\x7f/?#]+$",
        }
    ),
]
"""A name that can stand in a URL path once it is percent-encoded."""


_UNPRINTED: Final = re.compile(r"[\x00-\x1f\x7f]")


def _in_one_line(name: str) -> str:
    """Refuse what no version control takes for a name either."""
    if _UNPRINTED.search(name) or not name.strip(" "):
        raise wrong("a branch or a tag is one line of printable characters")
    return name


Ref = Annotated[
    str,
    StringConstraints(min_length=1, max_length=500),
    AfterValidator(_in_one_line),
]
"""A branch or a tag, as git or another version control names it: `feature/x`."""


def _browsable(remote: str) -> str:
    """Return where a browser finds a repository; never repeat what it refuses."""
    if holds_secret(remote):
        raise wrong("leave out user and password")
    address = web_address(remote)
    if address is None:
        raise wrong("such as https://host/path or git@host:path")
    return address


Repository = Annotated[
    Text, StringConstraints(max_length=LONGEST), AfterValidator(_browsable)
]
"""Where a code lies: as git or a browser calls it, kept as the latter."""

PersonName = Annotated[Text, StringConstraints(max_length=200)]
"""The name of an author of a commit, without an address."""

_TEXT: Final[TypeAdapter[str]] = TypeAdapter(Text)


def _portable(value: object) -> object:
    """Refuse what not every database and JSON reader can hold."""
    if not isinstance(value, str | int | float | None):
        raise wrong("a text, a number, true or false is expected")
    if isinstance(value, float) and not isfinite(value):
        raise wrong(f"{value} is not a finite number")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise wrong("the number needs more than 64 bits")
    if isinstance(value, str):
        _TEXT.validate_python(value)
    return value


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong("a number is expected")
    return _portable(value)


Setting = Annotated[int | float, BeforeValidator(_number)]
"""The value of a parameter."""

Fact = Annotated[str | bool | int | float | None, BeforeValidator(_portable)]
"""A fact about a machine, or a setting of a configuration."""


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
    is_time_of_something = powers.pop(TIME_POWER, 0) == 1 and all(
        p < 0 for p in powers.values()
    )
    if _COST.fullmatch(unit.strip()) or is_time_of_something:
        return "lower"
    if _GAIN_NAME.search(metric):
        return "higher"
    return "lower" if _COST_NAME.search(metric) else None


def wrong(message: str, field: str = "") -> PydanticCustomError:
    """Return an error about `field` below the object that is validated."""
    evidence = {"message": message, "field": field}
    return PydanticCustomError("refused", "{message}", evidence)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one field, such as `results.0.values`."""

    field: str
    message: str


def faults(error: ValidationError) -> list[Fault]:
    """Return what is wrong with a refused report, field by field."""
    return [
        Fault(
            field=".".join(
                str(part) for part in (*details["loc"], _below(details)) if part != ""
            ),
            message=details["msg"],
        )
        for details in error.errors(include_url=False, include_input=False)
    ]


def first_fault(error: ValidationError) -> str:
    """Return the first thing that is wrong with a refused report, in one line."""
    fault = faults(error)[0]
    return ": ".join(filter(None, (fault.field, fault.message)))


METADATA: Final = frozenset({"branch", "tag", "message", "author", "repository"})
"""Fields of a commit on which no result and no order depends."""


def without_metadata(
    report: Mapping[str, Any], error: ValidationError
) -> tuple[dict[str, Any], list[str]] | None:
    """Return a report without the metadata that was refused, and what is left out.

    A name that cannot be taken loses itself alone; None if anything else is wrong.
    """
    refused: dict[str, str] = {}
    for details in error.errors(include_url=False, include_input=False):
        place, field, *_ = (*details["loc"], "", "")
        if place != "commit" or field not in METADATA:
            return None
        refused.setdefault(str(field), details["msg"])
    commit = {k: v for k, v in report["commit"].items() if k not in refused}
    notes = [f"commit.{name} is left out: {why}" for name, why in refused.items()]
    return {**report, "commit": commit}, notes


def _below(details: ErrorDetails) -> str:
    """Return the field that `wrong` named below the location."""
    is_ours = details["type"] == "refused"
    return str(details.get("ctx", {}).get("field", "")) if is_ours else ""
