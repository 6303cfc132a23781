"""Types of what the command line states about models: growths, formulas, targets."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from scalewatch.errors import BadExpression

if TYPE_CHECKING:
    from scalewatch.modelling import Formula
    from scalewatch.modelling.search.search import Choice
    from scalewatch.services.files.model_files import Stated
    from scalewatch.services.files.splits import SplitQuestion


_SPACE: Final = re.compile("[a-z]+")

LARGEST: Final = 10**7
"""Cores that are divided."""


class StatedGrowth(click.ParamType["Stated"]):
    """`[REGION[:METRIC]=]GROWTH`."""

    name = "[REGION=]GROWTH"

    def convert(self, value: str, param: Any, ctx: Any) -> "Stated":
        """Return the pattern and the growth stated for it."""
        # Numpy takes longer than --help may.
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
            if name not in named and len(name) > 1 and _SPACE.fullmatch(name):
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
        from scalewatch.services.files.splits import SplitQuestion  # noqa: PLC0415

        product, is_total, total = value.partition("=")
        names = tuple(name.strip() for name in product.split("*"))
        if len(names) < 2 or len({*names}) < len(names) or not all(names):
            self.fail(f"{value!r} is not like 'p*threads'", param, ctx)
        if is_total and not (total.strip().isdecimal() and 0 < int(total) <= LARGEST):
            self.fail(f"{total!r} is no whole number from 1 to {LARGEST}", param, ctx)
        return SplitQuestion(names, int(total) if is_total else None)


def columns_by_meaning(stated: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names of a table's columns by what the options say they mean."""
    names: dict[str, list[str]] = {}
    for meaning, name in stated:
        names.setdefault(meaning, []).append(name)
    return names
