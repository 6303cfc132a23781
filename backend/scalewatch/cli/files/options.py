"""Options that say where settings come from, alike for all that read files."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from scalewatch.cli.project_file import FILE, stated_here, unknown
from scalewatch.errors import BadDerivation, BadPattern, BadSetting
from scalewatch.importers.formats import ACROSS, AUTO, FORMATS

if TYPE_CHECKING:
    from scalewatch.importers.settings import SettingRules
    from scalewatch.wire.directions import Direction

KEYS: Final = ("name", "path", "at", "derive", "scan", "across")
FLAGS: Final = ("trust_launcher", "skip_unmatched")
BETTER: Final = "better"


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
        "--across",
        type=click.Choice(ACROSS),
        help="What the values of many processes become in a profile of CUBE: that of "
        "the one that has most, unless given.",
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
    stated = {key: options[key] for key in (*KEYS, *FLAGS) if options[key]}
    rules = {}
    for name, table in {AUTO: {}, **_tables()}.items():
        try:
            _rules(table)
        except (BadPattern, BadDerivation, BadSetting) as error:
            raise click.UsageError(f"{FILE}: [import.{name}]: {error}") from None
        try:
            rules[name] = _rules({**table, **stated})
        except (BadPattern, BadDerivation, BadSetting) as error:
            raise click.UsageError(str(error)) from None
    return rules


def better_directions(options: Mapping[str, Any]) -> "dict[str, Direction]":
    """Return directions by metric; the options go before `scalewatch.toml`.

    Raises
    ------
    click.UsageError
        If formats contradict each other.
    """
    # Numpy takes longer than --help may.
    from scalewatch.services.files.stated_settings import (  # noqa: PLC0415
        direction_table,
    )

    better: dict[str, Direction] = {}
    for name, table in _tables().items():
        try:
            directions = direction_table(table.get(BETTER, {}))
        except BadSetting as error:
            raise click.UsageError(f"{FILE}: [import.{name}]: {error}") from None
        for metric, direction in directions.items():
            if better.setdefault(metric, direction) != direction:
                raise click.UsageError(
                    f"{FILE}: [import.{name}] says that {metric} is better "
                    f"{direction}, another format says {better[metric]}"
                )
    return {**better, **options[BETTER]}


def _tables() -> Mapping[str, Mapping[str, Any]]:
    """Return what the file in the current folder says, by format."""
    tables: Mapping[str, Mapping[str, Any]] = stated_here().get("import", {})
    for name, table in tables.items():
        if name not in FORMATS:
            raise click.UsageError(f"{FILE}: import: {unknown(name, FORMATS)}")
        if not isinstance(table, dict):
            raise click.UsageError(f"{FILE}: [import.{name}] is a table")
        known = (*KEYS, *FLAGS, BETTER)
        for key in table:
            if key not in known:
                fault = unknown(key, known)
                raise click.UsageError(f"{FILE}: [import.{name}]: {fault}")
    return tables


def _rules(stated: Mapping[str, Any]) -> "SettingRules":
    # Numpy takes longer than --help may.
    from scalewatch.services.files.stated_settings import rules_of  # noqa: PLC0415

    for flag in FLAGS:
        if not isinstance(stated.get(flag, False), bool):
            raise BadSetting(flag, stated[flag], "true or false")
    return rules_of(
        stated,
        skips_unmatched=stated.get("skip_unmatched", False),
        trusts_launcher=stated.get("trust_launcher", False),
    )
