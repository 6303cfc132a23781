"""How quantities, shares, moments and settings are written; used as Jinja filters.

The digits are those of `texts.numbers`; SI prefixes where the unit takes them.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from math import floor, inf, isfinite
from typing import Final

from markupsafe import Markup, escape

from scalewatch.figures.notation import CERTAIN, held_text, setting_text
from scalewatch.texts.numbers import DIGITS, MISSING, SPACE, significant

LONGEST_NAME: Final = 60
"""Letters of a name that stands in a sentence as it is."""

NEAR: Final = 1.1
"""Factor up to which a difference is told in percent."""

PREFIXES: Final = {-4: "p", -3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}
"""SI prefix by power of a thousand."""

POWERS: Final = {"s": range(-4, 1), "B": range(4), "flop": range(4)}
"""Powers of a thousand that suit a unit; other units stand as they are."""

COUNT: Final = "1"
"""Unit of what is counted; whole numbers of it are written in full."""

LARGEST_WHOLE: Final = 1e12

PARTS: Final = re.compile(r"[^_.:]*[_.:]|[^_.:]+")
"""The parts of a name that a line break may follow."""

LONGEST_SETTING: Final = 30
"""Letters of a setting that a narrow column still has room for."""

OPTION: Final = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
"""An option of a command: browsers would break the line after its hyphens."""

ADDRESS: Final = re.compile(r"\bhttps?://(?:(?!&(?:#|[lg]t;|quot;))[^\s'\"<>])+")
"""An address in escaped text: browsers would break the line after its first slash."""

_UNBROKEN: Final = re.compile(f"(?P<address>{ADDRESS.pattern})|{OPTION.pattern}")

PATH_PART: Final = re.compile(r"(?<![:/])/")
"""Where a part of the path of an address begins."""

AGES: Final = (
    (60, 1, "second"),
    (3_600, 60, "minute"),
    (86_400, 3_600, "hour"),
    (86_400 * 45, 86_400, "day"),
    (86_400 * 730, 86_400 * 30.44, "month"),
    (inf, 86_400 * 365.25, "year"),
)
"""Ages below this many seconds are counted in this many seconds, by this name."""


def quantity(value: float | None, unit: str) -> str:
    """Write a value with its unit: `12.3 µs`, `8.58 kB`, `42.0 widgets`."""
    if value is None or not isfinite(value):
        return MISSING
    if unit == COUNT:
        is_whole = float(value).is_integer() and abs(value) < LARGEST_WHOLE
        return f"{value:,.0f}".replace("-", "−") if is_whole else significant(value)
    power = power_of_thousand(value, unit)
    scaled = significant(value / 1000.0**power)
    return f"{scaled}{SPACE}{PREFIXES[power]}{unit}".rstrip(SPACE)


def change_in_percent(factor: float | None) -> str:
    """Write a factor as a change: `+1.2 %`, `−40 %`, and from the double on `3.1×`."""
    if factor is None or not isfinite(factor):
        return MISSING
    if not 0.5 < factor < 2:
        return f"{significant(factor, 2)}×"
    change = 100 * (factor - 1)
    text = f"{change:+.{1 if abs(change) < 10 else 0}f} %".replace("-", "−")
    return "0 %" if text in {"+0.0 %", "−0.0 %"} else text


def power_of_thousand(value: float, unit: str) -> int:
    """Return the power of a thousand whose prefix suits a value."""
    powers = POWERS.get(unit, range(1))
    if value == 0:
        return 0
    # Rounding may carry into the next prefix: 999.7 µs is 1.00 ms.
    exponent = int(f"{abs(value):.{DIGITS - 1}e}".split("e")[1])
    return min(max(floor(exponent / 3), powers[0]), powers[-1])


def count(value: float) -> str:
    """Write a setting such as a number of processes, exactly: `65,536`, `0.125`."""
    return setting_text(value)


def multiple(value: float) -> str:
    """Write how many times as large something is: `512×`, `8,192×`, `1.3×`."""
    whole = value >= 1 and float(value).is_integer()
    return f"{count(value) if whole else significant(value, 2)}×"


def number(value: float) -> str:
    """Write a number for an address, without anything that people add: `65536`."""
    return f"{value:.12g}"


def sentence(text: str | None) -> str:
    """Write a clause as a sentence: capital first, full stop last."""
    return unbroken(f"{text[0].upper()}{text[1:]}.") if text else ""


def unbroken(text: str) -> str:
    """Keep numbers on one line with their sign: `0.1 %`."""
    return text.replace(" %", f"{SPACE}%")


def percent(probability: float | None) -> str:
    """Write a probability; certainty is never claimed."""
    if probability is None:
        return MISSING
    if probability > CERTAIN:
        return f">{SPACE}99{SPACE}%"
    if 0 < probability < 0.005:
        return f"<{SPACE}1{SPACE}%"
    return f"{probability * 100:.0f}{SPACE}%"


def share(value: float) -> str:
    """Write a share that may exceed 1: `104 %`, `0.25 %`."""
    return f"{significant(value * 100, 2 if abs(value) < 0.1 else 3)}{SPACE}%"


def determination(adjusted_r2: float | None) -> str:
    """Write an adjusted R²; 1 only where nothing remains unexplained."""
    if adjusted_r2 is None or not isfinite(adjusted_r2):
        return MISSING
    if 0.995 <= adjusted_r2 < 1:
        return f"{min(adjusted_r2, 0.9999):.4f}".rstrip("0")
    return f"{adjusted_r2:.2f}".replace("-", "−")


def age(moment: datetime | None, now: datetime | None = None) -> str:
    """Write how long ago a moment was: `3 minutes ago`."""
    if moment is None:
        return "never"
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if seconds < 10:
        return "just now"
    _, size, name = next(entry for entry in AGES if seconds < entry[0])
    number = int(seconds // size)
    return f"{number} {name}{'' if number == 1 else 's'} ago"


def moment(value: datetime) -> str:
    """Write a moment in UTC: `2026-11-03 14:05 UTC`."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def day(value: datetime) -> str:
    """Write the day of a moment in UTC: `3 Nov 2026`."""
    return f"{value.astimezone(UTC):%-d %b %Y}"


def settings(values: Mapping[str, object]) -> str:
    """Write a configuration or a coordinate: `message_bytes = 256 · threads = 4`."""
    return " · ".join(
        f"{name}{SPACE}={SPACE}{held(value, name)}" for name, value in values.items()
    )


def held(value: object, name: str) -> str:
    """Write a setting: digits are grouped of scales, not of seeds and message sizes."""
    return moment(value) if isinstance(value, datetime) else held_text(value, name)


def assignments(values: Mapping[str, object]) -> str:
    """Write settings for programs, exactly: `message_bytes=1048576; flags=-O3`."""
    return "; ".join(f"{name}={value}" for name, value in values.items())


def stated(values: Mapping[str, object]) -> list[str]:
    """Write settings as an address states them: `message_bytes=256`."""
    return [f"{name}={value}" for name, value in values.items()]


def setting(value: object) -> str:
    """Write the value of a parameter or a fact."""
    return moment(value) if isinstance(value, datetime) else setting_text(value)


def fact(value: object, name: str) -> str:
    """Write what a fingerprint tells; bytes as people say them: `275 GB`."""
    if name.endswith("_bytes") and isinstance(value, int | float):
        return quantity(value, "B")
    return setting(value)


def plural(number: int, noun: str) -> str:
    """Write a number of things: `1 run`, `3 runs`, `2 series`."""
    is_same = number == 1 or noun.endswith("s")
    return f"{number:,} {noun}{'' if is_same else 's'}"


def listed(parts: Sequence[Markup]) -> Markup:
    """Join what is listed in a sentence: `a`, `a and b`, `a, b and c`."""
    *others, last = parts or [Markup()]
    return Markup(" and ").join([Markup(", ").join(others), last] if others else [last])


def whole_settings(values: Mapping[str, object]) -> Markup:
    """Write a configuration that breaks between settings, not within a short one.

    `compiler = gcc-14 · flags = -O3`: browsers would break it after its hyphens.
    """
    parts = [settings({name: value}) for name, value in values.items()]
    return Markup(" · ").join(
        whole_options(part)
        if len(part) > LONGEST_SETTING
        else Markup('<span class="option">{}</span>').format(part)
        for part in parts
    )


@lru_cache(maxsize=4096)
def whole_options(command: str) -> Markup:
    """Set a command that may break between its options, but never within one.

    An address begins a line of its own where it would not fit in the line's rest, and
    breaks between the parts of its path where it is longer than a line.
    """

    def whole(part: re.Match[str]) -> str:
        if not part["address"]:
            return f'<span class="option">{part[0]}</span>'
        return f'<span class="address">{PATH_PART.sub("/<wbr>", part[0])}</span>'

    escaped = str(escape(command))
    return Markup(_UNBROKEN.sub(whole, escaped))  # noqa: S704, its parts are escaped


# Cached: a table shows hundreds of names, often twice, and again.
@lru_cache(maxsize=4096)
def breakable(name: str) -> Markup:
    """Let a name break after its underscores, dots and colons; two lines of a long one.

    A long one shows all of itself by hover, and by focus of the link around it.
    """
    parts = Markup("<wbr>").join(PARTS.findall(name)) if name else Markup()
    if not is_long(name):
        return parts
    return Markup('<span class="name" title="{}">{}</span>').format(name, parts)


def is_long(name: str) -> bool:
    """Tell whether a name is too long to stand in a sentence as it is."""
    return len(name) > LONGEST_NAME


def named(name: str) -> Markup:
    """Write a name in a sentence: of a long one its beginning, all of it by focus."""
    if not is_long(name):
        return Markup("<bdi>{}</bdi>").format(name)
    return Markup(
        '<bdi class="name name--said" tabindex="0" title="{0}">{0}</bdi>'
    ).format(name)
