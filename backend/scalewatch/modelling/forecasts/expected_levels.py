"""The level of an expectation: a growth says how times grow, not how long they are.

An expectation E of growth becomes the curve c + a·E(x) by one setting at which it is
taken to agree with a measurement. All that is drawn or said of it, the line, its limits
E/D and E·D, a value, where something takes twice as long, is that one curve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term


@dataclass(frozen=True, slots=True)
class ExpectedLevel:
    """A setting at which an expectation agrees with a measurement.

    Parameters
    ----------
    at
        The setting, one number for each parameter that varies.
    value
        What is expected there, in the unit of the metric.
    kept
        c, the part of the value that does not grow, and of which E says nothing.
    """

    at: Mapping[str, float]
    value: float
    kept: float = 0.0

    @classmethod
    def of(
        cls,
        expectation: Growth,
        measured: Sequence[tuple[Mapping[str, float], float]],
        model: Model | None = None,
    ) -> "ExpectedLevel | None":
        """Return the level at the smallest setting measured; None where E is not > 0.

        To expect log p says nothing of the constant below it, so that of the model is
        kept. But an expectation to fall, or to stay, is missed by a constant or met by
        it alone.

        Parameters
        ----------
        measured
            Settings, each with what was measured there. The smallest is the least
            above 1, where growths begin.
        model
            What was found; its value at the setting is the one agreed on, where it is
            positive.
        """
        known = sorted(measured, key=lambda pair: tuple(pair[0].values()))
        if not known:
            return None
        at, value = next(
            (each for each in known if min(each[0].values()) > 1), known[-1]
        )
        named = {*expectation.parameters, *(model.growth.parameters if model else ())}
        if not named <= at.keys() or not expectation.is_defined(at):
            return None
        if not float(expectation(at)) > 0:
            return None
        kept = 0.0
        if model is not None and all(t.growth.is_defined(at) for t in model.terms):
            modelled = float(model(at))
            if modelled > 0:
                value = modelled
                if expectation > CONSTANT and 0 < model.constant < modelled:
                    kept = model.constant
        return cls(at, value, kept) if np.isfinite(value) and value > 0 else None

    def curve(self, growth: Growth) -> Model:
        """Return c + a·g(x) that has this level.

        Parameters
        ----------
        growth
            g: what is expected, or a limit of it; not zero at the setting.

        Raises
        ------
        OutsideDomain
            If g is zero or undefined there, such as log p at p = 1.
        """
        if growth == CONSTANT:
            return Model(self.value)
        coefficient = (self.value - self.kept) * float((CONSTANT / growth)(self.at))
        return Model(self.kept, (Term(coefficient, growth),))

    def holds_along(
        self, parameter: str, growth: Growth, held: Mapping[str, float]
    ) -> bool:
        """Tell whether it holds along a parameter while the others are held.

        Elsewhere it does by a growth that depends on what is different there.
        """
        return all(
            name in {parameter, *growth.parameters} or held.get(name) == value
            for name, value in self.at.items()
        )
