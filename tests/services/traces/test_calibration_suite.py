"""A table of best times as posted: a suite with pages, models, history and a gate."""

import json
import math
from uuid import uuid4

import pytest
from click.testing import CliRunner

from scalewatch.wire import Commit, RunReport
from scalewatch_agent.cli import main
from support.histories import commit, sha
from support.recorded import record
from support.simgrid import SWITCH, needs_simgrid

API = "/api/v1/projects/simgrid"
REGION = "MPI_Barrier"


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    """The runs of a simulated calibration."""
    out = tmp_path_factory.mktemp("calibrated") / "t_max.jsonl"
    words = [
        *("calibrate", "-p", "2,3,4,6,8", "--launcher", "smpi", "--platform", SWITCH),
        *("--functions", "MPI_Barrier,MPI_Allreduce", "--bytes", "8,1024"),
        *("--repetitions", "5", "--out", str(out)),
        *("--save", str(out.with_name("table.json"))),
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    lines = out.read_text().splitlines()
    return [RunReport.model_validate_json(line) for line in lines]


def usual_barrier(run):
    """Return a time that grows like log p, but for a hundredth."""
    p = run.coordinate["p"]
    return 2e-6 * math.log2(p) * (1 + 0.01 * math.sin(p))


def at_commit(runs, number, factor=1.0):
    """Return the same table of another version, on which a barrier takes longer.

    How evenly the simulated barrier grows, other programs decide, from which a
    simulation takes the time of its computation: here it takes a step as usual.
    """
    return [
        run.model_copy(
            update={
                "id": uuid4(),
                "commit": Commit.model_validate_json(json.dumps(commit(number))),
                "results": tuple(
                    one.model_copy(update={"values": (factor * usual_barrier(run),)})
                    if one.region == REGION
                    else one
                    for one in run.results
                ),
            }
        )
        for run in runs
    ]


@needs_simgrid
def test_best_times_are_modelled_shown_tracked_and_gated(client, sessions, calibrated):
    for number in (1, 2, 3):
        record(sessions, at_commit(calibrated, number, factor=3 if number == 3 else 1))

    params = {"commit": sha(2), "metric": "t_max"}
    table = client.get("/p/simgrid", params=params)
    region = client.get(f"/p/simgrid/r/{REGION}", params=params)
    models = client.get(f"{API}/models", params={**params, "region": REGION}).json()
    history = client.get(
        f"{API}/history", params={"region": REGION, "metric": "t_max"}
    ).json()
    gates = [
        client.get(f"{API}/gate", params={**params, "commit": sha(number)}).json()
        for number in (2, 3)
    ]

    assert (table.status_code, region.status_code) == (200, 200)
    assert REGION in table.text
    assert "MPI_Allreduce" in table.text
    assert models
    assert len(history["commits"]) == 3
    assert gates[0]["outcome"] != "worse"
    assert REGION in {finding["region"] for finding in gates[1]["findings"]}
