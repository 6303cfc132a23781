"""Rows that an ablation compares: a number for each series, of each kind of data.

The series of a kind are drawn from one seed, so that two ablations see the same ones.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
from benchmarks import real, truths, two_parameters
from benchmarks.forecast_bounds import forecast_bounds
from benchmarks.real_series import folder, real_series
from benchmarks.textbook import scores
from benchmarks.textbook.drawings import EXACT, ROUNDED, draw
from benchmarks.textbook.families import FAMILIES
from benchmarks.textbook.scored import measure_ours
from numpy.typing import NDArray

from scalewatch.modelling import (
    CONSTANT,
    Comparison,
    Finding,
    Verdict,
    compare_versions,
    find_models,
    learn_noise,
)

Reals = NDArray[np.float64]
Rows = dict[str, Reals]
"""A number for each series, NaN where it has none, by what is measured."""

SEED: Final = 20_261_128
LEVEL: Final = 0.9
FAR: Final = (4, 16)
NOISES: Final = ("2 %", "10 %", "50 %", "skewed 5 %", "one-sided", "shared by a job")
FACTOR: Final = 1.1
"""By which the later of two versions is slower."""


def _real(series: int) -> Rows:
    """Measure curves of other people's codes; nothing where there are none."""
    if not (folder() / "series.csv").exists():
        return {}
    every = real_series()
    every = every[:: max(1, len(every) // (3 * series))]
    rows = []
    for each in every:
        forecasts, verdicts = real.about(each, verdicts=True, choices={})
        given = [forecast for forecast in forecasts if forecast.is_forecast]
        stated = [verdict for verdict in verdicts if verdict.is_stated]
        row = {
            "holds": _mean(forecast.holds for forecast in given),
            "width": _mean(forecast.width for forecast in given),
            "score": _mean(forecast.score for forecast in given),
            "error": _mean(forecast.error for forecast in given),
            "given": _mean(forecast.is_forecast for forecast in forecasts),
            "printed inside": _mean(f.is_printed_inside for f in given),
            "stated": _mean(verdict.is_stated for verdict in verdicts),
            "contradicted": _mean(verdict.is_contradicted for verdict in stated),
        }
        rows.append({name: np.array([number]) for name, number in row.items()})
    return _joined(rows)


def _curves(series: int) -> Rows:
    """Measure curves inside and outside of the space, alone and with learned noise."""
    return _joined(
        _rows_of_curves(series, place, draw, noise)
        for place, families in (("inside", truths.INSIDE), ("outside", truths.OUTSIDE))
        for draw in families.values()
        for noise in NOISES
    )


def _rows_of_curves(series: int, place: str, draw: truths.Draw, noise: str) -> Rows:
    rng, p = np.random.default_rng(SEED), truths.processes(6)
    truth = draw(series, p, rng)
    values = truths.measure(truth.curve, p, truths.NOISES[noise], rng)
    targets = p[-1] * np.array(FAR)
    rows: Rows = {}
    learned = {"noise": learn_noise(p, values)}
    for name, choices in {"alone": {}, "learned": learned}.items():
        models = find_models(p, values, targets=targets, level=LEVEL, **choices)
        numbers = _forecasts(models, list(targets), truth.curve(targets))
        if truth.growths:
            pairs = zip(models, truth.growths, strict=True)
            numbers["exact"] = np.array([m.growth == g for m, g in pairs], float)
        rows |= {f"{row} {place}, {name}": each for row, each in numbers.items()}
    return rows


def _forecasts(models: list[Finding], targets: list[Any], exact: Reals) -> Rows:
    """Return how forecasts, at T targets, meet values of shape (S, T)."""
    value, low, high = forecast_bounds(models, targets).transpose(2, 0, 1)
    is_given = ~np.isnan(low)
    holds = np.where(is_given, (low <= exact) & (exact <= high), np.nan)
    return {
        "holds": holds.mean(axis=1),
        "width": np.log(high / low).mean(axis=1),
        "error": np.abs(np.log(value / exact)).mean(axis=1),
        "given": is_given.mean(axis=1),
    }


def _constants(series: int) -> Rows:
    """Measure how many constants are called growing, alone and with learned noise."""
    return _joined(_growing(20 * series, noise) for noise in truths.NOISES.values())


def _growing(series: int, noise: truths.Noise) -> Rows:
    rng, p = np.random.default_rng(SEED), truths.processes(6)
    truth = truths.constant(series, p, rng)
    values = truths.measure(truth.curve, p, noise, rng)
    learned = {"noise": learn_noise(p, values)}
    return {
        f"growing, {name}": np.array(
            [each.growth != CONSTANT for each in find_models(p, values, **choices)],
            dtype=np.float64,
        )
        for name, choices in {"alone": {}, "learned": learned}.items()
    }


def _textbook(series: int, parameters: int, *noises: str) -> Rows:
    """Measure functions of textbooks under noises."""
    rows: Rows = {}
    chosen = [name for name, e in FAMILIES.items() if len(e.parameters) == parameters]
    for noise in noises:
        scored = measure_ours(noise, max(1, series // 12), 5, (SEED,), chosen)
        columns = np.concatenate([each.rows for each in scored]).T
        for name, column in zip(scores.COLUMNS, columns, strict=True):
            if not np.isnan(column).all():
                rows[f"{name}, {noise}"] = column
    return rows


def _lost(series: int) -> Rows:
    """Measure counts of textbooks of which one is off by a tenth."""
    rows = []
    family = FAMILIES["textbook"]
    for drawing in draw(family, EXACT, max(1, series // 12), 2, (SEED,)):
        rng = np.random.default_rng([SEED, *drawing.function.name.encode()])
        values = drawing.values.copy()
        at = rng.integers(values.shape[1])
        values[:, at] -= np.ceil(values[:, at] / 10)
        targets = list(drawing.targets[:, 0])
        models = find_models(drawing.settings, values, targets=targets, level=LEVEL)
        numbers = _forecasts(models, targets, drawing.far)
        truth = drawing.function.growth
        numbers["right"] = np.array([each.growth == truth for each in models], float)
        rows.append(numbers)
    return _joined(rows)


def _surfaces(series: int) -> Rows:
    """Measure models of two parameters on grids and crosses, and where jobs share."""
    rng = np.random.default_rng(SEED)
    known = two_parameters.truths(series, rng)
    rows = _joined(
        _rows_of_surfaces(known, x, factor)
        for x in two_parameters.designs().values()
        for factor in two_parameters.noises(rng).values()
    )
    grid = two_parameters.designs()["5 × 5 grid"]
    for noise, factor in {"jobs share": _shared, "protocols switch": _switched}.items():
        more = _rows_of_surfaces(known, grid, factor)
        rows |= {f"{name}, {noise}": each for name, each in more.items()}
    return rows


def _shared(shape: tuple[int, ...]) -> Reals:
    """Draw noise of which the repetitions of a job share more than they show."""
    rng = np.random.default_rng(SEED)
    common = rng.normal(0, 0.01, (*shape[:2], 1))
    return np.exp(common + rng.normal(0, 0.01, shape))


def _switched(shape: tuple[int, ...]) -> Reals:
    """Draw noise of 1 %, and factors by which times rise beyond some p."""
    rng = np.random.default_rng(SEED)
    p = two_parameters.designs()["5 × 5 grid"][:, 0]
    at = rng.choice(two_parameters.P[1:-1], (shape[0], 1))
    jump = np.where(p > at, rng.uniform(1.1, 2, (shape[0], 1)), 1.0)
    return jump[..., np.newaxis] * np.exp(rng.normal(0, 0.01, shape))


def _rows_of_surfaces(
    known: list[Any], x: Reals, factor: Callable[[tuple[int, ...]], Reals]
) -> Rows:
    exact = np.stack([model({"p": x[:, 0], "n": x[:, 1]}) for model in known])
    shape = (*exact.shape, two_parameters.REPETITIONS)
    values = exact[:, :, np.newaxis] * factor(shape)
    targets = [two_parameters.TARGET]
    far = np.array([[float(model(targets[0]))] for model in known])
    ask = {"parameter": ("p", "n")}
    models = find_models(x, values, targets=targets, **ask)
    rows = _forecasts(models, targets, far)
    structure = two_parameters.structure
    rows["structure"] = np.array(
        [
            each.model is not None and structure(each.model) == structure(truth)
            for each, truth in zip(models, known, strict=True)
        ],
        dtype=np.float64,
    )
    matches = [
        find_models(x, values[[row]], expectation=truth.growth, **ask)[0].verdict
        for row, truth in enumerate(known)
    ]
    rows["match"] = np.array([each is Verdict.MATCH for each in matches], float)
    return rows


def _versions(series: int) -> Rows:
    """Measure factors between versions that hold, and growths that change or not."""
    return _joined(
        _rows_of_versions(series, draw, noise)
        for draw in truths.INSIDE.values()
        for noise in NOISES
    )


def _rows_of_versions(series: int, draw: truths.Draw, noise: str) -> Rows:
    rng, p = np.random.default_rng(SEED), truths.processes(6)
    curve = draw(series, p, rng).curve
    earlier = truths.measure(curve, p, truths.NOISES[noise], rng)
    later = FACTOR * truths.measure(curve, p, truths.NOISES[noise], rng)
    rows: dict[str, list[float]] = {}
    steeper = later * (p / p[0])[:, np.newaxis]
    for name, after in {"level": later, "growth": steeper}.items():
        for each in compare_versions(p, earlier, after):
            is_known = isinstance(each, Comparison)
            numbers = {"is compared": float(is_known)}
            numbers["growth changes"] = (
                float(each.change() == "growth") if is_known else np.nan
            )
            if name == "level":
                numbers["factor holds"] = (
                    float(each.low <= FACTOR <= each.high) if is_known else np.nan
                )
                numbers["width"] = np.log(each.high / each.low) if is_known else np.nan
            for row, number in numbers.items():
                rows.setdefault(f"{name}: {row}", []).append(number)
    return {name: np.array(numbers) for name, numbers in rows.items()}


KINDS: Final[Mapping[str, Callable[[int], Rows]]] = {
    "real": _real,
    "curves": _curves,
    "constants": _constants,
    "counts": lambda series: _textbook(series, 1, EXACT, ROUNDED),
    "lost": _lost,
    "textbook": lambda series: _textbook(series, 1, "2 %", "10 %"),
    "textbook surfaces": lambda series: _textbook(series, 2, "2 %", "10 %"),
    "surfaces": _surfaces,
    "versions": _versions,
}
"""What measures so many series a cell, by the kind of data."""


def _joined(parts: Iterable[Rows]) -> Rows:
    """Put rows of the same name together."""
    columns: dict[str, list[Reals]] = {}
    for part in parts:
        for name, numbers in part.items():
            columns.setdefault(name, []).append(numbers)
    return {name: np.concatenate(numbers) for name, numbers in columns.items()}


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return float(np.mean(known)) if known else np.nan
