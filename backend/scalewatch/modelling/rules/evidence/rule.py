"""The default rule: the likeliest growth, from the scatter of the repetitions.

Robust locations of the repetitions (`location`), the evidence of each growth under
relative noise whose size the repetitions tell (`evidence`), and the prior of
`posterior` give every growth a probability. The model is the likeliest growth, fitted
by relative least squares. With an expectation the verdict comes first, and the model
is the likeliest growth that has it, so that the two never contradict each other.

Where measurements fall with p although the space has only growths that rise, those of
strong scaling compete as well, see `frames`.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.measurements.estimators import located
from scalewatch.modelling.misfit.misfit import Misfit
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.likeliest import Choice, Likeliest
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.rules.evidence.prior import verdict_posterior
from scalewatch.modelling.rules.rule import Rule, Sample, Selection

BLOCK: Final = 1000
"""Series that are weighed together: enough to make little of what a block costs, few
enough for the cache. A power of two would put all arrays at the same places of it."""

NOT_POSITIVE: Final = (
    "a value is zero or negative, or vanishes beside the others: relative errors "
    "cannot weigh it"
)


def select(sample: Sample) -> Selection:
    """Select for each series the likeliest growth."""
    noise = sample.noise
    if sample.summary != EVIDENCE.summary:
        noise = replace(noise, summary=sample.summary, level=None)
    is_positive = ~(sample.values <= 0).any(axis=(1, 2))
    blocks = [
        (rows, located(sample.values[_place(rows)], noise))
        for rows in _blocks(np.flatnonzero(is_positive))
    ]
    falling = [rows[falls(location)] for rows, location in blocks]
    may_fall = sample.may_fall and any(map(len, falling))
    rising = Likeliest.of(sample, Hypotheses.of(sample.space, sample.settings))
    competing = rising
    if may_fall:
        more = Hypotheses.of(sample.space, sample.settings, may_fall=True)
        competing = Likeliest.of(sample, more)
    found = _Found.empty(len(sample.values), competing, len(sample.targets))
    scratch = rising.hypotheses.scratch(BLOCK)
    for rows, location in blocks:
        if len(rows) < BLOCK:
            scratch = rising.hypotheses.scratch(len(rows))
        found.put(rows, rising.choose(location, noise, scratch))
    if may_fall:
        for row in found.misfits.keys() & np.concatenate(falling).tolist():
            del found.misfits[row]
        for rows in _blocks(np.concatenate(falling)):
            location = located(sample.values[rows], noise)
            scratch = competing.hypotheses.scratch(len(rows))
            found.put(rows, competing.choose(location, noise, scratch))
    return found.selection(competing, np.flatnonzero(~is_positive))


@dataclass(frozen=True, slots=True)
class _Found:
    """What is found about all series, see `Choice`."""

    chosen: Indices
    coefficients: Reals
    quality: Reals
    probability: Reals
    forecasts: Reals
    misfits: dict[int, Misfit]

    @classmethod
    def empty(cls, series: int, competing: Likeliest, targets: int) -> "_Found":
        return cls(
            chosen=np.full(series, -1),
            coefficients=np.zeros((series, 3)),
            quality=np.full((2, series), np.nan),
            probability=np.zeros((len(competing.hypotheses.leading), series)),
            forecasts=np.zeros((series, targets, 3)),
            misfits={},
        )

    def put(self, rows: Indices, choice: Choice) -> None:
        """Enter what was found about some series."""
        place = _place(rows)
        self.chosen[place] = choice.chosen
        self.coefficients[place] = choice.coefficients
        self.quality[:, place] = choice.quality
        self.probability[: len(choice.probability), place] = choice.probability
        self.forecasts[place] = choice.forecasts
        if choice.misfits is not None:
            flagged = choice.misfits.flagged()
            self.misfits.update((int(rows[row]), misfit) for row, misfit in flagged)

    def selection(self, competing: Likeliest, refused: Indices) -> Selection:
        """Return the answer of the rule."""
        return Selection(
            hypotheses=competing.hypotheses.terms,
            leading=competing.hypotheses.leading,
            chosen=self.chosen,
            coefficients=self.coefficients,
            adjusted_r2=self.quality[0],
            smape=self.quality[1],
            hypothesis_probability=self.probability.T,
            verdict_probability=verdict_posterior(
                self.probability.T, competing.of_growths
            ),
            forecasts=self.forecasts if competing.forecaster else None,
            misfits=self.misfits,
            reasons=dict.fromkeys(refused.tolist(), NOT_POSITIVE),
        )


def _blocks(rows: Indices) -> list[Indices]:
    """Return rows that are weighed together."""
    return [rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK)]


def _place(rows: Indices) -> Indices | slice:
    """Return rows as a slice, which copies less, where each follows the other."""
    is_run = len(rows) and rows[-1] - rows[0] == len(rows) - 1
    return slice(rows[0], rows[-1] + 1) if is_run else rows


EVIDENCE = Rule("evidence", summary="robust", auto_space="both", select=select)
"""The likeliest growth, from the scatter of the repetitions."""
