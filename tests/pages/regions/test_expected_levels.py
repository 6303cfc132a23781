"""What an expectation expects is one number, at each commit, page and export."""

import csv
import io
import re
from math import log2

import numpy as np
import pytest

from scalewatch.figures.curves import curves_of
from scalewatch.pages.wording.formats import quantity
from scalewatch.services.match_table.small_plots import plotted_cell
from scalewatch.services.selection.view import View
from support.builders import sweep_reports
from support.histories import LINEAR, commit, sha
from support.recorded import record

COMMITS = range(1, 7)
REGION = "MPI_Bcast"
MACHINES = ("jureca", "daint")
TARGET = 1024.0


@pytest.fixture
def recorded(sessions):
    """Six commits on two machines, with log p expected: three match, each slower."""
    for number in COMMITS:
        for slower, machine in enumerate(MACHINES, 1):
            factor = slower * (1 + number / 3)
            truth = (
                LINEAR
                if number > 3
                else lambda p, factor=factor: factor * (1e-6 + 2e-6 * log2(p))
            )
            runs = sweep_reports(
                growths={REGION: truth},
                noise=1e-3,
                seed=10 * number + slower,
                commit=commit(number, tag=f"v{number}"),
                machine={"name": machine, "fingerprint": {}},
            )
            record(sessions, runs)


def drawn_at(x, y, at):
    """Return the value of a curve at a setting, as one reads it off its plot."""
    return float(np.exp(np.interp(np.log(at), np.log(x), np.log(y))))


def expected_of(figure):
    """Return the curves of an expectation in a figure."""
    return [trace for trace in figure["data"] if trace["meta"] == "expectation"]


@pytest.mark.usefixtures("recorded")
def test_the_level_is_one_number_at_each_commit_on_each_page_in_each_export(
    client, sessions
):
    api = "/api/v1/projects/mpich"
    seen: dict[str, set[object]] = {machine: set() for machine in MACHINES}
    said: dict[str, set[object]] = {machine: set() for machine in MACHINES}
    curves: dict[str, list[float]] = {machine: [] for machine in MACHINES}
    for number in COMMITS:
        at = {"commit": sha(number), "metric": "time"}
        models = client.get(f"{api}/models", params=at).json()["models"]
        bulk = client.get(f"{api}/models", params={**at, "format": "csv"}).text
        rows = {row["machine"]: row for row in csv.DictReader(io.StringIO(bulk))}
        everywhere = client.get(
            "/api/v1/figures/machines",
            params={**at, "project": "mpich", "region": REGION},
        ).json()
        for place, machine in enumerate(MACHINES):
            (level,) = (e["level"] for e in models if e["machine"] == machine)
            row = rows[machine]
            assert row["expected_at"] == "p=2"
            seen[machine] |= {
                (level["value"], level["commit"]),
                (float(row["expected_value"]), row["level_of"]),
            }
            one = {**at, "machine": machine}
            page = client.get(
                f"/p/mpich/r/{REGION}", params={**one, "target": TARGET}
            ).text
            text = re.sub(r"<[^>]*>", "", page).replace("\N{NO-BREAK SPACE}", " ")
            text = text.replace("\N{NARROW NO-BREAK SPACE}", " ")
            said[machine] |= set(
                re.findall(r"Expected: ([\d.,]+ \S+) \(level of commit (\w+)", text)
            )
            value = quantity(level["value"], "s").replace("\N{NO-BREAK SPACE}", " ")
            value = value.replace("\N{NARROW NO-BREAK SPACE}", " ")
            assert f"{value} at p = 2, level of commit {'v3'}, the last" in text
            figure = client.get(
                "/api/v1/figures/scaling",
                params={**one, "project": "mpich", "region": REGION},
            ).json()
            with sessions.reading() as session:
                small = curves_of(
                    plotted_cell(
                        session, View("mpich", sha(number), machine=machine), REGION
                    )
                )
            curves[machine] += [
                drawn_at(each["x"], each["y"], 16.0)
                for each in (*expected_of(figure), expected_of(everywhere)[place])
            ]
            curves[machine].append(drawn_at(small.x, small.expectation, 16.0))

    for slower, machine in enumerate(MACHINES, 1):
        ((value, source),) = seen[machine]
        assert source == "v3"
        assert value == pytest.approx(2 * slower * 3e-6, rel=0.01)
        assert len(said[machine]) == 1
        assert len(curves[machine]) == 3 * len(COMMITS)
        assert max(curves[machine]) == pytest.approx(min(curves[machine]), rel=1e-3)
        assert curves[machine][0] == pytest.approx(2 * slower * 9e-6, rel=0.01)
