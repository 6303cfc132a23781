"""The solver of examples/multigrid: closed forms, and its growth under SMPI."""

import json
from math import log2
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main as scalewatch
from scalewatch_agent.cli import main
from support.simgrid import SWITCH, needs_simgrid

EXAMPLE = Path(__file__).parents[3] / "examples" / "multigrid"
CELLS = 16
COUNTED = ("--set", f"n={CELLS}", "--repeats", "1", "--computation", "none")
ANY_NETWORK = ("--platform", SWITCH)

pytestmark = needs_simgrid


def solved(folder, *options, least=2, most=256):
    """Run the example at so many processes; return the file of its runs."""
    out = folder / "runs.jsonl"
    path = folder / "multigrid.yaml"
    text = (EXAMPLE / "multigrid.yaml").read_text()
    text = text.replace("from: 8, to: 256", f"from: {least}, to: {most}")
    path.write_text(text.replace("{source}", str(EXAMPLE)))
    words = ["run", str(path), "--folder", str(folder / "jobs")]
    done = CliRunner().invoke(main, [*words, "--out", str(out), *COUNTED, *options])
    assert done.exit_code == 0, done.output
    return out


def values(run):
    return {result["metric"]: result["values"][0] for result in run["results"]}


@pytest.mark.parametrize("most", [64, pytest.param(1024, marks=pytest.mark.thorough)])
def test_levels_and_messages_equal_their_closed_forms_and_iterations_are_constant(
    folder, most
):
    out = solved(folder, *ANY_NETWORK, most=most)

    runs = [json.loads(line) for line in out.read_text().splitlines()]
    assert [run["coordinate"]["p"] for run in runs] == [
        2**k for k in range(1, int(log2(most)) + 1)
    ]
    for run in runs:
        p, counted = run["coordinate"]["p"], values(run)
        assert counted["levels"] == log2(CELLS) + log2(p) + 1
        assert counted["messages"] == (p - 1) * (12 * log2(CELLS) + 26) - 12 * log2(p)
        assert counted["iterations"] == 12
    expected = ("levels=O(log p)", "iterations=O(1)", "exchange=O(p)")
    options = [word for text in expected for word in ("--expect", text)]
    done = CliRunner().invoke(
        scalewatch, ["model", str(out), "--json", "--exact", *options]
    )
    verdicts = {
        finding["region"]: finding["verdict"]
        for finding in map(json.loads, filter(None, done.stdout.splitlines()))
        if finding["metric"] != "time"
    }
    assert verdicts == dict.fromkeys(("levels", "iterations", "exchange"), "match")


@pytest.mark.thorough
def test_time_of_many_cells_grows_like_the_levels(folder):
    out = solved(folder, "--set", "n=256", least=8)

    words = ["model", str(out), "--json", "--expect", "cycle=O(log p)"]
    done = CliRunner().invoke(scalewatch, words)
    findings = map(json.loads, filter(None, done.stdout.splitlines()))
    (cycle,) = (each for each in findings if each["region"] == "cycle")
    assert cycle["verdict"] == "match"


@pytest.mark.parametrize("p", [1, pytest.param(1024, marks=pytest.mark.thorough)])
def test_messages_are_exact_on_one_process_and_on_a_thousand(p, folder):
    run = json.loads(solved(folder, *ANY_NETWORK, "--set", f"p={p}").read_text())

    counted = values(run)
    assert counted["messages"] == (p - 1) * (12 * log2(CELLS) + 26) - 12 * log2(p)
    assert counted["levels"] == log2(CELLS) + log2(p) + 1


def test_number_of_processes_that_is_no_power_of_two_is_told(folder):
    words = ["run", str(EXAMPLE / "multigrid.yaml"), "--folder", str(folder / "jobs")]
    out = folder / "runs.jsonl"

    options = (*COUNTED, *ANY_NETWORK, "--set", "p=6", "--out", str(out))
    done = CliRunner().invoke(main, [*words, *options])

    assert done.exit_code == 4
    assert "error: 16 cells and 6 processes: both are to be powers of two" in (
        out.read_text()
    )
