from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from scalewatch.figures import histories as evidence
from scalewatch.figures.colours import PALETTE
from scalewatch.figures.histories import CommitOnLine, DrawnChange, DrawnSegment
from support.plotted import plotted

curves_figure = plotted(evidence.curves_figure)
strip_figure = plotted(evidence.strip_figure)

DAY = datetime(2026, 3, 1, tzinfo=UTC)
X = np.array([4.0, 8.0, 16.0])


@pytest.fixture
def change() -> DrawnChange:
    """A series that turns from constant to linear at the commit in the middle."""
    scatter = 1 + 0.01 * np.linspace(-1, 1, 21)[:, np.newaxis]
    return DrawnChange(
        parameter="p",
        metric="time",
        unit="s",
        slot=0,
        x=X,
        before=DrawnSegment(tuple(range(21)), 1e-3 * scatter * np.ones(3)),
        after=DrawnSegment(tuple(range(21, 42)), 1e-3 * scatter * X / 4),
        first=21,
        last=21,
        is_worse=True,
        commits=tuple(
            CommitOnLine(f"{k:040x}", f"{k:010x}", f"Change <{k}>", DAY, k == 7)
            for k in range(42)
        ),
    )


def test_curves_before_and_after_run_through_medians_inside_their_bands(change):
    figure = curves_figure(change)

    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert [trace.name for trace in lines] == [
        "before (21 commits)",
        "after (21 commits)",
    ]
    np.testing.assert_allclose(lines[0].y, 1e-3)
    np.testing.assert_allclose(lines[1].y, 1e-3 * X / 4)
    for trace in lines:
        low, high = np.array(trace.customdata).T
        assert (low < trace.y).all()
        assert (trace.y < high).all()


def test_what_became_worse_lies_above_at_the_largest_setting(change):
    before, after = (
        trace for trace in curves_figure(change).data if trace.mode == "lines+markers"
    )

    assert after.y[-1] > before.y[-1]
    assert (before.meta, after.meta) == ("quiet", "machine-0")


def test_strip_tells_and_opens_each_commit(change):
    before, after = strip_figure(change).data

    assert len(before.ids) + len(after.ids) == 42
    assert before.ids[7] == f"{7:040x}"
    assert "Change &lt;7&gt;" in before.text[7]
    assert "2026-03-01" in before.text[7]


def test_strip_marks_the_commits_that_may_be_it(change):
    (mark,) = strip_figure(change).layout.shapes

    assert (mark.x0, mark.x1) == (20.5, 21.5)
    assert mark.fillcolor == PALETTE["worse"]


def test_settings_that_a_commit_lacks_leave_the_curve_where_it_is(change):
    change.before.values[0, 1] = np.nan

    before = next(t for t in curves_figure(change).data if t.mode == "lines+markers")

    np.testing.assert_allclose(before.y, 1e-3, rtol=1e-2)


def test_strip_goes_on_to_the_newest_commit(change):
    end = change.after.positions[-1]
    commits = (*change.commits, *change.commits[-2:])
    later = DrawnSegment((end + 1, end + 2), change.after.values[:2])

    figure = strip_figure(replace(change, commits=commits, later=later))

    assert [*figure.data[-1]["x"]] == [end + 1, end + 2]
    assert figure.data[-1]["name"] == "since then (2 commits)"
