"""Ten machines are told apart in every figure that has a line of each."""

from itertools import product

import numpy as np
import pytest

from scalewatch.figures.colours import GREY, styles
from scalewatch.figures.curves import Scaling
from scalewatch.figures.drawing import svg
from scalewatch.figures.figure import APART
from scalewatch.figures.machine_lines import DrawnLine, machine_lines_figure
from scalewatch.figures.scaling import machines_figure
from scalewatch.figures.scaling_errors import (
    ErrorRow,
    efficiency_rows_figure,
    rows_figure,
)
from scalewatch.figures.traces import TimeLine, times_figure
from scalewatch.modelling import Growth, Model, ScalingKind, Term, machine_line
from support.plotted import plotted

MACHINES = range(10)
P = np.array([2.0, 4, 8, 16])


def rows(configurations=1):
    measured = np.zeros(P.size, bool)
    return [
        ErrorRow(f"m{slot}", slot, P, P * 0.01 * slot, measured, position)
        for slot, position in product(MACHINES, range(configurations))
    ]


def looks(figure):
    """Return what tells lines and markers of a figure apart."""
    lines = [t for t in figure.data if "lines" in t.mode and t.meta != "expectation"]
    marks = [t for t in figure.data if "markers" in t.mode]
    return (
        [(t.line.color, t.line.dash or "solid") for t in lines],
        [(t.marker.color, t.marker.symbol) for t in marks],
    )


def test_ten_machines_have_rows_of_their_own():
    for draw in (
        lambda: rows_figure(ScalingKind.WEAK, 2, rows()),
        lambda: efficiency_rows_figure(2, rows()),
    ):
        lines, marks = looks(plotted(draw)())

        assert len({*lines}) == len({*marks}) == len(MACHINES)


def test_machines_with_two_configurations_each_share_no_dash_of_a_colour():
    lines, _ = looks(plotted(rows_figure)(ScalingKind.WEAK, 2, rows(2)))

    assert len({*lines}) == 2 * len(MACHINES)


def test_many_configurations_of_one_machine_are_told_apart():
    found = styles([(3, position) for position in range(20)])

    assert len({(each.role, each.dash) for each in found}) == 20


def test_machines_without_a_hue_are_named_at_the_ends_of_their_lines():
    figure = plotted(rows_figure)(ScalingKind.WEAK, 2, rows())
    names = {note.text: note for note in figure.layout.annotations}
    grey = {trace.name: trace for trace in figure.data if trace.meta == GREY}

    assert {*names} == {*grey} == {"m7", "m8", "m9"}
    for name, note in names.items():
        # Plotly places notes by logarithms where axes have these.
        assert note.x == pytest.approx(np.log10(grey[name].x[-1]))
        assert note.y == pytest.approx(grey[name].y[-1])


def test_names_at_the_ends_of_lines_that_end_together_stay_apart():
    measured = np.zeros(P.size, bool)
    alike = [ErrorRow(f"m{at}", at, P, P * 0.01, measured) for at in range(20)]

    figure = plotted(rows_figure)(ScalingKind.WEAK, 2, alike)
    heights = sorted(note.ay for note in figure.layout.annotations)

    assert len(heights) == 13
    assert min(np.diff(heights)) >= APART


def test_a_long_name_at_the_end_of_its_line_shows_both_its_ends():
    measured = np.zeros(P.size, bool)
    name = "a <very long> name of a machine 12"

    figure = rows_figure(ScalingKind.WEAK, 2, [ErrorRow(name, 9, P, P, measured)])

    (note,) = figure.layout["annotations"]
    assert note["text"] == "a &lt;very…chine 12"


def test_pictures_without_scripts_name_the_same_lines():
    picture = svg(rows_figure(ScalingKind.WEAK, 2, rows())).decode()

    # Once in the legend, and once beside the line.
    assert [picture.count(f">m{at}</text>") for at in (6, 7, 8, 9)] == [1, 2, 2, 2]


def test_ten_times_of_traces_have_lines_of_their_own():
    lines = [TimeLine(f"t{slot}", [2.0, 4.0], [1.0, 2.0]) for slot in MACHINES]

    drawn, marks = looks(plotted(times_figure)(lines))

    assert len({*drawn}) == len({*marks}) == len(MACHINES)


def test_ten_machines_have_lines_and_markers_of_their_own_beside_one_another():
    model = Model(1e-6, (Term(1e-6, Growth.of("p", power=1)),))
    medians = model(p=P)
    measured = ("p", "time", "s", P, medians, medians, medians)
    shown = [Scaling(f"m{at}", at, *measured, model=model) for at in MACHINES]

    lines, marks = looks(plotted(machines_figure)(shown))

    assert len({*lines}) == len({*marks}) == len(MACHINES)


def test_ten_machines_have_times_over_problem_sizes_of_their_own():
    drawn = [
        DrawnLine(at, machine_line(f"m{at}", P, (1 + (1 + at) * P)[:, np.newaxis]))
        for at in MACHINES
    ]

    lines, marks = looks(plotted(machine_lines_figure)(drawn, unit="s"))

    assert len({*lines}) == len({*marks}) == len(MACHINES)
