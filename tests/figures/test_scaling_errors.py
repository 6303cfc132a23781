import numpy as np
import pytest

from scalewatch.figures import scaling_errors as contours
from scalewatch.figures.colours import PALETTE
from scalewatch.figures.scaling_errors import ErrorRow, convex_hull
from scalewatch.modelling import (
    Growth,
    Model,
    ScalingKind,
    Term,
    Times,
    modelled_scaling_errors,
    strong_scaling_errors,
    weak_scaling_errors,
)
from support.plotted import plotted

contour_figure = plotted(contours.contour_figure)
difference_figure = plotted(contours.difference_figure)
rows_figure = plotted(contours.rows_figure)

P = np.array([2.0, 4, 8, 16, 32])
TIMES = Times.of({(p, None): 100 / p + p for p in P})
MEASURED = strong_scaling_errors(TIMES)
MODEL = Model(
    0.0,
    (Term(1.0, Growth.of("p", power=1)), Term(100.0, Growth.of("p", power=-1))),
)
SCALES = np.append(P, [64.0, 128])
EXTRAPOLATED = modelled_scaling_errors(ScalingKind.STRONG, MODEL, SCALES, TIMES)


def traces(figure, kind):
    return [trace for trace in figure.data if trace.type == kind]


def colours(contour):
    return [colour for _, colour in contour.colorscale]


def test_zero_is_in_the_middle_of_the_colours_where_some_pairs_exceed_the_ideal():
    faster = strong_scaling_errors(Times.of({(p, None): p**-1.5 for p in P}))

    (contour,) = traces(contour_figure(faster), "contour")

    assert contour.zmin == -contour.zmax
    assert colours(contour) == [PALETTE[x] for x in ("below", "surface", "above")]


def test_colours_begin_at_zero_where_no_pair_exceeds_the_ideal():
    (contour,) = traces(contour_figure(MEASURED), "contour")

    assert contour.zmin == 0
    assert colours(contour) == [PALETTE[x] for x in ("surface", "above")]


def test_colours_are_linear_over_most_pairs_and_name_what_lies_above():
    rising = strong_scaling_errors(Times.of({(p, None): p for p in SCALES}))
    (contour,) = traces(contour_figure(rising), "contour")
    pairs = rising.errors[np.triu_indices(SCALES.size, 1)]

    # α is nearly p₂/p₁, from 2 to 64: most pairs are far below the last one.
    assert 0.6 < np.mean(pairs <= contour.zmax) < 1
    assert np.quantile(pairs, 0.5) > contour.zmax / 4
    assert contour.colorbar.ticktext[-1] == f"≥ {contour.zmax:g}"
    assert len(contour.colorbar.ticktext) == len(contour.colorbar.tickvals)


def test_pairs_that_lead_back_to_fewer_processes_are_not_drawn():
    figure = contour_figure(EXTRAPOLATED)
    (contour,) = traces(figure, "contour")
    cover = traces(figure, "scatter")[0]

    assert np.isnan(np.array(contour.z)[np.tri(SCALES.size, k=-2, dtype=bool)]).all()
    assert cover.meta == "surface"
    assert max(SCALES) in cover.y


def test_isolines_are_labelled_at_round_values_and_pass_through_zero():
    (contour,) = traces(contour_figure(MEASURED), "contour")
    lines = contour.contours

    assert lines.showlabels
    levels = np.arange(contour.zmin, lines.end + lines.size / 2, lines.size)
    assert 0 in np.round(levels, 9)
    assert lines.start == pytest.approx(levels[1])


def test_n2_runs_to_the_right_and_n1_upwards():
    (contour,) = traces(contour_figure(MEASURED), "contour")

    assert contour.z[0][4] == pytest.approx(16 - TIMES.at(None)[0] / TIMES.at(None)[4])


def test_an_outline_separates_what_was_measured():
    _, outline, *_ = traces(contour_figure(EXTRAPOLATED), "scatter")

    assert (min(outline.x), max(outline.x)) == (2, 32)
    assert (min(outline.y), max(outline.y)) == (2, 32)
    assert outline.showlegend


def test_measured_pairs_are_marked():
    sizes = {(p, n): n / p for p in (2, 4, 8) for n in (100, 200)}
    weak = weak_scaling_errors(Times.of(sizes), 100)

    marks = traces(contour_figure(weak), "scatter")[-1]

    assert set(zip(marks.x, marks.y, strict=True)) == {(4, 2), (8, 4)}
    assert list(marks.customdata) == pytest.approx([0, 0])


def test_differences_are_drawn_at_common_scales():
    other = strong_scaling_errors(Times.of({(p, None): 1.0 for p in (4, 8, 64)}))

    (contour,) = traces(difference_figure(MEASURED, other), "contour")

    assert list(contour.x) == [4, 8]
    assert contour.z[0][1] == pytest.approx(MEASURED.errors[1, 2] - (2 - 1))


def test_scalings_without_common_scales_have_no_difference():
    other = strong_scaling_errors(Times.of({(3, None): 1.0, (5, None): 1.0}))

    assert not difference_figure(MEASURED, other).data


def test_rows_are_dotted_where_they_are_extrapolated():
    row = ErrorRow(
        "<b>jureca</b>",
        1,
        SCALES,
        EXTRAPOLATED.errors[0],
        EXTRAPOLATED.is_extrapolated[0],
    )

    solid, dotted = rows_figure(ScalingKind.STRONG, 2, [row]).data

    assert solid.name == "&lt;b&gt;jureca&lt;/b&gt;"
    assert np.isnan(solid.y[-2:]).all()
    # The two parts meet at the largest scale that was measured.
    assert dotted.y[4] == solid.y[4]
    assert np.isnan(dotted.y[:4]).all()


def test_configurations_of_one_machine_are_told_apart():
    measured = np.zeros(5, dtype=bool)
    rows = [ErrorRow("a", 0, P, P, measured, position) for position in range(2)]
    rows_beside = [*rows, ErrorRow("b", 1, P, P, measured)]

    alone = rows_figure(ScalingKind.STRONG, 2, rows).data
    beside = rows_figure(ScalingKind.STRONG, 2, rows_beside).data

    assert alone[0].line.color != alone[1].line.color
    assert beside[0].line.color == beside[1].line.color != beside[2].line.color
    assert beside[0].line.dash != beside[1].line.dash


def test_rows_without_errors_are_not_drawn():
    nothing = ErrorRow("a", 0, P, np.full(5, np.nan), np.zeros(5, dtype=bool))

    assert not rows_figure(ScalingKind.WEAK, 2, [nothing]).data


def test_ideal_scaling_is_an_even_plane():
    ideal = strong_scaling_errors(Times.of({(p, None): 100 / p for p in P}))

    (contour,) = traces(contour_figure(ideal), "contour")

    assert contour.zmin == 0 < contour.zmax


def test_the_hull_of_a_square_is_its_corners():
    x, y = np.meshgrid([0.0, 1, 2], [0.0, 1, 2])

    corners = convex_hull(np.column_stack([x.ravel(), y.ravel()]))

    assert {tuple(corner) for corner in corners} == {(0, 0), (2, 0), (2, 2), (0, 2)}
