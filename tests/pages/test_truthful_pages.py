"""No picture contradicts its sentence: the figures of every kind of page.

The curves of regions are held to their verdicts and intervals one by one in
`tests/services/regions/test_truthful_figures.py`.
"""

import re
from html import unescape

import numpy as np
import pytest

from support import shown_pages
from support.large_project import MACHINES, PROJECT
from support.recorded import record
from support.shown_pages import figure_of, figures_of, leads_of, numbers, traces
from support.traced import wavefront

SIDES = (
    "aurora...frontier",
    "juwels...supermuc",
    pytest.param("hawk...lumi", marks=pytest.mark.thorough),
)
CHANGED = ("mesh::find_neighbours", "hydro::riemann", "output::gather_snapshot")
REGIONS = (
    CHANGED[0],
    "MPI_Bcast",
    "hydro::advance",
    *(
        pytest.param(region, marks=pytest.mark.thorough)
        for region in (*CHANGED[1:], "MPI_Alltoall")
    ),
)
ROUNDING = 0.01
"""By which share three digits may be off."""


def page_of(client, path: str, **query: str) -> str:
    return shown_pages.page_of(client, f"/p/{PROJECT}{path}", **query)


def lead_of(page: str) -> str:
    (lead, *_) = leads_of(page)
    return lead


def between_gaps(trace):
    """Yield the values and intervals of each line of a trace, shape (3, n)."""
    rows = np.column_stack([numbers(trace["y"]), numbers(trace["customdata"])])
    is_gap = np.isnan(rows[:, 0])
    for piece in np.split(rows, np.flatnonzero(is_gap)):
        if not np.isnan(piece).all():
            yield piece[~np.isnan(piece[:, 0])].T


@pytest.mark.parametrize("sides", SIDES)
def test_ratios_lie_in_their_bands_and_on_the_side_that_the_sentence_names(
    large_client, sides
):
    page = page_of(large_client, f"/compare/{sides}")
    figure = figure_of(large_client, page, "ratios")
    above, below = (
        note["text"].split(" better")[0] for note in figure["layout"]["annotations"]
    )
    bottom, top = figure["layout"]["yaxis"]["range"]
    assert min(-bottom, top) >= 0.09 * (top - bottom), "no room for the words"
    ends = []
    for line in figure["data"]:
        if not line.get("customdata"):
            continue
        for value, low, high in between_gaps(line):
            assert (low <= value * 1.001).all()
            assert (value <= high * 1.001).all()
            ends.append(above if low[-1] > 1 else below if high[-1] < 1 else "")

    words = shown_pages.words_of(page)
    winner, wins, rows = re.search(
        r"([^\s.]+) is better in (\d+) of (\d+) regions", words
    ).groups()
    unsure = re.search(r"not sure beyond p = \S+ in (\d+)", words)
    assert len(ends) == int(rows)
    assert ends.count(winner) >= int(wins) - (int(unsure[1]) if unsure else 0)


@pytest.mark.parametrize("region", CHANGED)
def test_history_marks_for_the_worse_what_the_sentence_calls_slower(
    large_client, region
):
    told = 0
    for machine in MACHINES:
        page = page_of(large_client, "/history", region=region, machine=machine)
        lead = lead_of(page)
        figure = figure_of(large_client, page, "history")
        marks = [shape["name"] for shape in figure["layout"].get("shapes", ())]
        if "slower" in lead:
            assert "worse" in marks, lead
        if "faster" in lead:
            assert "better" in marks, lead
        told += "slower" in lead or "faster" in lead
        bands = [each for each in figure["data"] if each.get("fill") == "toself"]
        means = [each for each in figure["data"] if each.get("meta") == "ink"]
        for band, mean in zip(bands, means, strict=True):
            assert min(band["y"]) <= mean["y"][0] <= max(band["y"])
        if re.match(r"O\(p\) since .* before O\(log p\)", lead):
            assert means[-1]["y"][0] > means[0]["y"][0]

    assert told


def test_curves_of_a_regression_lie_as_its_sentence_says(large_client):
    listed = large_client.get(f"/api/v1/projects/{PROJECT}/regressions").json()
    seen = set()
    for each in listed["regressions"]:
        page = page_of(large_client, f"/regressions/{each['id']}")
        lead = lead_of(page)
        figure = figure_of(large_client, page, "regression-curves")
        (before,), (after,) = traces(figure, "before"), traces(figure, "after")
        for line in (before, after):
            low, high = numbers(line["customdata"]).T
            assert (low <= numbers(line["y"])).all()
            assert (numbers(line["y"]) <= high).all()
        at = min(before["x"][-1], after["x"][-1])
        then, now = (line["y"][list(line["x"]).index(at)] for line in (before, after))
        way = re.search(r"(slower|more|faster|less)", lead)[0]
        assert (now > then) == (way in {"slower", "more"}), lead
        marks = figure_of(large_client, page, "regression-strip")["layout"]["shapes"]
        is_worse = each["is_worse"]
        assert [shape["name"] for shape in marks] == ["worse" if is_worse else "better"]
        seen.add(is_worse)

    assert seen == {True, False}


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("kind", ["strong", "weak"])
def test_efficiency_and_error_are_those_of_the_sentence(large_client, region, kind):
    query = {"region": region, "kind": kind, "machine": "aurora"}
    page = page_of(large_client, "/scaling/contours", **query)
    error_page = page_of(large_client, "/scaling/contours", quantity="error", **query)
    lead = lead_of(page)
    percent = float(
        re.search(r"parallel efficiency (\d[\d,]*(?:\.\d+)?)", lead)[1].replace(",", "")
    )
    letter = "α" if kind == "strong" else "β"
    error = re.search(rf"{letter} = (−?\d+(?:\.\d+)?)", lead)[1].replace("−", "-")

    (row, *_) = traces(
        figure_of(large_client, page, "scaling-error-efficiency-rows"), "aurora"
    )
    pairs = figure_of(large_client, page, "scaling-error-efficiency")["data"][-1]
    errors = figure_of(large_client, error_page, "scaling-error-rows")
    contours = figure_of(large_client, error_page, "scaling-error-contours")
    (error_row, *_) = traces(errors, "aurora")

    assert row["y"][-1] == pytest.approx(percent, rel=5 * ROUNDING)
    assert error_row["y"][-1] == pytest.approx(float(error), rel=ROUNDING, abs=0.001)
    lost = percent < 100
    assert (error_row["y"][-1] > 0) == lost
    assert all(x >= y for x, y in zip(pairs["x"], pairs["y"], strict=True))
    corner = contours["data"][0]
    assert corner["z"][0][-1] == pytest.approx(error_row["y"][-1])
    assert corner["zmin"] <= 0 <= corner["zmax"]


def test_cells_of_the_heat_map_show_the_verdicts_of_the_report(large_client):
    report = large_client.get(f"/api/v1/projects/{PROJECT}/report").json()
    page = page_of(large_client, "")
    shown = re.findall(
        r'class="heat heat--([\w-]+)[^"]*"[^>]*aria-label="([^"]+)"', page
    )
    for mark, words in shown:
        if mark in {"match", "approximate", "mismatch", "better", "undecided"}:
            assert f"{mark}" in words
    counted = sum(
        1
        for row in report["rows"]
        for cell in row["cells"]
        if cell and (cell.get("standing") or {}).get("verdict") == "mismatch"
    )
    marks = [mark for mark, _ in shown]
    assert marks.count("mismatch") + marks.count("better") == counted > 0


def test_rows_of_the_map_of_commits_end_in_the_growth_of_their_sentence(large_client):
    for machine in ("aurora", "supermuc"):
        page = page_of(large_client, "/history", machine=machine)
        rows = re.findall(r'<svg class="commit-map__row".*?</svg>', page, re.DOTALL)
        assert len(rows) > 30
        for row in rows:
            sentence = unescape(re.search(r'aria-label="([^"]+)"', row)[1])
            edges = re.findall(
                r'<a [^>]*aria-label="([^"]+)"><rect class="([^"]+)"', row
            )
            for title, look in edges:
                is_worse = "slower" in title or "more" in title
                assert ("--worse" in look) == is_worse, title
            if "throughout" in sentence and ";" not in sentence:
                assert not edges, sentence


@pytest.mark.parametrize(
    "machine",
    [
        *MACHINES[:2],
        *(pytest.param(name, marks=pytest.mark.thorough) for name in MACHINES[2:5]),
    ],
)
def test_shares_of_costs_are_of_one_sum_and_the_sentence_names_the_largest(
    large_client, machine
):
    page = page_of(large_client, "/cost", machine=machine)
    lead = lead_of(page)
    figure = figure_of(large_client, page, "cost-shares")
    lines = figure["data"]

    totals = np.sum([numbers(line["y"]) for line in lines], axis=0)
    np.testing.assert_allclose(totals, 100, atol=0.01)
    named = [line for line in lines if not line["name"].endswith(" others")]
    largest = max(named, key=lambda line: line["y"][-1])
    share = float(re.search(r", ([\d.]+)\s%", lead)[1])
    assert largest["name"].rstrip("…") in lead
    assert largest["y"][-1] == pytest.approx(share, abs=0.51)


def test_every_figure_of_every_kind_of_page_draws_finite_values(large_client):
    region = CHANGED[0]
    pages = (
        ("", {}),
        ("/cost", {"machine": "lumi", "target": "65536"}),
        ("/r/mesh%3A%3Afind_neighbours", {}),
        ("/r/mesh%3A%3Afind_neighbours", {"machine": "juwels", "target": "65536"}),
        ("/scaling/contours", {"region": region, "source": "model"}),
        ("/history", {"region": region, "machine": "juwels"}),
        ("/compare/juwels...lumi", {}),
        ("/regressions/1", {}),
    )
    drawn = 0
    for path, query in pages:
        for name, figure in figures_of(
            large_client, page_of(large_client, path, **query)
        ):
            for trace in figure["data"]:
                values = [y for y in trace.get("y", []) if isinstance(y, float)]
                assert np.isfinite(values).all(), name
                drawn += 1

    assert drawn > 50


def test_extrapolated_times_of_traces_run_through_what_was_measured(client, sessions):
    record(sessions, wavefront())
    page = client.get("/p/sweep/traces").text

    seen = 0
    for name, figure in figures_of(client, page):
        marks = [each for each in figure["data"] if "markers" in each.get("mode", "")]
        for each in marks:
            assert all(y is None or y >= 0 for y in each["y"]), name
            seen += 1
    assert seen


def test_gate_says_of_how_many_series_each_reason_is(large_client):
    words = shown_pages.words_of(page_of(large_client, "/c"))
    number, often = re.search(
        r"(\d+) series \([^)]*\) not measured: (\d+) failed", words
    ).groups()
    rest = re.search(r"\d+ for (?:an)?other reasons?", words)[0]

    assert (int(number) - int(often) == 1) == (rest == "1 for another reason")


def test_ratios_that_do_not_count_are_within_what_the_sentence_says(large_client):
    page = page_of(large_client, "/compare/juwels...lumi")
    words = shown_pages.words_of(page)
    pictures = re.findall(r'<li class="ratios__one">.*?</li>', page, re.DOTALL)

    most = int(re.search(r"differ by a constant of at most (\d+)", words)[1]) / 100
    unsure = re.search(r"none is surely better in \d+ \(([^)]*)\)", words)[1]

    even = {
        shown_pages.words_of(picture).split()[0]: float(
            re.search(r'class="number">([\d.]+)×', picture)[1]
        )
        for picture in pictures
        if "better" not in picture
    }
    of_constant = {name: each for name, each in even.items() if name not in unsure}
    *named, last = re.split(", | and ", unsure)
    folded = re.fullmatch(r"(\d+) more", last)
    assert len(even) - len(of_constant) == len(named) + (folded is None)
    off = sorted(abs(ratio - 1) for ratio in of_constant.values())
    off = off[: len(off) - int(folded[1] if folded else 0)]
    assert off
    assert off[-1] <= most + 1e-9
