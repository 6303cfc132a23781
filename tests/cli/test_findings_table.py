import io

import numpy as np
import pytest
from rich.console import Console

from scalewatch.cli.findings_table import print_table
from scalewatch.importers import Series
from scalewatch.modelling import parse_growth
from scalewatch.services.findings import Question, Stated, model_series

P = np.array([2.0, 4, 8, 16, 32])


def series(region: str, growth: str) -> Series:
    values = 2 + 3 * parse_growth(growth)(p=P) * np.ones_like(P)
    return Series(
        region, "time", "s", {}, ("p",), P[:, np.newaxis], values[:, np.newaxis]
    )


def shown(*all_series: Series, expectation: str = "O(p^0.5)") -> str:
    question = Question([Stated("*", parse_growth(expectation))])
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system="truecolor", width=160
    )
    print_table(all_series, model_series(all_series, question), console)
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
