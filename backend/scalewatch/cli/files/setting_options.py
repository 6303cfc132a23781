"""Options that say where settings come from, alike for all that read files."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scalewatch.errors import BadDerivation, BadPattern

if TYPE_CHECKING:
    from scalewatch.importers.settings import SettingRules

FILE: Final = "scalewatch.toml"
KEYS: Final = frozenset({"name", "path", "at", "derive"})
DIRECTIONS: Final = ("lower", "higher")


class BetterDirections(click.ParamType[Mapping[str, str]]):
    """`higher`, or directions by metric: `FOM=higher,load=lower`."""

    name = "[METRIC=]DIRECTION"

    def convert(self, value: Any, param: Any, ctx: Any) -> Mapping[str, str]:
        """Return directions by metric, that of `*` for all others."""
        better = {}
        for part in filter(None, str(value).split(",")):
            metric, _, direction = part.rpartition("=")
            if direction not in DIRECTIONS:
                self.fail(f"{part!r} is not like higher or FOM=lower", param, ctx)
            better[metric.strip() or "*"] = direction
        return better


_OPTIONS: Final = (
    click.option(
        "--name",
        metavar="PATTERN",
        help="What the names of regions say: '{region}/{n}[/threads:{threads}]'; {p} "
        "is a number, {case:word} a text, {np>p} an alias, {*} anything within a "
        "segment, […] what may be absent.",
    ),
    click.option(
        "--path",
        metavar="PATTERN",
        help="What paths say, from any '/' on: '{**}/size{nodes}/{*}-iter-{rep}.out'. "
        "Files then make one scan.",
    ),
    click.option(
        "--at",
        metavar="SETTINGS",
        help="Settings that the files leave out, such as p=8 or p=8,n=1000.",
    ),
    click.option(
        "--derive",
        multiple=True,
        metavar="NAME=ARITHMETIC",
        help="What follows from other settings: 'p = nodes * taskspernode'.",
    ),
    click.option(
        "--skip-unmatched",
        is_flag=True,
        help="Leave out what the patterns do not match.",
    ),
)


def setting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of settings."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def setting_rules(options: Mapping[str, Any]) -> "dict[str, SettingRules]":
    """Return the rules by format that `scalewatch.toml` and the options make.

    Raises
    ------
    click.UsageError
        If one of them cannot be understood.
    """
    stated = {key: options[key] for key in KEYS & options.keys() if options[key]}
    tables = _tables()
    try:
        rules = {
            name: _rules({**table, **stated}, options["skip_unmatched"])
            for name, table in tables.items()
        }
        rules["auto"] = _rules(stated, options["skip_unmatched"])
    except (BadPattern, BadDerivation) as error:
        raise click.UsageError(str(error)) from None
    return rules


def _tables() -> Mapping[str, Mapping[str, Any]]:
    """Return what the file in the current folder says, by format."""
    try:
        content = tomllib.loads(Path(FILE).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise click.UsageError(f"cannot read {FILE}: {error}") from None
    tables = content.get("import", {})
    if not isinstance(tables, dict):
        raise click.UsageError(f"{FILE}: [import.FORMAT] is a table")
    for name, table in tables.items():
        unknown = table.keys() - KEYS if isinstance(table, dict) else {name}
        if unknown:
            known = ", ".join(sorted(KEYS))
            raise click.UsageError(
                f"{FILE}: [import.{name}] has {known}, not {', '.join(sorted(unknown))}"
            )
    return tables


def _rules(stated: Mapping[str, Any], skips_unmatched: bool) -> "SettingRules":  # noqa: FBT001
    # Numpy takes longer than --help may.
    from scalewatch.importers.derivations import derivation_of  # noqa: PLC0415
    from scalewatch.importers.patterns import pattern_of  # noqa: PLC0415
    from scalewatch.importers.settings import SettingRules  # noqa: PLC0415

    for key in ("name", "path"):
        if not isinstance(stated.get(key, ""), str):
            raise click.UsageError(f"{key} = {stated[key]!r}: a pattern is a text")
    return SettingRules(
        name=pattern_of(stated["name"]) if "name" in stated else None,
        path=pattern_of(stated["path"]) if "path" in stated else None,
        at=_at(stated.get("at", {})),
        derive=[derivation_of(text) for text in _derivations(stated.get("derive", ()))],
        skips_unmatched=skips_unmatched,
    )


def _at(stated: str | Mapping[str, Any]) -> Mapping[str, float]:
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
            raise click.UsageError(f"--at {name}={setting} is not like p=8") from None
        if not (name.strip() and 0 < at[name.strip()] < float("inf")):
            raise click.UsageError(f"--at {name}={setting}: a setting is positive")
    return at


def _derivations(stated: Any) -> Sequence[str]:
    if isinstance(stated, Mapping):
        return [f"{name} = {arithmetic}" for name, arithmetic in stated.items()]
    return [stated] if isinstance(stated, str) else list(map(str, stated))
