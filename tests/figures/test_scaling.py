from dataclasses import replace

import numpy as np
import pytest

from scalewatch.figures import scaling as figures
from scalewatch.figures.axes import metric_axis, parameter_axis
from scalewatch.figures.curves import Scaling, curves_of
from scalewatch.figures.notation import setting_text
from scalewatch.figures.scaling import BEYOND, LEFT_OUT, MOST_REPETITIONS, NOTHING
from scalewatch.modelling import ExpectedLevel, Forecast, Growth, Model, Term
from support.plotted import plotted

scaling_figure = plotted(figures.scaling_figure)
machines_figure = plotted(figures.machines_figure)

P = np.array([2.0, 4, 8, 16, 32])
LOG = Growth.of("p", log=1)
ROOT = Growth.of("p", power="1/2")
LINEAR = Growth.of("p", power=1)
MODEL = Model(1e-6, (Term(2e-6, ROOT),))

SCALING = Scaling(
    name="jureca",
    slot=0,
    parameter="p",
    metric="time",
    unit="s",
    x=P,
    low=MODEL(p=P) * 0.9,
    middle=MODEL(p=P),
    high=MODEL(p=P) * 1.2,
    repetitions=tuple(np.full(10, value) for value in MODEL(p=P)),
    model=MODEL,
    expectation=LOG,
    deviation_limit=ROOT,
)


def roles(figure):
    return [trace.meta for trace in figure.data]


def test_scan_is_drawn_with_band_expectation_repetitions_model_and_quartiles():
    assert roles(scaling_figure(SCALING)) == [
        "band",
        "machine-0",
        "machine-0",
        "expectation",
        "machine-0",
    ]


def test_expectation_and_its_limits_meet_the_model_at_the_smallest_setting():
    curves = curves_of(SCALING)

    for curve in (curves.expectation, curves.lower, curves.upper):
        assert curve[0] == pytest.approx(MODEL(p=SCALING.x[0]))


def test_what_grows_faster_than_the_limit_leaves_the_band_to_the_right():
    faster = Model(0.0, (Term(1e-7, Growth.of("p", power=3)),))
    curves = curves_of(replace(SCALING, model=faster))

    assert (curves.model[1:] > curves.upper[1:]).all()


def test_limits_are_the_expectation_over_and_times_the_deviation_limit():
    curves = curves_of(SCALING)
    deviation = ROOT(p=curves.x) / ROOT(p=curves.x[0])

    grown = curves.expectation - MODEL.constant
    np.testing.assert_allclose(curves.lower - MODEL.constant, grown / deviation)
    np.testing.assert_allclose(curves.upper - MODEL.constant, grown * deviation)


def test_a_match_with_a_large_constant_lies_on_what_is_expected():
    matching = Model(988e-6, (Term(143e-6, LOG),))
    curves = curves_of(replace(SCALING, model=matching))

    np.testing.assert_allclose(curves.model, curves.expectation)


def test_without_a_model_the_expectation_meets_the_smallest_measurement():
    curves = curves_of(replace(SCALING, model=None))

    assert curves.model is None
    assert curves.expectation[0] == pytest.approx(SCALING.middle[0])


def test_a_logarithm_is_not_drawn_where_it_vanishes():
    scaling = replace(SCALING, x=np.array([1.0, 4, 8, 16, 32]))

    assert np.isnan(curves_of(scaling).expectation[0])


def test_growth_in_another_parameter_is_not_drawn_over_this_one():
    other = Model(0.0, (Term(1e-9, Growth.of("n", power=1)),))
    scaling = replace(SCALING, model=other, expectation=Growth.of("n", power=1))

    assert roles(scaling_figure(scaling)) == ["machine-0", "machine-0"]


def test_a_constant_model_is_a_level_line():
    curves = curves_of(replace(SCALING, model=Model(5e-6)))

    assert set(curves.model) == {5e-6}


def test_many_repetitions_are_thinned_to_quantiles_with_both_extremes():
    many = np.arange(1.0, 1001)
    figure = scaling_figure(replace(SCALING, repetitions=(many,) * P.size))
    drawn = figure.data[1].y[:MOST_REPETITIONS]

    assert drawn.min() == 1
    assert drawn.max() == 1000
    assert np.median(drawn) == pytest.approx(np.median(many), rel=0.02)


def test_single_repetitions_are_not_drawn_twice():
    once = tuple(np.array([value]) for value in SCALING.middle)

    assert len(scaling_figure(replace(SCALING, repetitions=once)).data) == 4


def test_measured_settings_are_the_ticks():
    assert scaling_figure(SCALING).layout.xaxis.ticktext == ("2", "4", "8", "16", "32")


def test_a_model_that_plunges_does_not_stretch_the_axis():
    plunging = Model(-2e-6, (Term(2e-6, LOG),))
    low, _ = scaling_figure(replace(SCALING, model=plunging)).layout.yaxis.range

    assert 10**low > SCALING.low.min() / 10


def test_zero_bytes_are_drawn_on_a_linear_axis():
    zero = np.zeros(P.size)
    figure = scaling_figure(
        replace(SCALING, unit="B", low=zero, middle=zero, high=zero, repetitions=())
    )

    assert figure.layout.yaxis.type is None


def test_machines_share_a_figure_in_their_own_colours():
    other = replace(SCALING, name="<b>juwels</b>", slot=3)
    figure = machines_figure([SCALING, other])

    assert {"machine-0", "machine-3"} < set(roles(figure))
    assert figure.data[-1].name == "&lt;b&gt;juwels&lt;/b&gt;"


def levelled(scaling):
    return replace(scaling, level=scaling.shape_of(scaling.expectation))


def test_the_expectation_is_drawn_at_its_level_whatever_was_measured():
    level = ExpectedLevel({"p": 4.0}, 7e-6, 1e-6)
    slower = Model(3e-6, (Term(9e-6, LINEAR),))
    for scaling in (SCALING, replace(SCALING, model=slower, x=P[1:])):
        curves = curves_of(replace(scaling, level=level))
        np.testing.assert_allclose(curves.expectation, 1e-6 + 3e-6 * np.log2(curves.x))
        assert curves.has_level


def test_an_expectation_without_a_level_is_a_shape_of_which_no_value_is_read():
    curves = curves_of(SCALING)
    (expected,) = [t for t in scaling_figure(SCALING).data if t.meta == "expectation"]

    assert not curves.has_level
    assert curves.expectation[0] == pytest.approx(MODEL(p=2.0))
    assert (expected.hoverinfo, expected.hovertemplate) == ("skip", None)
    assert "shape only" in expected.name


def test_a_level_at_other_settings_of_what_the_growth_does_not_name_is_none_here():
    level = ExpectedLevel({"p": 4.0, "n": 10.0}, 7e-6)
    held = replace(SCALING, level=level, held={"n": 20.0})

    assert not curves_of(held).has_level
    assert curves_of(replace(held, held={"n": 10.0})).has_level


def test_the_expectation_is_named_once_for_all_machines():
    scaling = levelled(SCALING)
    figure = machines_figure([scaling, replace(scaling, slot=1)])
    named = [t.name for t in figure.data if t.meta == "expectation" and t.showlegend]

    assert named == ["expected log <i>p</i>, for each"]
    groups = {t.legendgroup for t in figure.data if t.meta == "expectation"}
    assert groups == set(named)


def test_of_many_machines_the_expectation_in_the_middle_is_drawn():
    machines = [
        replace(
            SCALING, name=f"machine <{k}>", slot=k, model=Model(k * 1e-6, MODEL.terms)
        )
        for k in (5, 1, 3, 2, 4)
    ]
    figure = machines_figure([levelled(each) for each in machines])

    (drawn,) = [each for each in figure.data if each.meta == "expectation"]
    assert not drawn.showlegend  # for which narrow screens have no room
    assert "machine &lt;3&gt;" in drawn.hovertemplate
    assert drawn.y[0] == pytest.approx(machines[2].model(p=2.0))


def forecasts(*scales):
    return tuple(
        Forecast({"p": p}, float(MODEL(p=p)), 1e-6, 1e-3, 0.9)
        for p in map(float, scales)
    )


def test_interval_is_drawn_in_the_colour_of_the_machine():
    figure = scaling_figure(replace(SCALING, forecasts=forecasts(2, 32)))
    (interval,) = [trace for trace in figure.data if trace.name == "90% interval"]

    assert interval.meta == "machine-0"
    assert interval.y[0] == pytest.approx(1e-6)
    assert interval.y[-1] == pytest.approx(1e-3)


def test_exact_counts_have_no_interval():
    known = [
        replace(each, low=each.value, high=each.value) for each in forecasts(2, 32)
    ]
    figure = scaling_figure(replace(SCALING, forecasts=tuple(known)))

    assert not [trace for trace in figure.data if trace.name == "90% interval"]


def test_model_is_dotted_beyond_what_was_measured():
    figure = scaling_figure(replace(SCALING, forecasts=forecasts(2, 32, 1024)))
    models = [trace for trace in figure.data if (trace.name or "").startswith("model")]

    assert [trace.x[-1] for trace in models] == pytest.approx([32, 1024])
    assert [trace.line.dash for trace in models] == ["solid", BEYOND]
    assert figure.layout.xaxis.tickvals[-1] == 1024


def test_expectation_starts_at_the_model_however_far_it_is_drawn():
    curves = curves_of(replace(SCALING, forecasts=forecasts(1024)))

    assert curves.x[-1] == 1024
    assert curves.expectation[0] == pytest.approx(MODEL(p=SCALING.x[0]))


@pytest.mark.parametrize("draw", [scaling_figure, lambda one: machines_figure([one])])
def test_nothing_measured_is_a_figure_without_axes_that_says_so(draw):
    nothing = np.empty(0)

    figure = draw(
        replace(SCALING, x=nothing, low=nothing, middle=nothing, high=nothing)
    )

    assert not figure.data
    assert figure.layout.xaxis.visible is False
    assert figure.layout.annotations[0].text == NOTHING


def test_configurations_of_one_machine_have_colours_of_their_own():
    figure = machines_figure([SCALING, replace(SCALING, position=1)])

    assert {*roles(figure)} == {"expectation", "machine-0", "machine-1"}


def test_configurations_beside_other_machines_keep_the_colour_and_get_a_dash():
    scans = [SCALING, replace(SCALING, position=1), replace(SCALING, slot=2)]
    figure = machines_figure(scans)

    models = [trace for trace in figure.data if trace.line.width == 2]
    assert [trace.meta for trace in models] == ["machine-0", "machine-0", "machine-2"]
    assert [trace.line.dash for trace in models] == ["solid", "8px,3px", "solid"]


def test_a_model_of_two_parameters_is_drawn_where_the_other_is_held():
    both = Growth.of("p", power="1/2") * Growth.of("n", power=1)
    scaling = replace(
        SCALING, model=Model(1e-6, (Term(2e-9, both),)), held={"n": 1000.0}
    )

    drawn = curves_of(scaling)

    assert drawn.model == pytest.approx(1e-6 + 2e-6 * np.sqrt(drawn.x))
    assert curves_of(replace(scaling, held={})).model is None


CROWDED = np.array([False, False, False, True, True])


def test_what_is_left_out_is_an_open_marker_and_moves_no_curve():
    contended = replace(SCALING, middle=SCALING.middle * [1, 1, 1, 50, 90])
    figure = scaling_figure(replace(contended, is_left_out=CROWDED))

    *_, evidence, left_out = figure.data
    assert (list(evidence.x), list(left_out.x)) == ([2, 4, 8], [16, 32])
    assert left_out.marker.symbol == f"{evidence.marker.symbol}-open"
    assert left_out.name == LEFT_OUT
    curves = curves_of(replace(contended, is_left_out=CROWDED))
    assert curves.x[-1] == 8
    assert curves.expectation[0] == pytest.approx(MODEL(p=2))


def test_no_expectation_is_drawn_where_all_is_left_out():
    nothing = replace(SCALING, model=None, is_left_out=np.ones(5, bool))

    (*_, drawn) = scaling_figure(nothing).data
    machines = machines_figure([nothing]).data

    assert curves_of(nothing).expectation is None
    assert list(drawn.x) == list(P)
    assert [each.name for each in machines] == [f"jureca ({LEFT_OUT})"]


def test_a_single_setting_has_no_expectation_beside_it():
    crowded = np.array([False, True, True, True, True])
    figure = scaling_figure(replace(SCALING, model=None, is_left_out=crowded))

    assert {"band", "expectation"}.isdisjoint(roles(figure))


def thin(figure):
    return [trace for trace in figure.data if trace.line.width == 1]


def test_an_open_growth_is_drawn_as_thin_candidates_and_no_model():
    steeper = Model(0.0, (Term(MODEL(p=2) / 2, LINEAR),))
    figure = scaling_figure(replace(SCALING, is_open=True, candidates=(MODEL, steeper)))

    assert [each.name for each in thin(figure)] == [
        "perhaps <i>p</i><sup>1/2</sup>",
        "perhaps <i>p</i>",
    ]
    assert not any((each.name or "").startswith("model") for each in figure.data)


def test_no_curve_leaves_its_interval():
    known = [
        Forecast({"p": p}, float(MODEL(p=p)), MODEL(p=p) * 0.9, MODEL(p=p) * 1.1, 0.9)
        for p in (2.0, 8.0, 32.0)
    ]
    steeper = Model(0.0, (Term(MODEL(p=2) / 2, LINEAR),))
    shown = replace(SCALING, forecasts=tuple(known))

    found = scaling_figure(replace(shown, model=steeper))
    far = Model(0.0, (Term(1.0, LINEAR),))
    opened = scaling_figure(replace(shown, is_open=True, candidates=(MODEL, far)))

    (model,) = [each for each in found.data if each.name == "model <i>p</i>"]
    inside = np.isfinite(np.array(model.y, float))
    assert inside[0]
    assert not inside[-1]
    assert len(thin(opened)) == 1


def test_what_no_growth_explains_is_drawn_without_a_curve():
    figure = scaling_figure(replace(SCALING, is_open=True))

    assert not any((each.name or "").startswith("model") for each in figure.data)
    assert not thin(figure)


def test_a_curve_is_read_at_any_setting_with_the_interval_there():
    known = forecasts(2, 32)
    figure = scaling_figure(replace(levelled(SCALING), forecasts=known))
    (model,) = [trace for trace in figure.data if (trace.name or "")[:5] == "model"]
    (expected,) = [trace for trace in figure.data if trace.meta == "expectation"]

    assert "90% interval" in model.hovertemplate
    assert len(model.customdata) == len(model.x)
    assert np.array(model.customdata)[0] == pytest.approx([1e-6, 1e-3])
    assert "interval" not in expected.hovertemplate


def test_beyond_the_interval_a_curve_has_none():
    low, high = replace(SCALING, forecasts=forecasts(4, 16)).bounds_at(P)

    assert np.isnan(low).tolist() == np.isnan(high).tolist()
    assert np.isnan(low).tolist() == [True, False, False, False, True]


def test_where_no_growth_fits_the_forecast_is_read():
    shown = replace(SCALING, is_open=True, forecasts=forecasts(2, 32))
    (forecast,) = [
        trace for trace in scaling_figure(shown).data if trace.name == "forecast"
    ]

    assert "90% interval" in forecast.hovertemplate
    assert list(forecast.x) == [2, 32]


def test_names_of_machines_are_text_in_what_is_read_of_curves():
    known = forecasts(2, 32)
    ours = replace(SCALING, name="<b>a", forecasts=known)
    figure = machines_figure([ours, replace(ours, name="b", slot=1)])
    models = [each for each in figure.data if (each.name or "")[:5] == "model"]

    assert {each.hovertemplate.split("<br>")[0] for each in models} == {
        "&lt;b&gt;a",
        "b",
    }


def test_between_where_it_is_computed_the_interval_bends_with_the_model():
    bent = Model(1e-6, (Term(1e-7, LINEAR),))  # a chord over log p lies above it
    known = [
        Forecast({"p": p}, float(bent(p=p)), bent(p=p) * 0.999, bent(p=p) * 1.001, 0.9)
        for p in (2.0, 8.0, 32.0)
    ]
    shown = replace(SCALING, model=bent, forecasts=tuple(known))
    figure = scaling_figure(shown)

    (model,) = [each for each in figure.data if each.name == "model <i>p</i>"]
    (interval,) = [each for each in figure.data if each.name == "90% interval"]
    low, high = shown.bounds_at(P)
    assert np.isfinite(np.array(model.y, float)).all()
    np.testing.assert_allclose(low, bent(p=P) * 0.999)
    np.testing.assert_allclose(high, bent(p=P) * 1.001)
    assert len(interval.x) == 2 * len(model.x)


def test_what_is_read_of_a_curve_has_the_digits_of_its_interval():
    def hover(width):
        known = [
            Forecast({"p": p}, float(MODEL(p=p)), MODEL(p=p), MODEL(p=p) * width, 0.9)
            for p in (2.0, 32.0)
        ]
        figure = scaling_figure(replace(SCALING, forecasts=tuple(known)))
        (model,) = [each for each in figure.data if (each.name or "")[:5] == "model"]
        return model.hovertemplate

    assert "%{y:.2s}s" in hover(2.0)
    assert "%{customdata[1]:.5s}s" in hover(1.001)


def test_beyond_what_was_measured_the_interval_says_what_it_assumes():
    figure = scaling_figure(replace(SCALING, forecasts=forecasts(2, 32, 1024)))
    models = [trace for trace in figure.data if (trace.name or "").startswith("model")]
    measured, beyond = (each.hovertemplate for each in models)

    assert "stays true" not in measured
    assert "<sup>1/2</sup> stays true" in beyond


@pytest.mark.parametrize(
    ("values", "unit", "words"),
    [
        ([7e-5, 1.3e-3], "s", ["100 µs", "200 µs", "500 µs", "1 ms"]),
        ([9e-5, 0.7], "s", ["100 µs", "1 ms", "10 ms", "100 ms"]),
        ([0.5, 4e3], "s", ["1 s", "10 s", "100 s", "1,000 s"]),
        ([1.1e6, 5.9e6], "B", ["1 MB", "2 MB", "5 MB"]),
        ([1.1e6, 1.9e6], "B", ["1.2 MB", "1.4 MB", "1.6 MB", "1.8 MB", "2 MB"]),
        ([1e-3, 1.05e-3], "s", ["1 ms", "1.02 ms", "1.04 ms", "1.06 ms"]),
        ([30.0, 900.0], "1", ["50", "100", "200", "500"]),
        ([2e-9, 3e-6], "widgets", ["1×10<sup>-8</sup>", "1×10<sup>-7</sup>"]),
    ],
)
def test_ticks_of_a_metric_are_round_and_have_their_unit(values, unit, words):
    measured = np.array(values)
    axis = metric_axis("time", unit, measured=measured, drawn=measured)

    assert [text for text in axis["ticktext"] if text in words] == words
    assert len(axis["ticktext"]) == len(axis["tickvals"]) >= 3
    low, high = axis["range"]
    assert all(10**low <= tick <= 10**high for tick in axis["tickvals"])


def test_ticks_go_on_up_to_a_target():
    figure = scaling_figure(replace(SCALING, forecasts=forecasts(2, 32, 65536)))

    ticks = figure.layout.xaxis.tickvals

    assert ticks[:5] == (2, 4, 8, 16, 32)
    assert ticks[5:] == (128, 512, 2048, 8192, 32768, 65536)


@pytest.mark.parametrize(
    "settings", [(5e-324, 1e-20), (5e-324, 1.7e308), (1e-5, 1e300), (2.0, 2.0**900)]
)
def test_settings_at_the_ends_of_the_numbers_have_a_few_ticks_between(settings):
    ticks = parameter_axis("x", np.array(settings))["tickvals"]

    assert ticks == sorted(set(ticks))
    assert (ticks[0], ticks[-1]) == settings
    assert 3 <= len(ticks) <= 11


def test_times_at_the_ends_of_the_numbers_have_ticks():
    times = np.array([1e-300, 1.0, 1e290])

    ticks = metric_axis("time", "s", times, times)["tickvals"]

    assert min(ticks) > 0
    assert len(ticks) >= 3


def test_targets_beyond_the_numbers_have_words():
    # Histories look at four times their largest setting.
    assert setting_text(4 * 1.7e308) == "inf"


@pytest.mark.parametrize(
    ("largest", "words"),
    [
        (20_000, ["10", "100", "1,000", "10,000"]),
        (900, ["5", "10", "20", "50", "100", "200", "500"]),
    ],
)
def test_ticks_of_many_settings_are_round(largest, words):
    settings = np.geomspace(3.0, largest, 12)

    axis = parameter_axis("p", settings)

    assert axis["ticktext"] == words
    assert axis["tickvals"] == [float(word.replace(",", "")) for word in words]
