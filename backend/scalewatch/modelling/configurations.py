"""Which settings of a configuration matter for an objective, and which is best.

Least squares over the levels of the settings, as in the analysis of variance: what a
setting explains is what remains unexplained without it (sums of squares of type II),
so that designs in which not every combination was measured are treated fairly.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 2.3: the optimal
configuration is often less useful than the insight into which settings produced it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import TooFewConfigurations
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED

Level = str | bool | int | float | None
NEEDED = 2


@dataclass(frozen=True, slots=True)
class Trial:
    """A configuration and its objective; smaller is better."""

    settings: Mapping[str, Level]
    value: float


@dataclass(frozen=True, slots=True)
class LevelEffect:
    """Effect of a setting at one of its levels.

    Parameters
    ----------
    level
        What it is set to.
    mean, best
        Of the objective, over all trials with that level.
    count
        How many there are.
    """

    level: Level
    mean: float
    best: float
    count: int


@dataclass(frozen=True, slots=True)
class MainEffect:
    """Effect of one setting by itself.

    Parameters
    ----------
    setting
        Its name.
    levels
        The best mean first.
    share
        Of the variation of the objective: what only this setting explains.
    confounded_with
        Settings that changed together with it, so that nothing tells them apart.
    """

    setting: str
    levels: tuple[LevelEffect, ...]
    share: float
    confounded_with: tuple[str, ...] = ()

    @property
    def best(self) -> LevelEffect:
        """The level with the best mean."""
        return self.levels[0]

    @property
    def in_order(self) -> list[LevelEffect]:
        """The levels in their own order: numbers by size, then text."""
        return sorted(self.levels, key=lambda effect: _rank(effect.level))


@dataclass(frozen=True, slots=True)
class Interaction:
    """Effect of two settings together, beyond those of each by itself.

    Parameters
    ----------
    settings
        Their names.
    levels
        Of the first, and of the second.
    means
        Of the objective, NaN where no trial is: shape (levels, levels).
    share
        Of the variation of the objective that only their interplay explains; None
        where the trials are too few to tell it from what each does.
    """

    settings: tuple[str, str]
    levels: tuple[tuple[Level, ...], tuple[Level, ...]]
    means: Reals
    share: float | None


@dataclass(frozen=True, slots=True)
class Effects:
    """Which settings matter, as trials of configurations tell.

    Parameters
    ----------
    trials
        The best first.
    main
        One per setting that varies, what explains most first.
    interactions
        One per pair of them, what explains most first.
    unexplained
        Share of the variation that settings by themselves do not explain.
    """

    trials: tuple[Trial, ...]
    main: tuple[MainEffect, ...]
    interactions: tuple[Interaction, ...]
    unexplained: float

    @property
    def best(self) -> Trial:
        """The best configuration."""
        return self.trials[0]


def effects_of(trials: Sequence[Trial]) -> Effects:
    """Return which settings matter, and the best configuration.

    Parameters
    ----------
    trials
        Configurations with the same settings, and their objectives.

    Raises
    ------
    TooFewConfigurations
        If there are fewer than two.
    """
    if len(trials) < NEEDED:
        raise TooFewConfigurations(len(trials))
    values = np.array([trial.value for trial in trials])
    factors = {
        name: factor
        for name in dict.fromkeys(name for trial in trials for name in trial.settings)
        if len((factor := _Factor.of(trials, name)).levels) > 1
    }
    # Shares of variation have no unit; squares of values themselves can overflow.
    relative = values / (float(np.abs(values).max()) or 1.0)
    total = float(((relative - relative.mean()) ** 2).sum())
    if total <= values.size * ASSUMED.rounding**2:
        total = 0.0  # the last digits of equal values are no variation
    design = _Design(values, relative, factors, total)
    main = [_main_effect(name, factors[name], design) for name in factors]
    interactions = [_interaction(pair, design) for pair in combinations(factors, 2)]
    return Effects(
        trials=tuple(sorted(trials, key=lambda trial: trial.value)),
        main=tuple(sorted(main, key=lambda effect: -effect.share)),
        interactions=tuple(
            sorted(interactions, key=lambda effect: -(effect.share or 0.0))
        ),
        unexplained=design.unexplained(factors),
    )


@dataclass(frozen=True, slots=True)
class _Factor:
    """Which trial has which level: `index`, shape (m,)."""

    levels: tuple[Level, ...]
    index: NDArray[np.intp]

    @classmethod
    def of(cls, trials: Sequence[Trial], name: str) -> "_Factor":
        settings = [trial.settings.get(name) for trial in trials]
        # By their text: true is not 1.
        levels = sorted({repr(each): each for each in settings}.values(), key=_rank)
        places = {repr(level): place for place, level in enumerate(levels)}
        return cls(tuple(levels), np.array([places[repr(each)] for each in settings]))

    @property
    def columns(self) -> Reals:
        """Indicators of all levels but the first, shape (m, levels - 1)."""
        return np.asarray(self.index[:, np.newaxis] == np.arange(1, len(self.levels)))


@dataclass(frozen=True, slots=True)
class _Design:
    """The trials, and how much of their variation sets of settings explain."""

    values: Reals
    relative: Reals
    factors: Mapping[str, _Factor]
    total: float

    def unexplained(self, names: Sequence[str] | Mapping[str, object]) -> float:
        """Return the share of the variation that settings leave."""
        return self._share_left([self.factors[name].columns for name in names])

    def unexplained_with(self, pair: tuple[str, str]) -> float:
        """Return the same for all settings and the interplay of two."""
        columns = [factor.columns for factor in self.factors.values()]
        first, second = (self.factors[name].columns for name in pair)
        together = [a * b for a, b in product(first.T, second.T)]
        return self._share_left([*columns, np.stack(together, axis=1)])

    def rank(self, *extra: Reals) -> int:
        """Return how many parameters all settings have, and what is added."""
        columns = [factor.columns for factor in self.factors.values()]
        return int(np.linalg.matrix_rank(self._matrix([*columns, *extra])))

    def _matrix(self, columns: Sequence[Reals]) -> Reals:
        ones = np.ones((self.values.size, 1))
        return np.column_stack([ones, *columns]).astype(float)

    def _share_left(self, columns: Sequence[Reals]) -> float:
        if self.total == 0:
            return 0.0
        matrix = self._matrix(columns)
        solution = np.linalg.lstsq(matrix, self.relative)[0]
        left = float(((self.relative - matrix @ solution) ** 2).sum()) / self.total
        return left if left > ASSUMED.rounding else 0.0


def _main_effect(name: str, factor: _Factor, design: _Design) -> MainEffect:
    others = [other for other in design.factors if other != name]
    share = design.unexplained(others) - design.unexplained(design.factors)
    levels = [
        LevelEffect(level, float(values.mean()), float(values.min()), values.size)
        for i, level in enumerate(factor.levels)
        if (values := design.values[factor.index == i]).size
    ]
    return MainEffect(
        setting=name,
        levels=tuple(sorted(levels, key=lambda effect: effect.mean)),
        share=share if share > ASSUMED.rounding else 0.0,
        confounded_with=_confounded(name, others, design),
    )


def _confounded(name: str, others: Sequence[str], design: _Design) -> tuple[str, ...]:
    """Return the settings whose levels go with those of this one in every trial."""
    levels = design.factors[name].index.tolist()
    indices = {other: design.factors[other].index.tolist() for other in others}
    return tuple(
        other
        for other, index in indices.items()
        if len(set(zip(levels, index, strict=True)))
        == len(set(levels))
        == len(set(index))
    )


def _interaction(pair: tuple[str, str], design: _Design) -> Interaction:
    first, second = (design.factors[name] for name in pair)
    means = np.full((len(first.levels), len(second.levels)), np.nan)
    for i, j in np.ndindex(means.shape):
        values = design.values[(first.index == i) & (second.index == j)]
        if values.size:
            means[i, j] = values.mean()
    crossed = np.stack(
        [a * b for a, b in product(first.columns.T, second.columns.T)], 1
    )
    has_room = design.rank() < design.rank(crossed) <= design.values.size
    share = design.unexplained(design.factors) - design.unexplained_with(pair)
    return Interaction(
        settings=pair,
        levels=(first.levels, second.levels),
        means=means,
        share=max(share, 0.0) if has_room else None,
    )


def _rank(level: Level) -> tuple[bool, bool, str, float]:
    """Return what levels are sorted by: numbers first, then text, nothing last."""
    if isinstance(level, int | float) and not isinstance(level, bool):
        return (False, False, "", float(level))
    return (level is None, True, str(level), 0.0)
