import numpy as np
import pytest

from scalewatch.figures import scaling_errors as efficiency
from scalewatch.figures.scaling_errors import ErrorRow
from scalewatch.modelling import Times, strong_scaling_errors, weak_scaling_errors
from support.plotted import plotted

efficiency_figure = plotted(efficiency.efficiency_figure)
rows_figure = plotted(efficiency.efficiency_rows_figure)

P = np.array([2.0, 4, 8])
SECONDS = {2: 40.0, 4: 25.0, 8: 20.0}
MEASURED = strong_scaling_errors(Times.of({(p, None): t for p, t in SECONDS.items()}))


def contour_of(figure):
    (contour,) = [trace for trace in figure.data if trace.type == "contour"]
    return contour


def pairs_of(figure):
    marks = figure.data[-1]
    return dict(zip(zip(marks.y, marks.x, strict=True), marks.customdata, strict=True))


def row(errors, n2=P, is_extrapolated=None):
    beyond = np.zeros(len(n2), bool) if is_extrapolated is None else is_extrapolated
    return ErrorRow("jureca", 0, n2, np.array(errors), beyond)


def test_efficiency_of_strong_scaling_is_that_of_the_times():
    assert pairs_of(efficiency_figure(MEASURED)) == pytest.approx(
        {
            **{(p, p): 100 for p in P},
            (2, 4): 100 * 40 / 25 / 2,
            (2, 8): 100 * 40 / 20 / 4,
            (4, 8): 100 * 25 / 20 / 2,
        }
    )


def test_efficiency_of_weak_scaling_is_that_of_the_times():
    times = Times.of({(p, 100.0 * p): 10.0 * p for p in (1, 2, 4)})

    pairs = pairs_of(efficiency_figure(weak_scaling_errors(times, 100)))

    assert pairs[1, 4] == pytest.approx(25)


def test_colours_run_from_nothing_to_the_ideal():
    contour = contour_of(efficiency_figure(MEASURED))

    assert (contour.zmin, contour.zmax) == (0, 100)
    lines = contour.contours
    assert (lines.start, lines.end, lines.size) == (10, 90, 10)


def test_pairs_back_to_fewer_processes_are_covered():
    figure = efficiency_figure(MEASURED)
    cover = figure.data[1]

    corners = set(zip(cover.x, cover.y, strict=True))
    assert corners == {(2, 2), (8, 8), (2, 8)}
    assert np.isnan(np.array(contour_of(figure).z, float)[2, 0])


def test_nothing_is_drawn_where_no_two_scales_go_together():
    sizes = Times.of({(2, 100.0): 1.0, (4, 300.0): 1.0})

    pairs = efficiency_figure(weak_scaling_errors(sizes, 700)).data

    assert not pairs


def test_rows_begin_at_their_base_with_all_of_the_ideal():
    # 1 less the efficiency from 4 processes on; those to fewer are not shown.
    (drawn,) = rows_figure(4.0, [row([-0.25, 0, 0.375])]).data

    assert list(drawn.x) == [4, 8]
    assert list(drawn.y) == pytest.approx([100, 62.5])


def test_what_beats_the_ideal_is_in_sight():
    figure = rows_figure(2.0, [row([0, -0.5, -1.0])])

    low, high = figure.layout.yaxis.range
    assert low == 0
    assert high > max(figure.data[0].y) == 200


def test_rows_without_values_are_not_drawn():
    assert not rows_figure(2.0, [row([np.nan] * 3)]).data


def test_rows_are_dotted_where_they_are_extrapolated():
    beyond = np.array([False, False, True])

    solid, dotted = rows_figure(2.0, [row([0, 0.2, 0.5], is_extrapolated=beyond)]).data

    assert np.isnan(solid.y[-1])
    assert dotted.y[-1] == pytest.approx(50)
