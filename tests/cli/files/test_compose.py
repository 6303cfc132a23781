"""`scalewatch model --compose`, on runs as `scalewatch-agent openmp` writes them."""

import json

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from support.openmp_runs import FORMULA, openmp_runs


@pytest.fixture
def file(tmp_path):
    def write(**fields):
        path = tmp_path / "runs.jsonl"
        path.write_text(
            "".join(f"{json.dumps(each)}\n" for each in openmp_runs(**fields))
        )
        return path

    return write


def model(path, *words):
    return CliRunner().invoke(main, ["model", str(path), *words])


def test_composed_model_is_the_expectation_in_json(file):
    done = model(file(factor=1.2), "--compose", f"cg = {FORMULA}", "--json")

    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    (cg,) = (line for line in lines if line["region"] == "cg")
    assert cg["expectation"] == FORMULA
    assert (cg["divergence"], cg["verdict"]) == ("1", "match")
    told = cg["composed"]
    assert told["quotient"]["median"] == pytest.approx(1.2)
    assert told["largest_deviation"] == pytest.approx(0.2)
    assert len(told["points"]) == 8
    assert {at["threads"] for at in told["left_out"]} == {16}
    assert not any("composed" in line for line in lines if line["region"] != "cg")


def test_composed_model_is_told_at_targets(file):
    asked = ("--compose", f"cg = {FORMULA}", "--target", "threads=8,N=9000000")
    lines = map(json.loads, model(file(), *asked, "--json").stdout.splitlines())
    (cg,) = (line for line in lines if line["region"] == "cg")
    (there,) = cg["composed"]["forecasts"]
    assert there["at"] == {"threads": 8, "N": 9e6}
    assert there["composed"] == pytest.approx(104 * 9e6 / (2e10 * 8**0.5) + 4 * 8e-6)
    assert there["low"] < there["measured"] < there["high"]
    assert "at N = 9000000, threads = 8: composed" in model(file(), *asked).stdout


def test_quotient_growth_and_verdict_stand_below_the_table(file):
    done = model(file(), "--compose", f"cg={FORMULA}")

    assert done.exit_code == 0, done.output
    assert f"cg = {FORMULA}" in done.stdout
    words = "measured/composed 1.00 to 1.00 (median 1.00) at 8 settings"
    assert f"{words}, grows like 1: match" in done.stdout
    assert "shared cores" in done.stdout


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("cg = 13*8*N/triadd", "did you mean 'triad'"),
        ("cg = 2*cg", "needs itself"),
        ("cg = 13*8*N*triad", "units do not fit"),
        ("triad = 2*cg", "it depends on N, which triad lacks"),
        ("conjugate = 2*parallel", "no region or parameter is 'conjugate'"),
    ],
)
def test_composition_that_cannot_be_is_one_line(file, formula, words):
    done = model(file(), "--compose", formula)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("formula", ["13*8*N", "cg = 13*/N", " = N", "cg ="])
def test_text_that_is_no_composition_is_wrong_usage(file, formula):
    done = model(file(), "--compose", formula)

    assert done.exit_code == 2
    assert "--compose" in done.stderr
