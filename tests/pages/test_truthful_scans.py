"""No picture contradicts its sentence: lines of machines, hotspots, configurations.

So do the small pictures that the server draws into rows and cells.
"""

import json
import re
from urllib.parse import unquote

import numpy as np
import pytest

from support import sentences
from support.builders import result, run, sweep_reports
from support.large_project import PROJECT
from support.recorded import record, record_configurations, record_hydro
from support.shown_pages import (
    figure_of,
    leads_of,
    numbers,
    page_of,
    traces,
    words_of,
)

SIZES = (250, 500, 1000, 2000, 4000)
LINES = {
    "cluster": lambda n: 2e-3 + 1e-6 * n,
    "workstation": lambda n: 1e-3 + 2e-6 * n,
    "laptop": lambda n: 5e-4 + 3e-9 * n**2,
}
FASTER = re.compile(
    r"(\w+) is faster from n = ([\d,.]+) on(?: \(.*?\))?, and (\w+) below"
)
CURVED = re.compile(r"On ([\w ]+) another growth fits better")
SHARE = re.compile(r"([\d.]+)\s%")
CELL = re.compile(
    r'class="heat heat--(mismatch|better)[^"]*" '
    r'href="/p/\w+/r/([^?"]+)[^"]*machine=([\w-]+)"'
)


def shares_in(words: str) -> list[float]:
    return [float(each) / 100 for each in SHARE.findall(words)]


def places(path: str) -> np.ndarray:
    """Return the points of a path in SVG, shape (points, 2)."""
    return numbers([pair.split() for pair in path.strip("MZ").split("L")])


def test_lines_of_machines_cross_where_their_sentences_say(client, sessions):
    reports = []
    for machine, time in LINES.items():
        for n in SIZES:
            reports += sweep_reports(
                (4,),
                {"solve": lambda _p, n=n, time=time: time(n)},
                noise=0.005,
                seed=n,
                project="cfd",
                coordinate={"p": 4, "n": n},
                machine={"name": machine},
            )
    record(sessions, reports)

    page = page_of(client, "/p/cfd/scaling/sizes")
    figure = figure_of(client, page, "machine-lines")
    said = " ".join(leads_of(page))

    lines = {name: traces(figure, f"{name}: line")[0] for name in LINES}
    x = np.linspace(SIZES[0], SIZES[-1], 200)
    # A growth that fits better than the line is drawn beside it, and spoken of.
    drawn = {
        name: np.interp(x, numbers(line["x"]), numbers(line["y"]))
        for name in LINES
        for line in (lines[name], *traces(figure, f"{name}: <i>"))
    }
    crossings = FASTER.findall(said)
    for flat, crossing, steep in crossings:
        at = float(crossing.replace(",", ""))
        is_below = drawn[flat] < drawn[steep]
        assert is_below[x > 1.03 * at].all()
        assert not is_below[x < 0.97 * at].any()
    assert len(crossings) == len(LINES)
    curved = {name for names in CURVED.findall(said) for name in names.split(" and ")}
    kinds = {f"{name}{kind}" for name in LINES for kind in ("", ": line")}
    further = [each["name"] for each in figure["data"] if each["name"] not in kinds]
    assert curved == {name.split(":")[0] for name in further} == {"laptop"}


def test_significant_steps_of_hotspots_are_those_of_the_sentence(client, sessions):
    record_hydro(sessions)

    for held in ("tiled", "even"):
        page = page_of(client, "/p/hydro/hotspots", held=f"distribution={held}")
        (lead,) = leads_of(page)
        (steps,) = figure_of(client, page, "hotspots-differences")["data"]
        shares = figure_of(client, page, "hotspots-shares")
        large = [
            x
            for x, size in zip(steps["x"], steps["marker"]["size"], strict=True)
            if size > 6
        ]
        totals = np.sum([numbers(bar["y"]) for bar in shares["data"]], axis=0)
        np.testing.assert_allclose(totals, 1)
        if "keeps its proportions" in lead:
            assert large == []
            continue
        at, function = re.match(
            r"The profile changes at p = (\d+): (\w+) went", lead
        ).groups()
        others = re.search(r"and (\d+) other", lead)
        before, after = shares_in(lead)
        assert float(at) in large
        assert len(large) == 1 + int(others[1])
        assert max(steps["y"]) == steps["y"][steps["x"].index(float(at))]
        (bar,) = traces(shares, function)
        place = bar["x"].index(at)
        assert bar["y"][place - 1 : place + 1] == pytest.approx(
            [before, after], abs=5e-3
        )
        movements = figure_of(client, page, "hotspots-movements")
        top = {trace["name"]: trace["x"][-1] for trace in movements["data"]}
        assert all(trace["y"][-1] == function for trace in movements["data"])
        assert top[at] == pytest.approx(after, abs=5e-3)


def test_means_of_settings_are_as_the_sentence_on_configurations_says(client, sessions):
    record_configurations(sessions)

    page = page_of(client, "/p/hybrid/scaling/configurations")
    (lead,) = leads_of(page)
    effects = figure_of(client, page, "configurations-main-effects")
    met = figure_of(client, page, "configurations-interaction")
    leading = re.search(r"(\w+) matters most", lead)[1]
    best = dict(re.findall(r"(\w+)\s=\s(\w+)", lead))
    spreads = {line["name"]: np.var(numbers(line["y"])) for line in effects["data"]}
    assert max(spreads, key=spreads.get) == leading == effects["data"][0]["name"]
    for line in effects["data"]:
        lowest = line["x"][1][int(np.argmin(numbers(line["y"])))]
        assert best[line["name"]] == lowest
    overall = effects["layout"]["shapes"][0]["y0"]
    for line in effects["data"]:
        assert np.mean(numbers(line["y"])) == pytest.approx(overall)

    # Both settings are balanced: what is not parallel is the share of their interplay.
    means = np.array([numbers(line["y"]) for line in met["data"]])
    rows, columns = (means.mean(axis=k, keepdims=True) for k in (1, 0))
    left = means - rows - columns + means.mean()
    told = float(re.search(r"([\d.]+)\s% of the variation is", words_of(page))[1])
    assert 100 * left.var() / means.var() == pytest.approx(told, abs=0.05)


@pytest.mark.parametrize(
    "values", [[1e-6, 2e-6, 4e-6, 9e-6, 1e-3], [5.0, 5.0, 5.0], [0.0, 1.0, 7.0]]
)
def test_distribution_of_a_run_has_its_median_within_its_quartiles(client, values):
    body = run(results=[result(values=values)])
    client.post("/api/v1/runs", json=body)

    page = page_of(client, f"/p/{body['project']}/runs/{body['id']}")

    ticks = numbers(re.findall(r'strip__tick" x1="([\d.]+)"', page))
    middle = float(re.search(r'strip__middle" x1="([\d.]+)"', page)[1])
    low, width = numbers(
        re.search(r'strip__box" x="([\d.]+)" width="([\d.]+)"', page).groups()
    )
    assert (np.diff(ticks) >= 0).all()
    assert len({*ticks}) == len({*values})
    assert ticks[len(ticks) // 2] == pytest.approx(middle)
    assert ticks[0] <= low <= middle <= low + width <= 120
    assert ticks[-1] <= 120


def test_small_plots_show_what_is_worse_above_its_promise(large_client):
    page = page_of(large_client, f"/p/{PROJECT}")
    seen = {}
    for mark, region, machine in CELL.findall(page):
        if seen.setdefault(mark, 0) == 6:
            continue
        drawn = page_of(
            large_client,
            f"/p/{PROJECT}/small-plot.svg",
            region=unquote(region),
            machine=machine,
        )
        promise, model = (
            places(re.search(rf'd="([^"]+)"[^>]*stroke:var\(--{look}\)', drawn)[1])
            for look in ("figure-expectation", "accent")
        )
        is_above = model[-1, 1] < promise[-1, 1]
        assert is_above == (mark == "mismatch"), (region, machine)
        seen[mark] += 1

    assert seen == {"mismatch": 6, "better": 6}


def test_marks_of_a_ranking_move_as_its_numbers_do(large_client):
    query = {"machine": "supermuc", "target": "65536"}
    page = page_of(large_client, f"/p/{PROJECT}/cost", **query)
    rows = re.findall(r"<tr>(?:(?!</tr>).)*?cost__after.*?</tr>", page, re.DOTALL)
    answer = large_client.get(f"/p/{PROJECT}/cost", params={**query, "format": "json"})
    told = {each["region"]: each for each in json.loads(answer.text)["regions"]}

    values, ends = [], []
    for row in rows:
        region = told[words_of(re.search(r'<th scope="row">(.*?)</th>', row)[1])]
        before, after = numbers(re.findall(r'circle [^>]*cx="([\d.]+)"', row))
        low, width = numbers(
            re.search(r'cost__interval" x="([\d.]+)" width="([\d.]+)"', row).groups()
        )
        assert low - 0.1 <= after <= low + width + 0.1
        assert after > before or "O(1)" in words_of(row), words_of(row)
        values.append(region["value"])
        ends.append(after)

    assert len(values) > 20
    assert (np.diff(values) <= 0).all()
    assert (np.diff(ends) <= 0).all()


def is_open(standing) -> bool:
    """Tell whether the growth in an answer is one of several that may be."""
    if standing is None or standing["model"] is None or standing["outcome"]:
        return False
    likely = standing["class_probability"].get(standing["growth"], 1)
    return standing["verdict"] == "undecided" or standing["misfit"] or likely < 0.5


def test_bar_of_what_is_better_is_not_called_a_mismatch(large_client):
    region = f"/p/{PROJECT}/r/output::gather_snapshot"

    page = page_of(large_client, region, machine="juwels")

    likely = re.findall(r'<li class="verdict--(\w+)"><span>(\w+)</span>', page)
    assert {shown for _, shown in likely} == {"better", "match", "approximate"}
    assert all(colour == shown for colour, shown in likely)


def test_growth_of_a_history_and_of_one_commit_are_told_apart(large_client):
    region = f"/p/{PROJECT}/r/mesh::find_neighbours"

    opened = words_of(page_of(large_client, region, machine="supermuc"))
    settled = words_of(page_of(large_client, region, machine="juwels"))

    assert sentences.PERHAPS_WORSE in opened
    assert sentences.COMMITS_AFTER_SCALE in opened
    assert "Together, the commits" not in settled


def growths_in(page: str, cell: str) -> dict[str, str]:
    """Return what rows of a table say of growth, by their first words."""
    rows = re.findall(r"<tr[ >].*?</tr>", page, re.DOTALL)
    heads = [
        re.search(r'<th scope="row"[^>]*>(.*?)</th>', row, re.DOTALL) for row in rows
    ]
    return {
        words_of(head[1]).strip(): words_of(found[1])
        for head, row in zip(heads, rows, strict=True)
        if head and (found := re.search(cell, row, re.DOTALL))
    }


def test_a_growth_that_may_be_another_is_stated_alone_nowhere(large_client):
    report = large_client.get(f"/api/v1/projects/{PROJECT}/report").json()
    opened = {
        (row["region"], cell["machine"])
        for row in report["rows"]
        for cell in row["cells"]
        if cell and row["metric"] == "time" and is_open(cell.get("standing"))
    }
    assert {machine for _, machine in opened} >= {"supermuc", "hawk"}
    told = {}
    for machine in {machine for _, machine in opened}:
        page = page_of(large_client, f"/p/{PROJECT}/cost", machine=machine)
        found = growths_in(page, r"<td>((?:(?!<td).)*?)</td>\s*</tr>")
        told |= {(region, machine, "cost"): said for region, said in found.items()}
    for region in {region for region, _ in opened}:
        page = page_of(large_client, f"/p/{PROJECT}/r/{region}")
        found = growths_in(page, r"<td[^>]*>.*?</td>\s*<td[^>]*>(.*?)</td>")
        told |= {(region, machine, "region"): said for machine, said in found.items()}
    stated = {
        at: said
        for at, said in told.items()
        if at[:2] in opened and "O(" in said and "perhaps O(" not in said
    }
    assert stated == {}
    assert {kind for *at, kind in told if tuple(at) in opened} == {"cost", "region"}


def test_small_ratios_end_on_the_side_of_the_machine_that_is_better(large_client):
    page = page_of(large_client, f"/p/{PROJECT}/compare/juwels...lumi")
    above = re.search(r"<bdi>([\w-]+)</bdi> wins above 1", page)[1]
    won = 0
    for picture in re.findall(r'<li class="ratios__one">.*?</li>', page, re.DOTALL):
        line = places(re.search(r'ratio__line" d="([^"]+)"', picture)[1])
        band = places(re.search(r'ratio__band" d="([^"]+)"', picture)[1])
        upper, lower = band[: len(line), 1], band[len(line) :, 1][::-1]
        assert (upper <= line[:, 1] + 0.1).all()
        assert (line[:, 1] <= lower + 0.1).all()
        winner = re.search(r"<bdi>([\w-]+)</bdi> better", picture)
        if winner:
            assert (line[-1, 1] < 30) == (winner[1] == above), words_of(picture)
            won += 1

    assert won > 5
