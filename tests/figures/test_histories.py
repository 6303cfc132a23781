from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from scalewatch.figures import histories
from scalewatch.figures.colours import PALETTE
from scalewatch.figures.histories import (
    CommitOnLine,
    DrawnEra,
    DrawnHistory,
    DrawnMark,
)
from support.plotted import plotted

history_figure = plotted(histories.history_figure)

FIRST = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def history() -> DrawnHistory:
    """A series that grows like log p for twenty commits, then like p; one failed."""
    return DrawnHistory(
        metric="time",
        slot=1,
        commits=tuple(
            CommitOnLine(
                sha=f"{k:040x}",
                label="v1.0" if k == 5 else f"{k:010x}",
                subject=f"Change {k}",
                made=FIRST + timedelta(days=k),
                is_release=k == 5,
            )
            for k in range(40)
        ),
        positions=tuple(range(40)),
        values=(*[0.2] * 20, *[0.9] * 19, None),
        eras=(
            DrawnEra(0, 19, "log p", 0.2, 0.19, 0.21),
            DrawnEra(20, 39, "p", 0.9, 0.88, 0.92),
        ),
        changes=(DrawnMark(20, 20, is_worse=True),),
        parameter="p",
        bad_nights=(3,),
        baselines=(30,),
    )


def dots(figure):
    (trace,) = [each for each in figure.data if each.mode == "markers"]
    return trace


def test_each_commit_is_a_dot_that_tells_and_opens_it(history):
    trace = dots(history_figure(history))

    assert len(trace.y) == 39  # one tells none
    assert trace.ids[5] == f"{5:040x}"
    assert trace.text[5].split("<br>") == ["<b>v1.0</b>", "Change 5", "2026-03-06"]
    assert trace.marker.symbol[3] == "x"


def test_segments_have_the_colours_of_their_growth_classes(history):
    filled = {
        shape.fillcolor: (shape.x0, shape.x1)
        for shape in history_figure(history).layout.shapes
        if shape.type == "rect"
    }

    assert filled[PALETTE["growth-2"]] == (-0.5, 19.5)
    assert filled[PALETTE["growth-5"]] == (19.5, 39.5)
    assert filled[PALETTE["worse"]] == (19.5, 20.5)


def test_a_change_for_the_better_is_hollow_and_has_a_colour_of_its_own(history):
    (change,) = history.changes
    better = replace(history, changes=(replace(change, is_worse=False),))

    outlined = {
        shape.line.color: shape.fillcolor
        for shape in history_figure(better).layout.shapes
        if shape.type == "rect"
    }

    assert outlined[PALETTE["better"]] == PALETTE["surface"]
    assert PALETTE["worse"] not in outlined


def test_new_baseline_is_a_line(history):
    (line,) = [
        shape for shape in history_figure(history).layout.shapes if shape.type == "line"
    ]

    assert line.x0 == 30


def test_commits_can_be_spaced_by_date(history):
    figure = history_figure(history, by_date=True)

    assert figure.layout.xaxis.type == "date"
    assert dots(figure).x[1] == (FIRST + timedelta(days=1)).isoformat()


def test_mean_of_each_segment_lies_in_its_interval(history):
    figure = history_figure(history)

    means = [each.y[0] for each in figure.data if each.meta == "ink"]
    bands = [each.y for each in figure.data if each.meta == "quiet"]
    assert all(
        min(band) < mean < max(band) for band, mean in zip(bands, means, strict=True)
    )


def test_single_commit_is_drawn_as_well(history):
    alone = DrawnHistory("time", 0, history.commits[:1], (0,), (0.5,), (), ())

    np.testing.assert_allclose(dots(history_figure(alone)).y, [0.5])


def test_values_have_their_unit_and_the_setting_that_they_are_at(history):
    values = replace(
        history,
        parameter=None,
        at="p = 64",
        unit="s",
        values=(*[0.012] * 20, *[0.015] * 20),
        eras=(DrawnEra(0, 19, None, 0.012, 0.0118, 0.0122),),
    )

    figure = history_figure(values)

    assert figure.layout.yaxis.title.text == "time"
    assert figure.layout.xaxis.title.text == "commits at p = 64"
    assert "ms" in figure.layout.yaxis.ticktext[0]
    assert dots(figure).hovertemplate.startswith("%{text}<br>time at p = 64: %{y")
    assert not [each for each in figure.layout.shapes if each.name.startswith("growth")]


def test_noise_of_a_percent_does_not_fill_the_axis(history):
    values = replace(
        history, parameter=None, unit="s", eras=(), values=(1.0, 1.01) * 20
    )

    low, high = history_figure(values).layout.yaxis.range

    assert high - low >= 0.1
