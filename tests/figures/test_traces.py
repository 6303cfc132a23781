import numpy as np

from scalewatch.figures import traces
from scalewatch.figures.traces import TimeLine
from scalewatch.modelling import extrapolations
from support.plotted import plotted
from support.traced import RELEASES, SWEEP3D

extrapolation_figure = plotted(traces.extrapolation_figure)
times_figure = plotted(traces.times_figure)
waits_figure = plotted(traces.waits_figure)
efficiencies_figure = plotted(traces.efficiencies_figure)

P = SWEEP3D["P"]


def sweep3d(release):
    seconds = SWEEP3D["variants"][RELEASES[release]]["T_seconds"]
    return TimeLine(release, P, seconds, extrapolations(P, seconds))


def test_one_time_has_a_parabola_for_each_subset_that_goes_on_beyond():
    figure = extrapolation_figure("overhead", [sweep3d("blocking")], target=112)

    curves = [trace for trace in figure.data if trace.mode == "lines"]
    assert [curve.name for curve in curves] == [f"first {s}" for s in (4, 5, 6, 7)]
    assert [curve.line.dash for curve in curves][-1] == "solid"
    assert max(curves[-1].x) == 56
    (marks,) = [trace for trace in figure.data if trace.mode == "markers"]
    assert list(marks.y)[-1] == 160.151


def test_two_times_have_one_parabola_each():
    lines = [sweep3d(release) for release in RELEASES]

    figure = extrapolation_figure("overhead", lines, target=30)

    curves = [trace for trace in figure.data if trace.mode == "lines"]
    assert [curve.name for curve in curves] == ["first 7", "first 7"]
    assert max(curves[0].x) == 30
    assert curves[0].line.color != curves[1].line.color


def test_kinds_of_waiting_are_stacked_and_unknown_ones_left_out():
    waits = {"late sender": [1.0, None], "collective": [0.5, 2], "other": [None, None]}

    figure = waits_figure([4, 8], waits)

    assert figure.layout.barmode == "stack"
    assert {bar.name: list(bar.y) for bar in figure.data} == {
        "late sender": [1, 0],
        "collective": [0.5, 2],
    }


def test_efficiencies_have_the_line_below_which_something_is_to_be_done():
    figure = efficiencies_figure([4, 8], {"load balance": [0.9, 0.7]}, 0.8)

    assert figure.layout.shapes[0].y0 == 0.8
    assert list(figure.data[0].y) == [0.9, 0.7]


def test_times_of_names_with_markup_stay_text():
    figure = times_figure([TimeLine("<b>with</b>", [4, 8], [1.0, 2.0])])

    assert figure.data[0].name == "&lt;b&gt;with&lt;/b&gt;"


def test_nothing_known_is_an_empty_figure():
    unknown = TimeLine("x", [4.0, 8.0], [None, None])

    assert not extrapolation_figure("overhead", [unknown], target=np.inf).data
    assert not times_figure([unknown]).data
    assert not waits_figure([4], {}).data
    assert not efficiencies_figure([4], {}, 0.8).data
