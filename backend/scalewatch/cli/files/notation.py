"""How findings are written: for people, or in what every program can read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from scalewatch.modelling import Finding, Forecast, Growth, Model, Verdict
from scalewatch.modelling.growths.verdict import Direction

COLOURS: Final[Mapping[Verdict, str]] = {
    Verdict.MATCH: "#009E73",
    Verdict.APPROXIMATE: "#E69F00",
    Verdict.MISMATCH: "#D55E00",
    Verdict.UNDECIDED: "bright_black",
}
"""Colours of verdicts on a terminal."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write growths, models, verdicts and what there is not."""

    growth: Callable[[Growth], str]
    times: str
    missing: str
    adjusted_r2: str
    divergence: str
    symbols: Mapping[Verdict, str]

    def growth_text(self, growth: Growth | None) -> str:
        """Return a growth without its O."""
        return self.missing if growth is None else self.growth(growth)

    def model_text(self, model: Model | None) -> str:
        """Return a model with the digits that matter to the eye."""
        if model is None:
            return self.missing
        if model.is_exact:
            return model.formula
        text = f"{model.constant:.4g}" if model.constant or not model.terms else ""
        for term in model.terms:
            sign = " - " if term.coefficient < 0 else " + " if text else ""
            growth = self.growth(term.growth)
            factor = growth[1:] if growth.startswith("1 / ") else self.times + growth
            text += f"{sign}{abs(term.coefficient):.4g}{factor}"
        return text.strip()

    def number_text(self, number: float | None, digits: int) -> str:
        """Return a number with fixed digits."""
        return self.missing if number is None else f"{number:.{digits}f}"

    def verdict_text(self, finding: Finding, *, is_cost: bool) -> str:
        """Return symbol, word, direction and probability of a verdict.

        What grows faster than expected is worse for a cost, and better for a rate.
        """
        if finding.expectation is None:
            return self.missing
        verdict = finding.verdict
        text = f"{self.symbols[verdict]}{verdict}"
        if verdict is Verdict.MISMATCH and finding.direction:
            is_worse = (finding.direction is Direction.WORSE) == is_cost
            text += f" ({Direction.WORSE if is_worse else Direction.BETTER})"
        probability = finding.verdict_probability.get(verdict)
        return text if probability is None else f"{text} {probability:.0%}"

    def forecast_text(self, forecast: Forecast | None) -> str:
        """Return a predicted value with its interval."""
        if forecast is None:
            return self.missing
        text = f"{forecast.value:.4g}"
        if forecast.low is not None and forecast.high is not None:
            text += f" [{forecast.low:.4g}, {forecast.high:.4g}]"
        return text


RICH: Final = Notation(
    growth=Growth.unicode,
    times=" · ",
    missing="–",
    adjusted_r2="R̄²",
    divergence="δ",
    symbols={verdict: f"{verdict.symbol} " for verdict in Verdict},
)

PLAIN: Final = Notation(
    growth=str,
    times=" * ",
    missing="-",
    adjusted_r2="adj. R2",
    divergence="divergence",
    symbols=dict.fromkeys(Verdict, ""),
)
