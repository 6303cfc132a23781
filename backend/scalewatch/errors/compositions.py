"""Errors of models that are composed of others, and of splits of cores."""

from collections.abc import Sequence
from difflib import get_close_matches

from scalewatch.errors.base import ScalewatchError


class CompositionError(ScalewatchError):
    """A composed model cannot be computed."""


class NameUnknown(CompositionError):
    """A composed model names what is neither a region nor a parameter."""

    def __init__(self, formula: str, name: str, known: Sequence[str]) -> None:
        meant = get_close_matches(name, known, n=1)
        hint = f"did you mean {meant[0]!r}?" if meant else f"known: {', '.join(known)}"
        super().__init__(f"no region or parameter is {name!r} in {formula!r} ({hint})")
        self.formula = formula
        self.name = name


class NameAmbiguous(CompositionError):
    """A composed model names a region of which several series were measured."""

    def __init__(
        self, formula: str, name: str, series: Sequence[str], metrics: Sequence[str]
    ) -> None:
        advice = (
            f"name the metric, as {name}:{metrics[0]}"
            if len({*metrics}) > 1
            else "of one metric, one configuration can be used"
        )
        super().__init__(
            f"{name!r} in {formula!r} may be {' or '.join(series)}: {advice}"
        )
        self.formula = formula
        self.name = name
        self.series = series


class CircularComposition(CompositionError):
    """Composed models need each other, or themselves."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"a composed model needs itself: {' = … '.join(names)}")
        self.names = names


class UnitsUnfit(CompositionError):
    """A composed model adds what cannot be added, or comes out in another unit."""

    def __init__(self, formula: str, left: str, right: str) -> None:
        super().__init__(f"units do not fit in {formula!r}: {left}, but {right}")
        self.formula = formula


class ValueMissing(CompositionError):
    """A region of a composed model has no value where the model needs one."""

    def __init__(self, formula: str, name: str, reason: str) -> None:
        super().__init__(f"{name!r} in {formula!r} has no value: {reason}")
        self.formula = formula
        self.name = name
        self.reason = reason


class NotSplit(ScalewatchError):
    """Nothing tells which split of a product of parameters is best."""

    def __init__(self, product: str, reason: str) -> None:
        super().__init__(f"no best split of {product}: {reason}")
        self.product = product
        self.reason = reason
