"""The page Scaling: the numbers of the command, over any parallel scale."""

import csv
import html
import json
import re
from collections import defaultdict
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from support.builders import result, run_report
from support.recorded import record

SHARED = Path(__file__).parents[3] / "shared" / "data" / "scaling"
NODES = {
    1: [100.0, 101.0],
    2: [51.0, 51.5],
    4: [27.0, 27.1],
    8: [15.0, 15.1],
    16: [9.8, 9.9],
}


def reports(scale, runs, region="step", **fields):
    """Return one run per size, with its repetitions."""
    return [
        run_report(
            id=str(uuid4()),
            coordinate={scale: size},
            results=[result(region=region, values=[*values])],
            **fields,
        )
        for size, values in runs.items()
    ]


def cells(page):
    """Return the cells of the table by size, of a page in HTML."""
    (table,) = re.findall(
        r'aria-label="Efficiency by size".*?</table>', page, re.DOTALL
    )
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    texts = [
        [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in rows
    ]
    return texts[1:]


def command(scale, runs):
    table = "".join(
        f"{size},{value}\n" for size, values in runs.items() for value in values
    )
    text = f"{scale},time [s]\n{table}"
    answers = [
        CliRunner().invoke(main, ["model", "-", *more], input=text).stdout
        for more in ([], ["--json"])
    ]
    return answers[0], json.loads(answers[1])["scaling"]


@pytest.mark.parametrize("scale", ["p", "nodes", "gpus", "threads"])
def test_page_shows_the_table_over_any_scale(client, sessions, scale):
    record(sessions, reports(scale, NODES))

    page = client.get("/p/mpich/scaling?region=step").text

    rows = cells(page)
    assert [row[0] for row in rows[:5]] == ["1", "2", "4", "8", "16"]
    assert rows[1][1] == "51.2 ± 0.8"
    assert "parallel efficiency 64 ± 1 %" in page
    for figure in ("time", "speed-up", "efficiency"):
        drawn = client.get(
            f"/api/v1/figures/efficiency-{figure}?project=mpich&region=step"
        ).json()
        assert drawn["data"]


def test_base_limit_kind_and_plan_stand_in_the_address(client, sessions):
    record(sessions, reports("nodes", NODES))
    query = "base=2&limit=90&runs=64&length=25&at=8&kind=strong"

    page = client.get(f"/p/mpich/scaling?region=step&{query}").text
    known = client.get(f"/api/v1/projects/mpich/efficiency?region=step&{query}").json()

    assert "≥ 90 %: up to" in page
    assert "below the base" in page
    assert known["plan"]["hours"] == pytest.approx(64 * 25 * 8 * 15.05 / 3600)
    assert "53.5 node-hours" in page
    assert known["scaling"]["base"] == 2


@pytest.mark.parametrize(
    "query", ["base=3", "scale=cores", "limit=-1", "kind=both", "runs=x", "at=0"]
)
def test_bad_choices_are_refused(client, sessions, query):
    record(sessions, reports("nodes", NODES))

    answer = client.get(f"/api/v1/projects/mpich/efficiency?region=step&{query}")

    assert answer.status_code in {404, 409, 422}


def test_questions_name_choices_of_the_address(client, sessions):
    record(sessions, reports("p", NODES))

    unknown = client.get("/p/mpich/scaling?region=step").text
    known = client.get("/p/mpich/scaling?region=step&per_node=4").text

    assert "No node-hours: processes are not cores or nodes; ?per_node=N" in unknown
    (summary,) = re.findall(r'aria-label="Summary">.*?</section>', unknown, re.DOTALL)
    assert " --" not in summary
    assert "No node-hours" not in known
    assert "Node-hours" in known


@pytest.mark.parametrize("wanted", ["csv", "md", "tex", "json"])
def test_table_is_downloaded(client, sessions, wanted):
    record(sessions, reports("nodes", NODES))

    answer = client.get(f"/p/mpich/scaling?region=step&format={wanted}")

    assert answer.status_code == 200
    assert "16" in answer.text


def test_dependent_settings_are_columns_and_may_be_the_axis(client, sessions):
    runs = [
        run_report(
            id=str(uuid4()),
            coordinate={"p": 48 * nodes, "nodes": nodes},
            results=[result(region="step", values=values)],
        )
        for nodes, values in NODES.items()
    ]
    record(sessions, runs)

    by_p = client.get("/api/v1/projects/mpich/efficiency?region=step").json()["scaling"]
    by_nodes = client.get(
        "/api/v1/projects/mpich/efficiency?region=step&scale=nodes"
    ).json()["scaling"]

    assert (by_p["scale"], by_nodes["scale"]) == ("p", "nodes")
    assert by_p["rows"][1]["settings"] == {"nodes": 2}
    assert by_p["hours_unit"] == by_nodes["hours_unit"] == "node-hours"
    for one, other in zip(by_p["rows"], by_nodes["rows"], strict=True):
        assert one["size"] == 48 * other["size"]
        assert one["efficiency"] == other["efficiency"]
        assert one["hours"] == other["hours"]


def real_series(number):
    with (SHARED / "series.csv").open() as about:
        known = {row["series"]: row for row in csv.DictReader(about)}
    values = defaultdict(lambda: defaultdict(list))
    with (SHARED / "values.csv").open() as measured:
        for row in csv.DictReader(measured):
            size = float(row["setting"])
            values[row["series"]][int(size)].append(float(row["value"]))
    kept = [name for name, row in known.items() if row["kind"] in {"strong", "weak"}]
    for name in kept[:: max(1, len(kept) // number)][:number]:
        scale = known[name]["parameter"]
        yield (
            name,
            scale if scale in {"nodes", "gpus", "threads"} else "p",
            values[name],
        )


@pytest.mark.skipif(not SHARED.exists(), reason="no real series beside the checkout")
def test_command_page_and_json_have_the_same_numbers_of_forty_real_series(
    client, sessions
):
    compared = 0
    for name, scale, runs in real_series(40):
        record(sessions, reports(scale, runs, project=name))
        text, line = command(scale, runs)
        query = f"region=step{'&kind=' + line['kind'] if line['kind'] else ''}"

        page = client.get(f"/p/{name}/scaling?{query}").text
        served = client.get(f"/api/v1/projects/{name}/efficiency?{query}").json()

        if line["kind"] is None:
            assert "Strong or weak?" in page
            continue
        measured = [row for row in cells(page) if "forecast" not in row[-1]]
        shown = [
            entry.split("  ") for entry in text.splitlines()[2 : 2 + len(measured)]
        ]
        for row, printed in zip(measured, shown, strict=True):
            assert [cell for cell in row[:-1] if cell] == [
                cell.strip() for cell in printed if cell.strip()
            ][: len(row) - 1], name
        for row, other in zip(served["scaling"]["rows"], line["rows"], strict=True):
            assert row["efficiency"] == other["efficiency"], name
            assert row["holds"] == other["holds"], name
        compared += 1
    assert compared >= 35
