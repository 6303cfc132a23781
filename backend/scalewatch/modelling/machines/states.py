"""States of a machine: which parts of a fingerprint matter, and which drift.

Two fingerprints are one state if all parts that matter are alike. Node names,
microcode, clocks and the like drift from node to node of a partition; numbers other
than counts drift by `DRIFT`, and a kernel matters by its major and minor version. A
part that is not known to drift matters: it is a candidate for a step, no more (see
`levels`).
"""

import re
from collections.abc import Mapping
from typing import Any, Final

DRIFT: Final = 0.01
"""Share by which memory, and other numbers that count nothing, drift."""

COUNTS: Final = 10_000
"""Whole numbers below it are counts, of cores or devices, but for those of memory."""

_DRIFTING: Final = re.compile(
    r".*(hosts?|hostnames?|nodenames?|nodelist|nodeid|fqdn|bogomips|microcode|ucode|"
    r"uptime(s|sec|secs|seconds|hours|days)?|loadavg|loadaverage|temperature|bootid|"
    r"boottime|machineid|serial|serialnumber|uuid|timestamp|jobid|pid|ipaddress|"
    r"macaddress|kernelpatch|kernelbuild|patchlevel|"
    r"(cpu|current|cur)(mhz|freq|frequency)|"
    r"(mem|memory|ram|swap|disk)(free|available|avail|used|cached)(bytes|[kmgt]i?b)?|"
    r"(free|available|avail|used|cached)(mem|memory|ram|swap|disk)(bytes|[kmgt]i?b)?)|"
    r"node"
)
"""Names, without what separates their words, of parts that never matter."""

_MEMORY: Final = re.compile(
    r".*(mem|memory|ram|dram|swap)(bytes|total|size|[kmgt]i?b)*"
)
_SEPARATORS: Final = re.compile(r"[^a-z0-9]")
_OF_KERNEL: Final = ("kernel", "uname", "osrelease")
_FIRST_WORD: Final = re.compile(r"[a-z]*")
_VERSION: Final = re.compile(r"\b(\d++)\.(\d++)")
_LINUX: Final = re.compile(r"linux[ -](\S+ )?\d+\.\d+")
_QUANTITY: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?(?:ytes)?")
_KIBIBYTES: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}

Facts = Mapping[str, Any]


def changed_parts(former: Facts, present: Facts) -> tuple[str, ...]:
    """Return the names of parts that matter and differ, sorted."""
    return tuple(
        name
        for name in sorted({*former, *present})
        if _matters(name)
        and _normal(name, former.get(name)) != _normal(name, present.get(name))
        and not _drifted(name, former.get(name), present.get(name))
    )


def is_same_state(former: Facts, present: Facts) -> bool:
    """Tell whether a machine is in the same state by two of its fingerprints."""
    return not changed_parts(former, present)


def _squashed(name: str) -> str:
    return _SEPARATORS.sub("", name.lower())


def _matters(name: str) -> bool:
    return _DRIFTING.fullmatch(_squashed(name)) is None


def _normal(name: str, fact: object) -> object:
    """Return a fact so that equal ones are alike; of a kernel major and minor."""
    if not isinstance(fact, str):
        return fact
    words = " ".join(fact.casefold().split())
    is_named = any(word in _squashed(name) for word in _OF_KERNEL)
    is_kernel = is_named or _LINUX.match(words)
    first = _FIRST_WORD.match(words)
    if is_kernel and first and (version := _VERSION.search(words)):
        return (first[0], *version.groups())
    return words


def _drifted(name: str, former: object, present: object) -> bool:
    """Tell whether two facts are numbers that differ by no more than drifts do."""
    is_memory = _MEMORY.fullmatch(_squashed(name)) is not None
    numbers = [_number(fact, is_memory=is_memory) for fact in (former, present)]
    first, second = numbers
    if first is None or second is None:
        return False
    is_count = all(each == int(each) and abs(each) < COUNTS for each in (first, second))
    if is_count and not is_memory:
        return first == second
    return abs(first - second) <= DRIFT * max(abs(first), abs(second))


def _number(fact: object, *, is_memory: bool) -> float | None:
    """Return a number or a quantity of memory, the latter in bytes; else None."""
    if isinstance(fact, bool) or fact is None:
        return None
    if isinstance(fact, int | float):
        return float(fact)
    words = str(fact).casefold().replace(",", "").strip()
    stated = _QUANTITY.fullmatch(words)
    if stated is None or (stated[2] and not is_memory):
        return None
    return float(stated[1]) * 1024.0 ** _KIBIBYTES[stated[2]]
