"""Pictures of figures: where points, ticks and words are."""

import re

import pytest

from scalewatch.figures.axes import canvas, titled_axis
from scalewatch.figures.drawing import HEIGHT, svg


def drawn(**layout):
    """Return a figure of three points on a line."""
    figure = canvas()
    figure.update_layout(**layout)
    figure.add_scatter(
        x=[1.0, 10.0, 100.0],
        y=[0.0, 1.0, 2.0],
        mode="lines+markers",
        line={"color": "#0072b2", "width": 2},
        marker={"color": "#0072b2", "size": 8},
        name="a <b> & c",
        showlegend=True,
    )
    return figure


def markers(picture):
    """Return where markers are, in the order of their points."""
    places = re.findall(r'<use href="#m0" x="([\d.]+)" y="([\d.]+)"', picture)
    return [(float(x), float(y)) for x, y in places[1:]]  # the first is the legend's


def test_a_picture_has_its_heading_and_where_it_was_measured():
    picture = svg(drawn(), "solve · time", "hydro · 0a1b2c · juwels").decode()

    assert "<title>solve · time · hydro · 0a1b2c · juwels</title>" in picture
    assert ">hydro · 0a1b2c · juwels</text>" in picture


def test_points_are_evenly_apart_on_a_logarithmic_axis():
    first, second, third = markers(svg(drawn(xaxis={"type": "log"})).decode())

    assert second[0] - first[0] == pytest.approx(third[0] - second[0], abs=0.2)
    assert first[1] - second[1] == pytest.approx(second[1] - third[1], abs=0.2)


def test_a_stated_range_fills_the_axis():
    picture = svg(drawn(yaxis={"range": [0, 2]})).decode()

    (_, low), _, (_, high) = markers(picture)
    assert low - high == HEIGHT


def test_every_tick_that_is_stated_is_named():
    axis = titled_axis("p") | {
        "type": "log",
        "tickmode": "array",
        "tickvals": [1, 10, 100],
        "ticktext": ["1", "ten", "10<sup>2</sup>"],
    }

    picture = svg(drawn(xaxis=axis)).decode()

    assert ">1</text>" in picture
    assert ">ten</text>" in picture
    assert '>10<tspan dy="-4" font-size="9">2</tspan></text>' in picture


def test_names_are_text():
    assert "a &lt;b&gt; &amp; c" in svg(drawn_named("a &lt;b&gt; &amp; c")).decode()


def drawn_named(name):
    """Return a figure whose only trace has a name that figures escape."""
    figure = drawn()
    figure.data[0]["name"] = name
    return figure


def test_a_line_is_interrupted_where_nothing_is_known():
    figure = drawn()
    figure.data[0]["y"] = [0.0, float("nan"), 2.0]

    picture = svg(figure).decode()

    lines = re.findall(r'<path d="(M[^"]*)" fill="none" stroke="#0072b2"', picture)
    assert [line.count("M") for line in lines] == [1, 2]  # of the legend, and itself
