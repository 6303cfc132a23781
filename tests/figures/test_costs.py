import numpy as np

from scalewatch.figures import costs
from scalewatch.figures.costs import MOST, ShareLine, SharesDrawn
from support.plotted import plotted

shares_figure = plotted(costs.shares_figure)


def drawn(lines, **fields):
    asked = {"scales": [4, 8, 16], "largest": 8, "reach": 16, "target": 16, "why": ""}
    return SharesDrawn(lines=lines, **(asked | fields))


def equal(number):
    return [ShareLine(f"r{k}", [1 / number] * 3) for k in range(number)]


def test_areas_fill_the_whole_and_the_small_regions_share_one():
    figure = shares_figure(drawn(equal(10)))

    assert [area.name for area in figure.data] == [
        *(f"r{k}" for k in range(MOST)),
        "4 others",
    ]
    assert np.allclose(np.sum([area.y for area in figure.data], axis=0), 100)
    assert len({area.fillcolor for area in figure.data}) == MOST + 1


def test_a_line_parts_what_was_measured_from_what_is_forecast():
    assert shares_figure(drawn(equal(2))).layout.shapes[0].x0 == 8
    assert not shares_figure(drawn(equal(2), largest=16)).layout.shapes


def test_picture_says_where_and_why_shares_end():
    lines = [ShareLine("<a>", [1.0, 1.0, None])]
    why = "no forecast of <b> beyond p = 8"

    figure = shares_figure(drawn(lines, reach=8, target=64, why=why))

    assert list(figure.data[0].x) == [4, 8]
    assert figure.layout.xaxis.range[1] == np.log10(64)
    (note,) = figure.layout.annotations
    assert note.text.replace("<br>", " ").endswith("&lt;b&gt; beyond p = 8")
    assert np.log10(8) < note.x < np.log10(64)
    assert figure.data[0].name == "&lt;a&gt;"


def test_words_beside_areas_stand_upright_and_in_short_where_the_strip_is_narrow():
    why, short = "no forecast of mesh::kernel beyond p = 8", "no forecast"
    notes = {}
    for target in (10, 32, 1024):
        lines = [ShareLine("mesh::solve", [1.0, 1.0, 1.0])]
        asked = drawn(
            lines, scales=[1, 2, 8], reach=8, target=target, why=why, short=short
        )
        (notes[target],) = shares_figure(asked).layout.annotations

    words = {target: note.text.replace("<br>", " ") for target, note in notes.items()}
    assert words == {10: short, 32: why, 1024: why}
    assert [note.textangle for note in notes.values()] == [-90, -90, 0]
    assert all(np.log10(8) < note.x < np.log10(at) for at, note in notes.items())


def test_without_any_share_the_picture_says_why():
    figure = shares_figure(drawn([], reach=None, why="nothing was measured"))

    assert figure.layout.annotations[0].text == "nothing was measured"
