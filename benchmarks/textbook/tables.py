"""Tables of each noise: by family and rule, by settings, and what is worst."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
from benchmarks import options
from benchmarks.results import Results
from benchmarks.textbook import aims, scores
from benchmarks.textbook.answers import OURS
from benchmarks.textbook.drawings import NOISES, USUAL_NOISES
from benchmarks.textbook.families import FAMILIES
from benchmarks.textbook.scored import Scored, measure, measure_ours, summaries, worst

SEEDS: Final = (11, 22)
REPETITIONS: Final = 5
KEY: Final = (
    scores.RIGHT,
    scores.OPENLY,
    scores.SURELY_WRONG,
    scores.HOLDS_16,
    scores.HOLDS_64,
    scores.MATCH,
    "mismatch",
    scores.PLUS_P,
)
"""Columns that tell most."""


def main(results: Results) -> None:
    """Measure all families under each noise."""
    asked = options.asked()
    series = options.series(3, quick=1)
    seeds = tuple(asked.seed or SEEDS)
    repetitions = asked.repetitions or REPETITIONS
    noises = tuple(asked.noise or USUAL_NOISES)
    if unknown := set(noises) - set(NOISES):
        sentence = f"no noise {min(unknown)!r}; there are {', '.join(NOISES)}"
        raise SystemExit(sentence)
    counts = ", ".join(
        f"{len(family.functions)} × {len(family.settings)} of {name}"
        for name, family in FAMILIES.items()
    )
    results.say(
        f"{series} series a function, setting and seed, {repetitions} repetitions, "
        f"seeds {seeds}; functions × settings: {counts}."
    )
    for noise in noises:
        found = measure(noise, series, repetitions, seeds)
        _by_family(results, noise, found)
        ours = [each for each in found if each.by == OURS]
        _worst(results, noise, ours)
        _by(results, noise, "seed", ours)
        _by(results, noise, "at", ours)
        if asked.functions:
            _by(results, noise, "function", ours)
        aims.tell(results, noise, found)
    if not (asked.noise or asked.repetitions):
        _by_repetitions(results, series, seeds)


def _by_repetitions(results: Results, series: int, seeds: Sequence[int]) -> None:
    """Tell what few repetitions cost, and noise that those of a job have in common."""
    results.heading(f"By repetitions, {OURS}")
    row = results.table("functions", "noise", "repetitions", *KEY, words=2)
    for noise, repetitions in product(("10 %", "shared by a job"), (1, 3, REPETITIONS)):
        found = measure_ours(noise, series, repetitions, seeds)
        for (family,), cells in summaries(found, "family").items():
            row(family, noise, repetitions, *_texts(cells, KEY))


def _by_family(results: Results, noise: str, found: list[Scored]) -> None:
    table = summaries(found, "family", "by")
    for title, columns in (
        ("growths", scores.GROWTHS),
        ("forecasts at 16 and 64 p_max", scores.FORECASTS),
        ("verdicts, by what is expected", scores.VERDICTS),
    ):
        results.heading(f"{noise}: {title}")
        row = results.table("functions", "by", *columns, words=2)
        for key, cells in table.items():
            row(*key, *_texts(cells, columns))


def _worst(results: Results, noise: str, ours: list[Scored]) -> None:
    results.heading(f"{noise}: the worst function of each family, {OURS}")
    row = results.table("functions", *KEY, words=1 + len(KEY))
    for family in FAMILIES:
        own = summaries((each for each in ours if each.family == family), "function")
        pairs = [worst(own, column) for column in KEY]
        row(family, *(f"{_text(share)} {name}".strip() for share, name in pairs))


def _by(results: Results, noise: str, attribute: str, ours: Iterable[Scored]) -> None:
    word = {"at": "settings"}.get(attribute, attribute)
    results.heading(f"{noise}: by {word}, {OURS}")
    row = results.table("functions", word, *KEY, words=2)
    for key, cells in summaries(ours, "family", attribute).items():
        row(*key, *_texts(cells, KEY))


def _texts(cells: Mapping[str, float], columns: Iterable[str]) -> list[str]:
    return [_text(cells[column]) for column in columns]


def _text(cell: float) -> str:
    if np.isnan(cell):
        return ""
    return f"{cell:.3f}" if cell < 1000 else f"{cell:.0e}"
