"""Options that say where settings come from, alike for all that read files."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scalewatch.errors import BadDerivation, BadPattern, BadSetting

if TYPE_CHECKING:
    from scalewatch.importers.settings import SettingRules
    from scalewatch.wire.directions import Direction

FILE: Final = "scalewatch.toml"
KEYS: Final = frozenset({"name", "path", "at", "derive", "scan"})


class BetterDirections(click.ParamType["Mapping[str, Direction]"]):
    """`higher`, or directions by metric: `FOM=higher,load=lower`."""

    name = "[METRIC=]DIRECTION"

    def convert(self, value: Any, param: Any, ctx: Any) -> "Mapping[str, Direction]":
        """Return directions by metric, that of `*` for all others."""
        # Numpy takes longer than --help may.
        from scalewatch.services.files.stated_settings import (  # noqa: PLC0415
            directions_of,
        )

        try:
            return directions_of(str(value))
        except BadSetting as error:
            self.fail(str(error), param, ctx)


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
        "Files then make one scan; 'extra-p' is as Extra-P calls them, code.p8.n2.r1.",
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
        "--scan",
        metavar="NAMES",
        help="Settings that are parameters, such as message_bytes; any other than p, "
        "n, threads, nodes, x, y and z is held fixed.",
    ),
    click.option(
        "--trust-launcher",
        is_flag=True,
        help="Take p from the mpirun, srun or jsrun before a table, where nothing "
        "else says it.",
    ),
    click.option(
        "--skip-unmatched",
        is_flag=True,
        help="Leave out what the patterns do not match, and what has no parameter.",
    ),
    click.option(
        "--better",
        type=BetterDirections(),
        default="",
        help="Which way a metric is better, where its unit does not say it: higher, or "
        "'FOM=higher,load=lower'.",
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
            name: _rules({**table, **stated}, options) for name, table in tables.items()
        }
        rules["auto"] = _rules(stated, options)
    except (BadPattern, BadDerivation, BadSetting) as error:
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


def _rules(stated: Mapping[str, Any], options: Mapping[str, Any]) -> "SettingRules":
    # Numpy takes longer than --help may.
    from scalewatch.services.files.stated_settings import rules_of  # noqa: PLC0415

    return rules_of(
        stated,
        skips_unmatched=options["skip_unmatched"],
        trusts_launcher=options["trust_launcher"],
    )
