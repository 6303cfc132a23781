"""Scans of profiled runs: all settings fixed but for the one that varies."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

from scalewatch.storage.runs import profiles

SCALE: Final = "p"
SIZE: Final = "n"
WORK: Final = "n/p"
"""Work per process, which a weak scaling study holds fixed instead of the size."""

Setting = float | str


@dataclass(frozen=True, slots=True)
class ProfiledScan:
    """Profiled runs of a machine that differ in one setting only.

    Parameters
    ----------
    held
        Settings that they share.
    seconds
        By setting, the time of each function; of several runs, its mean.
    runs
        How many there are.
    """

    machine: str
    held: Mapping[str, Any]
    seconds: Mapping[Setting, Mapping[str, float]]
    runs: int


def varied(runs: Sequence[profiles.ProfiledRun]) -> tuple[str, ...]:
    """Return the settings in which runs differ: scale and size first."""
    settings = [_settings(run) for run in runs]
    names = sorted(
        set().union(*settings),
        key=lambda name: (name != SCALE, name != SIZE, name),
    )
    return tuple(
        name for name in names if len({repr(each.get(name)) for each in settings}) > 1
    )


def profiled_scans(
    runs: Sequence[profiles.ProfiledRun], over: str
) -> tuple[ProfiledScan, ...]:
    """Return all scans over a setting, those with the most settings first.

    Runs whose problem grows with the processes make scans as well: they hold the
    work per process fixed.
    """
    groups: dict[tuple[str, tuple[tuple[str, Any], ...]], list[profiles.ProfiledRun]]
    groups = defaultdict(list)
    for run in runs:
        settings = _settings(run)
        if over not in settings:
            continue
        rest = {name: value for name, value in settings.items() if name != over}
        ways = [rest]
        other = {SCALE: SIZE, SIZE: SCALE}.get(over)
        if other in rest:
            work = settings[SIZE] / settings[SCALE]
            others = {name: rest[name] for name in rest if name != other}
            ways.append(others | {WORK: work})
        for held in ways:
            groups[run.machine, tuple(sorted(held.items()))].append(run)
    scans = [
        ProfiledScan(machine, dict(held), _seconds(members, over), len(members))
        for (machine, held), members in groups.items()
    ]
    # A single setting is shown only where there is nothing to compare.
    compared = [scan for scan in scans if len(scan.seconds) > 1]
    single = [scan for scan in scans if WORK not in scan.held]
    # Among equals, a fixed size comes before fixed work.
    return tuple(
        sorted(
            compared or single,
            key=lambda scan: (-len(scan.seconds), WORK in scan.held),
        )
    )


def _settings(run: profiles.ProfiledRun) -> dict[str, Any]:
    return {**run.configuration, **run.coordinate}


def _seconds(
    runs: Sequence[profiles.ProfiledRun], over: str
) -> dict[Setting, dict[str, float]]:
    """Return the mean time of each function by setting."""
    at: dict[Setting, list[dict[str, float]]] = defaultdict(list)
    for run in runs:
        value = _settings(run)[over]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        at[float(value) if is_number else str(value)].append(profiles.decode(run.blob))
    return {
        setting: {
            name: fmean(each.get(name, 0.0) for each in taken)
            for name in set().union(*taken)
        }
        for setting, taken in at.items()
    }
