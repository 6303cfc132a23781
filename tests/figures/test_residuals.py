import numpy as np
import pytest

from scalewatch.figures import residuals
from scalewatch.figures.curves import Scaling
from scalewatch.modelling import Growth, Model, Term
from support.plotted import plotted

residuals_figure = plotted(residuals.residuals_figure)

P = np.array([2.0, 4, 8, 16])
MODEL = Model(0.0, (Term(1e-6, Growth.of("p", power=1)),))


def scaling(**fields):
    middle = MODEL(p=P) * np.array([1, 1.1, 0.9, 1])
    known = {
        "name": "jureca",
        "slot": 0,
        "parameter": "p",
        "metric": "time",
        "unit": "s",
        "x": P,
        "low": middle * 0.9,
        "middle": middle,
        "high": middle * 1.1,
        "model": MODEL,
    }
    return Scaling(**known | fields)


def test_residuals_are_what_was_measured_over_the_model_less_one():
    (trace,) = residuals_figure([scaling()]).data

    assert list(trace.y) == pytest.approx([0, 0.1, -0.1, 0])


def test_small_residuals_look_small():
    middle = MODEL(p=P) * 1.001
    exact = scaling(low=middle, middle=middle, high=middle)

    assert residuals_figure([exact]).layout.yaxis.range == (-0.05, 0.05)


def test_without_a_model_the_figure_says_so():
    figure = residuals_figure([scaling(model=None)])

    assert not figure.data
    assert figure.layout.annotations[0].text.endswith("no model")


def test_slices_of_one_machine_have_colours_of_their_own():
    figure = residuals_figure([scaling(), scaling(position=1, name="n = 2")])

    assert [trace.meta for trace in figure.data] == ["machine-0", "machine-1"]


def test_what_is_left_out_has_no_residual():
    crowded = np.array([False, False, True, True])
    (trace,) = residuals_figure([scaling(is_left_out=crowded)]).data

    assert list(trace.x) == [2, 4]


def test_measurement_far_from_the_model_leaves_the_others_apart():
    middle = MODEL(p=P) * np.array([0.9, 1, 1.5, 50])
    far = scaling(low=middle * 0.9, middle=middle, high=middle * 1.1)
    figure = residuals_figure([far])

    axis = figure.layout.yaxis
    assert axis.type == "log"
    assert axis.title.text == "measured / model"
    assert list(figure.data[0].y) == pytest.approx([0.9, 1, 1.5, 50])
    # The lowest is apart from the model by more than a hundredth of the height.
    assert np.log10(1 / 0.9) > 0.01 * (axis.range[1] - axis.range[0])
    assert figure.layout.shapes[0].y0 == 1


def test_far_measurement_beside_one_that_is_zero_stays_linear():
    middle = MODEL(p=P) * np.array([0, 1, 1.5, 50])
    figure = residuals_figure([scaling(low=middle, middle=middle, high=middle)])

    assert figure.layout.yaxis.type is None
    assert list(figure.data[0].y) == pytest.approx([-1, 0, 0.5, 49])
