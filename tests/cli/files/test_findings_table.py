import io
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from rich.console import Console

from scalewatch.cli.files.findings import modelled
from scalewatch.cli.files.findings_table import print_table
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import parse_growth
from scalewatch.services.files.model_files import Question, Stated

P = np.array([2.0, 4, 8, 16, 32])
NOISE = [0.9998, 1.0, 1.0002]


def series(region: str, growth: str) -> ImportedSeries:
    values = 2 + 3 * parse_growth(growth)(p=P) * np.ones_like(P)
    return ImportedSeries(
        region, "time", "s", {}, ("p",), P[:, np.newaxis], np.outer(values, NOISE)
    )


def shown(
    *all_series: ImportedSeries,
    expectation: str = "O(p^0.5)",
    width: int = 160,
    targets: Sequence[Mapping[str, float]] = (),
) -> str:
    question = Question([Stated("*", parse_growth(expectation))], targets=targets)
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system="truecolor", width=width
    )
    print_table(modelled(all_series, question), console)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("growth", "verdict", "rgb"),
    [
        ("O(p^0.5)", "✓ match", "0;158;115"),
        ("O(p^0.25)", "≈ approximate", "230;159;0"),
        ("O(p)", "✗ mismatch (worse)", "213;94;0"),
        ("O(1)", "✗ mismatch (better)", "213;94;0"),
    ],
)
def test_verdict_is_symbol_word_and_colour(growth, verdict, rgb) -> None:
    text = shown(series("solve", growth))

    assert verdict in text
    assert f"38;2;{rgb}m{verdict}" in text


def test_terminal_shows_mathematics() -> None:
    text = shown(series("solve", "O(p^0.5)"))

    assert "2 + 3 · √p" in text
    assert "R̄²" in text
    assert "δ" in text


def test_name_cannot_steer_the_terminal() -> None:
    text = shown(series("solve\x1b[2J[bold]", "O(p)"))

    assert "\x1b[2J" not in text
    assert "[bold]" in text


def test_what_is_the_same_in_all_rows_is_told_once() -> None:
    text = shown(series("a", "O(p)"), series("b", "O(p^2)"))

    assert text.splitlines()[:2] == ["metric: time [s]", "expected: √p"]
    assert text.count("time [s]") == 1


def test_columns_for_which_there_is_no_room_follow_below() -> None:
    heading, *parts = shown(series("solve", "O(p)"), width=60).split("\n\n")

    assert len(parts) >= 2
    assert "model" in heading
    assert "verdict" not in heading
    assert all("solve" in part for part in (heading, *parts[:-1]))
    assert "✗ mismatch (worse)" in parts[-2]


def test_a_forecast_is_wrapped_rather_than_cut() -> None:
    text = shown(series("MPI_Alltoall", "O(p)"), width=40, targets=[{"p": 512.0}])

    plain = re.sub(r"\x1b\[[\d;]*m|\s", "", text)
    assert "1538[960,2463]" in plain
