"""Measurements, questions and compositions that cannot be modelled, with the reason."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from scalewatch.errors.records import ScalewatchError


class ModellingError(ScalewatchError):
    """A model cannot be derived from the given measurements."""


class BadExpression(ModellingError):
    """A growth expression cannot be read."""

    def __init__(self, text: str, position: int, expected: str) -> None:
        actual = f"{text[position]!r}" if position < len(text) else "the end"
        super().__init__(
            f"cannot read {text!r}: at position {position + 1}, "
            f"expected {expected}, found {actual}"
        )
        self.text = text
        self.position = position
        self.expected = expected


class BadProfile(ModellingError):
    """A profile without time, or with a time that is negative or no number."""

    def __init__(self, which: str) -> None:
        super().__init__(
            f"{which} profile needs times from 0 on, and one that is not 0"
        )
        self.which = which


class BadScale(ModellingError):
    """A scale, or a problem size, is not a positive number."""

    def __init__(self, what: str, actual: float | str) -> None:
        named = repr(actual) if isinstance(actual, str) else f"{actual:g}"
        super().__init__(f"a {what} of {named} is not a positive number")
        self.what = what
        self.actual = actual


class FallingLimit(ModellingError):
    """A deviation limit that falls leaves nothing acceptable."""

    def __init__(self, limit: str) -> None:
        super().__init__(
            f"a tolerance of {limit} falls; from E/D to E·D nothing is acceptable"
        )
        self.limit = limit


class IncompleteCoordinates(ModellingError):
    """Some runs of a series do not name a parameter that varies."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self.parameters = tuple(parameters)
        super().__init__(
            f"some coordinates of the series lack {', '.join(self.parameters)}, which "
            "varies; name it in all runs that belong together"
        )


class MissingParameter(ModellingError):
    """A growth was asked for its value without a setting for its parameter."""

    def __init__(self, parameter: str, growth: str) -> None:
        super().__init__(f"no setting of {parameter} was given for {growth}")
        self.parameter = parameter
        self.growth = growth


class NoExpectation(ModellingError):
    """An answer was asked for that follows from an expectation, without one."""

    def __init__(self) -> None:
        super().__init__("a search space of the expectation needs an expectation")


class NotFinite(ModellingError):
    """A setting is NaN or infinite."""

    def __init__(self, parameter: str, setting: float) -> None:
        super().__init__(f"{parameter} = {setting:g} is no setting")
        self.parameter = parameter
        self.setting = setting


class NotModelled(ModellingError):
    """The times of a model are asked for, of which there is none."""

    def __init__(self, reason: str | None) -> None:
        super().__init__(f"no model tells them{f': {reason}' if reason else ''}")
        self.reason = reason


class NotOneParameter(ModellingError):
    """A growth of exactly one parameter is needed here."""

    def __init__(self, growth: str, parameters: Iterable[str]) -> None:
        self.parameters = tuple(parameters)
        super().__init__(
            f"{growth} depends on {', '.join(self.parameters)}; "
            "a default can only be derived for one parameter"
        )
        self.growth = growth


class NothingMeasured(ModellingError):
    """Not one repetition of a series succeeded.

    Parameters
    ----------
    reasons
        One per result, each as it was told, if it was.
    """

    def __init__(self, reasons: Iterable[str | None]) -> None:
        results = tuple(reasons)
        self.reasons = tuple(dict.fromkeys(filter(None, results)))
        reasons = f": {'; '.join(self.reasons)}" if self.reasons else ""
        super().__init__(
            f"every result failed{reasons}" if results else "there is no result"
        )


class NothingToScale(ModellingError):
    """Fewer than two scales were measured, so that no pair can be compared."""

    def __init__(self, scales: int = 0, size: float | None = None) -> None:
        where = "" if size is None else f" of problem size {size:g}"
        super().__init__(
            f"a scaling error needs times at 2 scales or more; {scales or 'none'} "
            f"{'was' if scales <= 1 else 'were'} measured{where}"
        )
        self.scales = scales
        self.size = size


class OutsideDomain(ModellingError):
    """A growth is no real number at a setting."""

    def __init__(self, growth: str, parameter: str, setting: float) -> None:
        super().__init__(f"{growth} is not defined at {parameter} = {setting:g}")
        self.growth = growth
        self.parameter = parameter
        self.setting = setting


class RepeatedScale(ModellingError):
    """Two times, or profiles, are given for one scale or another setting."""

    def __init__(self, what: str, repeated: float | str) -> None:
        named = repeated if isinstance(repeated, str) else f"{repeated:g}"
        super().__init__(
            f"the {what} {named} occurs twice; put its repetitions together first"
        )
        self.what = what
        self.repeated = repeated


class SizeUnknown(ModellingError):
    """Weak scaling is asked of times, or a model, that know no problem size."""

    def __init__(self, model: str | None = None) -> None:
        super().__init__(
            f"weak scaling needs a model over p and n; {model} knows one of them"
            if model
            else "weak scaling needs problem sizes: post runs whose coordinates name n "
            "beside p, at sizes in proportion to p"
        )
        self.model = model


class TooFewConfigurations(ModellingError):
    """Too few configurations are known to tell which settings matter."""

    def __init__(self, given: int) -> None:
        super().__init__(
            "it needs at least two configurations; "
            f"{given or 'none'} {'has' if given < 2 else 'have'} been measured"
        )
        self.given = given


class TooFewMachines(ModellingError):
    """A single machine cannot be compared."""

    def __init__(self, machines: Iterable[str]) -> None:
        self.machines = tuple(machines)
        only = self.machines[0] if self.machines else "none"
        super().__init__(
            f"machines are compared with each other: 2 needed, {only} measured"
        )


class TooFewProfiles(ModellingError):
    """A single profile has nothing to differ from."""

    def __init__(self, profiles: int) -> None:
        super().__init__(
            f"profiles are compared with each other: 2 needed, {profiles} given"
        )
        self.profiles = profiles


class TooFewSettings(ModellingError):
    """Fewer distinct settings of the parameter than a model needs."""

    def __init__(self, settings: int, needed: int) -> None:
        super().__init__(f"{needed} distinct settings needed, {settings} measured")
        self.settings = settings
        self.needed = needed


class TooFewSizes(ModellingError):
    """A line needs more problem sizes than there are."""

    def __init__(self, sizes: int) -> None:
        super().__init__(f"a line needs 2 problem sizes or more, {sizes} measured")
        self.sizes = sizes


class TooFar(ModellingError):
    """A model is asked about scales that its measurements say nothing about."""

    def __init__(self, scale: float, limit: float) -> None:
        super().__init__(
            f"a scale of {scale:g} is too far beyond the measurements; ask for "
            f"{limit:.12g} or less"
        )
        self.scale = scale
        self.limit = limit


class WrongShape(ModellingError):
    """An array does not have the shape that was agreed on."""

    def __init__(self, name: str, shape: tuple[int, ...], expected: str) -> None:
        super().__init__(f"{name} has shape {shape}, expected {expected}")
        self.name = name
        self.shape = shape
        self.expected = expected


class UnknownChoice(ModellingError):
    """A named option does not exist."""

    def __init__(self, option: str, chosen: object, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(
            f"{option} {str(chosen)!r} is unknown; known are {', '.join(self.known)}"
        )
        self.option = option
        self.chosen = chosen


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
