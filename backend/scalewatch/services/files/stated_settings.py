"""Parse settings and directions that users state in options, files and addresses."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scalewatch.errors import BadSetting
from scalewatch.importers.derivations import derivation_of
from scalewatch.importers.formats import ACROSS
from scalewatch.importers.lines import STATED, Program, program_of
from scalewatch.importers.settings import SettingRules
from scalewatch.texts.patterns import path_pattern_of, pattern_of
from scalewatch.wire.fields import Direction

DIRECTIONS: Final[Mapping[str, Direction]] = {"lower": "lower", "higher": "higher"}
ALL: Final = "*"


def directions_of(text: str) -> dict[str, Direction]:
    """Return directions by metric, that of `*` for all others.

    Parameters
    ----------
    text
        `higher`, or directions by metric: `FOM=higher,load=lower`.

    Raises
    ------
    BadSetting
        If it is neither.
    """
    better: dict[str, Direction] = {}
    for part in filter(None, text.split(",")):
        metric, _, direction = part.rpartition("=")
        if direction not in DIRECTIONS:
            raise BadSetting("", part, "like higher or FOM=lower")
        better[metric.strip() or ALL] = DIRECTIONS[direction]
    return better


def direction_table(stated: Any) -> dict[str, Direction]:
    """Return directions as a table by metric states them, or one for all.

    Raises
    ------
    BadSetting
        If it is neither.
    """
    table = {ALL: stated} if isinstance(stated, str) else stated
    if not isinstance(table, Mapping):
        raise BadSetting("better", stated, 'like { FOM = "higher" }')
    for metric, direction in table.items():
        if direction not in DIRECTIONS:
            raise BadSetting("better", f"{metric} = {direction}", "higher or lower")
    return dict(table)


def rules_of(
    stated: Mapping[str, Any],
    *,
    skips_unmatched: bool,
    trusts_launcher: bool = False,
    for_growth: bool = False,
) -> SettingRules:
    """Return the rules that texts state by the names of the options.

    Raises
    ------
    BadSetting, BadPattern, BadDerivation
        If one of them cannot be understood.
    """
    for key in ("name", "path"):
        if not isinstance(stated.get(key, ""), str):
            raise BadSetting(key, stated[key], "a text")
    across = stated.get("across", ACROSS[0])
    if across not in ACROSS:
        raise BadSetting("across", across, "max, sum or mean")
    skip_first = stated.get("skip_first", 0)
    if (
        isinstance(skip_first, bool)
        or not isinstance(skip_first, int)
        or skip_first < 0
    ):
        raise BadSetting("skip_first", skip_first, "a number of repetitions")
    return SettingRules(
        name=pattern_of(stated["name"]) if "name" in stated else None,
        path=path_pattern_of(stated["path"]) if "path" in stated else None,
        at=_at(stated.get("at", {})),
        derive=[derivation_of(text) for text in _derivations(stated.get("derive", ()))],
        scan=_names(stated.get("scan", ())),
        trusts_launcher=trusts_launcher,
        skips_unmatched=skips_unmatched,
        across=str(across),
        programs=_programs(stated.get("line", ()), stated.get("programs", {})),
        skip_first=skip_first,
        for_growth=for_growth,
    )


def _at(stated: Any) -> Mapping[str, float]:
    if not isinstance(stated, str | Mapping):
        raise BadSetting("at", stated, "like p=8")
    pairs: Sequence[tuple[str, Any]] = (
        [part.partition("=")[::2] for part in stated.split(",")]
        if isinstance(stated, str)
        else list(stated.items())
    )
    at = {}
    for name, setting in pairs:
        try:
            at[name.strip()] = float(setting)
        except (TypeError, ValueError):
            raise BadSetting("at", f"{name}={setting}", "like p=8") from None
        if not (name.strip() and 0 < at[name.strip()] < float("inf")):
            raise BadSetting("at", f"{name}={setting}", "positive")
    return at


def _programs(lines: Any, programs: Any) -> Sequence[Program]:
    """Return lines that are stated for all files, and programs by their names."""
    if not isinstance(programs, Mapping):
        raise BadSetting("lines", programs, "a table of programs")
    stated = [program_of(name, table) for name, table in programs.items()]
    return [*([program_of(STATED, {"lines": lines})] if lines else []), *stated]


def _derivations(stated: Any) -> Sequence[str]:
    if isinstance(stated, Mapping):
        return [f"{name} = {arithmetic}" for name, arithmetic in stated.items()]
    if not isinstance(stated, str | list | tuple):
        raise BadSetting("derive", stated, "like p = nodes * 4")
    return [stated] if isinstance(stated, str) else list(map(str, stated))


def _names(stated: Any) -> Sequence[str]:
    if isinstance(stated, str):
        stated = stated.split(",")
    if not isinstance(stated, list | tuple):
        raise BadSetting("scan", stated, "like message_bytes")
    return [str(name).strip() for name in stated]
