"""Options of commands that read files: where settings come from, growths, targets."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from scalewatch.cli.project_file import FILE, stated_here, unknown
from scalewatch.errors import BadDerivation, BadExpression, BadPattern, BadSetting
from scalewatch.importers.formats import ACROSS, AUTO, BASE_TIME, FORMATS

# Numpy takes longer than --help may: what needs it is imported where it is used.
if TYPE_CHECKING:
    from scalewatch.importers.settings import SettingRules
    from scalewatch.modelling import Formula
    from scalewatch.modelling.search.search import Choice
    from scalewatch.services.efficiencies.scan import ScalingTerms
    from scalewatch.services.files.model_files import SplitQuestion, Stated
    from scalewatch.wire.fields import Direction

LARGEST: Final = 10**7
"""Cores that are divided."""

LONGEST_COUNT: Final = 10
"""Digits of a number of cores or GPUs of a node are fewer."""

KEYS: Final = ("name", "path", "at", "derive", "scan", "across", "line", "skip_first")
FLAGS: Final = ("trust_launcher", "skip_unmatched")
BETTER: Final = "better"


class Finite(click.FloatRange):
    """A number within bounds: `nan` is within none, though no bound excludes it."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return number


class StatedGrowth(click.ParamType["Stated"]):
    """`[REGION[:METRIC]=]GROWTH`."""

    name = "[REGION=]GROWTH"

    def convert(self, value: str, param: Any, ctx: Any) -> "Stated":
        """Return the pattern and the growth stated for it."""
        from scalewatch.modelling import parse_declared  # noqa: PLC0415
        from scalewatch.services.files.model_files import Stated  # noqa: PLC0415

        pattern, _, expression = value.rpartition("=")
        try:
            return Stated(pattern.strip() or "*", parse_declared(expression))
        except BadExpression as error:
            self.fail(str(error), param, ctx)


class CompetingGrowths(click.ParamType["Sequence[Choice]"]):
    """Names of spaces and growths of one's own, which are put together."""

    name = "SPACE"

    def convert(self, value: str, param: Any, ctx: Any) -> "Sequence[Choice]":
        """Return what competes: names as they are, growths as spaces."""
        from scalewatch.modelling import Space, mpi_study, parse_declared  # noqa: PLC0415

        named: Mapping[str, Choice] = {
            "auto": "auto",
            "expectation": "expectation",
            "pmnf": "pmnf",
            "mpi": mpi_study(),
        }
        spaces = []
        for name in map(str.strip, value.split(",")):
            is_word = name.isascii() and name.isalpha() and name.islower()
            if name not in named and len(name) > 1 and is_word:
                known = ", ".join(named)
                self.fail(f"{name!r} is none of {known}, nor a growth", param, ctx)
            try:
                spaces.append(named.get(name) or Space((parse_declared(name),)))
            except BadExpression as error:
                self.fail(str(error), param, ctx)
        return tuple(spaces)


class RuleName(click.ParamType[str]):
    """Name of a rule."""

    name = "RULE"

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        """Return the name if there is such a rule."""
        from scalewatch.modelling.rules import RULES  # noqa: PLC0415
        from scalewatch.modelling.search.exact import EXACT  # noqa: PLC0415

        return click.Choice((*RULES, EXACT)).convert(value, param, ctx)


class Target(click.ParamType[Mapping[str, float]]):
    """`p=65536` or, for several parameters, `p=65536,n=1e6`."""

    name = "PARAMETER=SETTING"

    def convert(self, value: str, param: Any, ctx: Any) -> Mapping[str, float]:
        """Return the setting of each parameter."""
        target = {}
        for part in value.split(","):
            parameter, _, setting = part.partition("=")
            try:
                target[parameter.strip()] = float(setting)
            except ValueError:
                self.fail(f"{part!r} is not like p=65536", param, ctx)
            if not 0 < target[parameter.strip()] < float("inf"):
                self.fail(f"{part!r}: a setting is a positive number", param, ctx)
        return target


class ColumnMapping(click.ParamType[tuple[str, str]]):
    """`MEANING=NAME`."""

    name = "MEANING=NAME"

    def convert(self, value: str, param: Any, ctx: Any) -> tuple[str, str]:
        """Return the meaning and the name of the column."""
        meaning, _, name = value.partition("=")
        if not (meaning and name):
            self.fail(f"{value!r} is not like p=ranks", param, ctx)
        return meaning.strip(), name.strip()


class ComposedModel(click.ParamType[tuple[str, "Formula"]]):
    """`REGION=FORMULA`."""

    name = "REGION=FORMULA"

    def convert(self, value: str, param: Any, ctx: Any) -> "tuple[str, Formula]":
        """Return the region and the formula of its model."""
        from scalewatch.modelling import parse_formula  # noqa: PLC0415

        region, is_there, text = value.partition("=")
        if not (is_there and region.strip()):
            self.fail(f"{value!r} is not like 'cg = 2*parallel + 1e-6'", param, ctx)
        try:
            return region.strip().strip('"'), parse_formula(text)
        except BadExpression as error:
            self.fail(str(error), param, ctx)


class ProductOfParameters(click.ParamType["SplitQuestion"]):
    """`p*threads` or `p*threads=64`."""

    name = "P*T[=TOTAL]"

    def convert(self, value: str, param: Any, ctx: Any) -> "SplitQuestion":
        """Return the parameters and the total."""
        from scalewatch.services.files.model_files import SplitQuestion  # noqa: PLC0415

        product, is_total, total = value.partition("=")
        names = tuple(name.strip() for name in product.split("*"))
        if len(names) < 2 or len({*names}) < len(names) or not all(names):
            self.fail(f"{value!r} is not like 'p*threads'", param, ctx)
        if is_total and not (total.strip().isdecimal() and 0 < int(total) <= LARGEST):
            self.fail(f"{total!r} is no whole number from 1 to {LARGEST}", param, ctx)
        return SplitQuestion(names, int(total) if is_total else None)


class BetterDirections(click.ParamType["Mapping[str, Direction]"]):
    """`higher`, or directions by metric: `FOM=higher,load=lower`."""

    name = "[METRIC=]DIRECTION"

    def convert(self, value: Any, param: Any, ctx: Any) -> "Mapping[str, Direction]":
        """Return directions by metric, that of `*` for all others."""
        from scalewatch.services.files import stated_settings  # noqa: PLC0415

        try:
            return stated_settings.directions_of(str(value))
        except BadSetting as error:
            self.fail(str(error), param, ctx)


class EfficiencyLimits(click.ParamType[tuple[float, ...]]):
    """`70%,50%` or `0.7`."""

    name = "SHARES"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[float, ...]:
        """Return the efficiencies as shares."""
        limits: list[float] = []
        for part in str(value).split(","):
            number, is_percent, rest = part.strip().partition("%")
            try:
                limits.append(float(number) / (100 if is_percent else 1))
            except ValueError:
                self.fail(f"{part!r} is not like 70%", param, ctx)
            if rest or not 0 < limits[-1] <= 1:
                self.fail(f"{part!r} is no share from 0 to 100 %", param, ctx)
        return tuple(dict.fromkeys(limits))


class CountsPerNode(click.ParamType[Mapping[str, float]]):
    """`cores=128,gpus=4`."""

    name = "NAME=COUNT"

    def convert(self, value: Any, param: Any, ctx: Any) -> Mapping[str, float]:
        """Return how many of each a node has."""
        counts: dict[str, float] = {}
        for part in str(value).split(",") if value else ():
            name, _, count = part.partition("=")
            is_count = count.strip().isdecimal() and len(count) < LONGEST_COUNT
            if not (name.strip() and is_count and int(count)):
                self.fail(f"{part!r} is not like cores=128", param, ctx)
            counts[name.strip().lower()] = float(count)
        return counts


_SCALING_OPTIONS: Final = (
    click.option(
        "--scaling",
        type=click.Choice(("auto", "strong", "weak")),
        default="auto",
        show_default=True,
        help="Whether the problem stays as it is along a scan, or grows with it.",
    ),
    click.option(
        "--scale",
        type=click.Choice(("nodes", "gpus", "p", "threads")),
        help="The axis of a scan in which several vary: p, else the first of a file.",
    ),
    click.option(
        "--base",
        type=Finite(0, min_open=True),
        metavar="SIZE",
        help="Size that speed-up and efficiency refer to; the smallest unless given, "
        "or the smallest full node.",
    ),
    click.option(
        "--limit",
        "limits",
        type=EfficiencyLimits(),
        default="70%,50%",
        show_default=True,
        help="Efficiencies whose largest size is reported.",
    ),
    click.option(
        "--per-node",
        type=CountsPerNode(),
        default="",
        metavar="NAME=COUNT",
        help="What a node has, such as cores=128,gpus=4: for node-hours.",
    ),
    click.option(
        "--steps",
        type=Finite(0, min_open=True),
        help="Steps of a run, where times are those of one step.",
    ),
)


def scaling_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of how efficiencies are told."""
    for option in reversed(_SCALING_OPTIONS):
        command = option(command)
    return command


def scaling_terms(options: Mapping[str, Any]) -> "ScalingTerms":
    """Return how efficiencies are told."""
    from scalewatch.modelling import ScalingKind  # noqa: PLC0415
    from scalewatch.services.efficiencies.scan import ScalingTerms  # noqa: PLC0415

    kind = options["scaling"]
    return ScalingTerms(
        kind=None if kind == "auto" else ScalingKind(kind),
        scale=options["scale"],
        base=options["base"],
        limits=options["limits"],
        level=options.get("level") or ScalingTerms().level,
        steps=options["steps"],
        per_node=options["per_node"],
    )


_OPTIONS: Final = (
    click.option(
        "--column",
        "columns",
        type=ColumnMapping(),
        multiple=True,
        help="Meaning of a table's column: region, metric, value, unit, repetition, "
        "configuration, ignore, or the name of a parameter; configuration=status says "
        "that a column is no outcome of runs, p=header that those of the header are p.",
    ),
    click.option(
        "--base-time",
        metavar="TIME",
        help="Time of the base of speed-ups and efficiencies, such as 139.1s: they "
        "become times.",
    ),
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
        "n, threads, nodes, x, y and z is held fixed. Of asv, all that are not named "
        "here stay in the names of benchmarks.",
    ),
    click.option(
        "--line",
        multiple=True,
        metavar="PATTERN",
        help="What lines of a log say: 'Time = {time:last} s', 'nProcs : {p}'; {p} is "
        "a setting, {region} and {case:word} texts, all else values, whose unit "
        "is behind them or in them: {rate:GB/s}.",
    ),
    click.option(
        "--across",
        type=click.Choice(ACROSS),
        help="What the values of many processes become in a profile of CUBE: that of "
        "the one that has most, unless given.",
    ),
    click.option(
        "--skip-first",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Leave out the first N repetitions of each setting: warm-ups.",
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


class ReadTerms(NamedTuple):
    """How files are read, as `importers.read_files` takes it after their names."""

    file_format: str
    columns: Mapping[str, Sequence[str]]
    rules: "Mapping[str, SettingRules]"


def file_options(format_option: str) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that gives a command the options of how files are read.

    Parameters
    ----------
    format_option
        Name of the option for their format.
    """
    of_format = click.option(
        format_option,
        "file_format",
        type=click.Choice(FORMATS),
        default=AUTO,
        help="Format of the files; auto looks at their content.",
    )

    def add(command: Callable[..., Any]) -> Any:
        for option in reversed((of_format, *_OPTIONS)):
            command = option(command)
        return command

    return add


def read_terms(options: Mapping[str, Any], *, for_growth: bool = False) -> ReadTerms:
    """Return how files are read by what `scalewatch.toml` and the options say.

    Parameters
    ----------
    for_growth
        Whether growths are asked for, for which benchmarks need a parameter.

    Raises
    ------
    click.UsageError
        If one of them cannot be understood.
    """
    columns: dict[str, list[str]] = {}
    for meaning, name in options["columns"]:
        columns.setdefault(meaning, []).append(name)
    if options["base_time"]:
        columns[BASE_TIME] = [options["base_time"]]
    stated = {key: options[key] for key in (*KEYS, *FLAGS) if options[key]}
    rules = {}
    programs = stated_here().get("lines", {})
    for name, table in {AUTO: {}, **_tables()}.items():
        try:
            _rules({**table, "programs": programs}, for_growth=for_growth)
        except (BadPattern, BadDerivation, BadSetting) as error:
            raise click.UsageError(f"{FILE}: [import.{name}]: {error}") from None
        try:
            whole = {**table, "programs": programs, **stated}
            rules[name] = _rules(whole, for_growth=for_growth)
        except (BadPattern, BadDerivation, BadSetting) as error:
            raise click.UsageError(str(error)) from None
    return ReadTerms(options["file_format"], columns, rules)


def better_directions(options: Mapping[str, Any]) -> "dict[str, Direction]":
    """Return directions by metric; the options go before `scalewatch.toml`.

    Raises
    ------
    click.UsageError
        If formats contradict each other.
    """
    from scalewatch.services.files import stated_settings  # noqa: PLC0415

    better: dict[str, Direction] = {}
    for name, table in _tables().items():
        try:
            directions = stated_settings.direction_table(table.get(BETTER, {}))
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


def _rules(stated: Mapping[str, Any], *, for_growth: bool) -> "SettingRules":
    from scalewatch.services.files.stated_settings import rules_of  # noqa: PLC0415

    for flag in FLAGS:
        if not isinstance(stated.get(flag, False), bool):
            raise BadSetting(flag, stated[flag], "true or false")
    return rules_of(
        stated,
        skips_unmatched=stated.get("skip_unmatched", False),
        trusts_launcher=stated.get("trust_launcher", False),
        for_growth=for_growth,
    )
