import json
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from scalewatch.cli import main
from scalewatch.cli.files.model import SUMMARIES
from scalewatch.modelling import rules
from scalewatch.modelling.measurements.assumptions import Summary
from support.builders import result, run_report


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["model", *arguments], input=stdin)


def test_choices_are_those_of_the_modelling_core() -> None:
    assert set(SUMMARIES) == set(get_args(Summary))


def test_json_is_one_object_per_series_in_the_order_of_the_input(measurements) -> None:
    result = run(measurements, "--json", "--expect", "MPI_*=O(log p)")

    objects = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [each["region"] for each in objects] == [
        "MPI_Bcast",
        "MPI_Alltoall",
        "MPI_Barrier",
    ]
    assert list(objects[0]) == [
        "region",
        "metric",
        "unit",
        "configuration",
        "points",
        "repetitions",
        "model",
        "growth",
        "adjusted_r2",
        "smape",
        "class_probability",
        "expectation",
        "deviation_limit",
        "divergence",
        "verdict",
        "verdict_probability",
        "forecasts",
        "horizon",
        "reason",
        "rule",
        "unexplained",
        "misfit",
        "warm_up",
        "modes",
        "last_step",
        "outcome",
        "candidates",
        "separating",
        "excepted",
        "independent",
        "scaling",
    ]
    assert [each["verdict"] for each in objects] == ["match", "mismatch", "undecided"]
    assert objects[2]["model"] is None
    assert "2 of 5 settings" in objects[2]["reason"]


def test_table_in_a_pipe_is_plain_ascii(measurements) -> None:
    result = run(measurements, "--expect", "O(log p)", "--target", "p=1024")

    assert result.stdout.isascii()
    heading, *rows, total = result.stdout.splitlines()
    assert heading.split("  ")[0] == "region"
    assert "at p = 1024" in heading
    assert [row.split()[0] for row in rows] == [
        "MPI_Bcast",
        "MPI_Alltoall",
        "MPI_Barrier",
    ]
    assert "1 + 2 * log p" in rows[0]
    assert "mismatch (worse)" in rows[1]
    assert "2 of 5 settings" in rows[2]
    assert total.startswith("3 series: 1 match, 1 mismatch")


def test_without_expectation_there_is_no_verdict_to_show(measurements) -> None:
    result = run(measurements, "--formula")

    assert "verdict" not in result.stdout
    assert "no expectation" not in result.stdout
    assert result.stdout.splitlines()[-1].startswith("3 series: 2 without")


def test_standard_input_is_read(measurements) -> None:
    result = run("-", stdin=Path(measurements).read_text())

    assert result.exit_code == 0
    assert "MPI_Bcast" in result.stdout


def test_columns_of_a_table_can_be_told(tmp_path) -> None:
    path = tmp_path / "times.csv"
    rows = "".join(f"{p},{3 * p}\n" for p in (2, 4, 8, 16, 32))
    path.write_text(f"cores,how_long\n{rows}")

    result = run(str(path), "--column", "p=cores", "--column", "value=how_long")

    assert "3 * p" in result.stdout


def test_configuration_is_shown_where_it_differs(tmp_path) -> None:
    path = tmp_path / "times.csv"
    rows = "".join(
        f"{compiler},-O3,{p},{p}\n"
        for compiler in ("gcc", "clang")
        for p in (2, 4, 8, 16, 32)
    )
    path.write_text(f"compiler,flags,p,time\n{rows}")

    result = run(str(path))

    assert "compiler=gcc" in result.stdout
    assert "-O3" not in result.stdout


def test_unreadable_file_has_its_own_exit_code_and_the_others_are_modelled(
    measurements, tmp_path
) -> None:
    missing = str(tmp_path / "missing.txt")

    result = run(missing, measurements)

    assert result.exit_code == 3
    assert result.stderr.startswith(f"Error: cannot read {missing}: ")
    assert result.stderr.count("\n") == 1
    assert "MPI_Bcast" in result.stdout


def test_nothing_modelled_has_its_own_exit_code() -> None:
    result = run("-", stdin='{"params": {"p": 4}, "value": 1}')

    assert result.exit_code == 4
    assert "1 of 5 settings" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--expect", "O(log"], "Invalid value for '--expect': cannot read 'O(log'"),
        (["--expect", "MPI_Bcast="], "Invalid value for '--expect': cannot read ''"),
        (["--target", "65536"], "'65536' is not like p=65536"),
        (["--target", "p=-1"], "a setting is a positive number"),
        (["--column", "ranks"], "'ranks' is not like p=ranks"),
        (["--level", "1"], "1.0 is not in the range 0<x<1"),
        (["--space", "pmfn"], "'pmfn' is none of auto, expectation, pmnf, mpi, nor"),
        (["--space", "p, lgo p"], "cannot read 'lgo p'"),
        (["--rule", "guess"], "'guess' is not one of 'evidence', 'paper'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_says_what_is_right(measurements, arguments, complaint) -> None:
    result = run(measurements, *arguments)

    assert result.exit_code == 2
    assert complaint in result.stderr


def test_expectation_of_no_region_is_warned_about(measurements) -> None:
    result = run(measurements, "--expect", "MPI_Bcst=O(log p)", "--json")

    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: no region is 'MPI_Bcst'")


def test_target_without_the_parameter_is_warned_about(measurements) -> None:
    result = run(measurements, "--target", "n=10", "--json")

    assert result.stderr.startswith("Warning: a target needs p")


def test_deviation_without_an_expectation_is_warned_about(measurements) -> None:
    result = run(measurements, "--deviation", "O(p)", "--json")

    assert result.stderr.startswith("Warning: the deviation p")


@pytest.fixture
def costs(tmp_path) -> str:
    """A file with a region that costs most now, and one that grows fastest."""
    path = tmp_path / "costs.csv"
    rows = "".join(f"setup,{p},1000\nsolve,{p},{p}\n" for p in (2, 4, 8, 16, 32))
    path.write_text(f"region,p,time\n{rows}")
    return str(path)


def regions(result: Result) -> list[str]:
    return [json.loads(line)["region"] for line in result.stdout.splitlines()]


def test_regions_are_ranked_by_their_cost_at_the_target_or_by_growth(costs) -> None:
    near = run(costs, "--rank", "--target", "p=64", "--json")
    far = run(costs, "--rank", "--target", "p=65536", "--json")

    assert regions(near) == ["setup", "solve"]
    assert regions(far) == regions(run(costs, "--rank", "--json")) == ["solve", "setup"]
    shares = [json.loads(line)["share"] for line in near.stdout.splitlines()]
    assert shares == pytest.approx([1000 / 1064, 64 / 1064], rel=0.01)


def test_the_ranked_table_shows_the_share_of_the_whole(costs) -> None:
    heading, first, *_ = run(costs, "--rank", "--target", "p=64").stdout.splitlines()

    assert heading.split()[:2] == ["region", "share"]
    assert first.split()[:2] == ["setup", "94.0%"]


def test_only_what_grows_faster_than_a_threshold_is_listed(costs) -> None:
    assert regions(run(costs, "--worse-than", "O(log p)", "--json")) == ["solve"]

    nothing = run(costs, "--worse-than", "O(p)")

    assert nothing.exit_code == 0
    assert nothing.stdout.count("\n") == 1
    assert "solve" not in nothing.stdout


def test_series_without_a_model_are_not_ranked_in_silence(measurements) -> None:
    result = run(measurements, "--worse-than", "O(p)")

    assert result.stderr.startswith("Warning: 1 series")
    assert "MPI_Barrier" not in result.stdout


def test_what_would_settle_an_undecided_verdict_is_told_with_its_cost(tmp_path) -> None:
    path = tmp_path / "noisy.csv"
    values = (1.1, 0.7, 1.6, 1.2, 2.6, 1.5, 1.4, 2.9, 1.7, 3.1)
    rows = zip((2, 4, 8, 16, 32), values[::2], values[1::2], strict=True)
    path.write_text(
        "p,time\n" + "".join(f"{p},{one}\n{p},{two}\n" for p, one, two in rows)
    )
    asked = (str(path), "--expect", "O(p)", "--next")

    (found,) = map(json.loads, run(*asked, "--json").stdout.splitlines())
    table = run(*asked).stdout

    assert found["verdict"] == "undecided"
    proposal = found["next_measurement"]
    assert (
        f"{proposal['repetitions']} repetitions at p = {proposal['at']['p']} " in table
    )
    assert f"{proposal['hours']:.2g} core-hours" in table


def test_a_settled_verdict_needs_no_further_measurement(measurements) -> None:
    result = run(measurements, "--expect", "O(log p)", "--next", "--json")

    found = json.loads(result.stdout.splitlines()[0])
    assert (found["verdict"], found["next_measurement"]) == ("match", None)


def test_growths_of_ones_own_compete(costs) -> None:
    result = run(costs, "--space", "1, O(log p)", "--json")

    growths = [json.loads(line)["growth"] for line in result.stdout.splitlines()]
    assert growths == ["1", "log p"]


def test_what_follows_from_an_expectation_can_be_widened(tmp_path) -> None:
    cubic = tmp_path / "cubic.csv"
    cubic.write_text("p,time\n" + "".join(f"{p},{p**3}\n" for p in (2, 4, 8, 16, 32)))
    asked = (str(cubic), "--rule", "paper", "--expect", "O(p)", "--json", "--space")

    growths = [
        json.loads(run(*asked, space).stdout)["growth"]
        for space in ("expectation", "expectation, p^3")
    ]

    assert growths == ["p^(7/4) log p", "p^3"]


@pytest.mark.parametrize("space", ["auto", "expectation", "pmnf", "mpi", "pmnf, p^5"])
def test_every_space_answers(measurements, space) -> None:
    result = run(measurements, "--space", space, "--expect", "O(log p)", "--json")

    assert json.loads(result.stdout.splitlines()[0])["growth"] == "log p"


@pytest.mark.parametrize("summary_of_repetitions", SUMMARIES)
@pytest.mark.parametrize("rule", rules.RULES)
def test_every_rule_answers_with_every_summary(
    measurements, rule, summary_of_repetitions
) -> None:
    result = run(
        measurements, "--rule", rule, "--summary", summary_of_repetitions, "--json"
    )

    assert result.exit_code == 0
    assert json.loads(result.stdout.splitlines()[0])["growth"] == "log p"


@pytest.fixture
def messages(tmp_path) -> str:
    """Messages of an all-to-all exchange, each counted three times."""
    path = tmp_path / "messages.jsonl"
    lines = [
        {
            "params": {"p": p},
            "callpath": "exchange",
            "metric": "messages",
            "value": p * (p - 1) // 2,
        }
        for p in (4, 8, 16, 32, 64, 128)
        for _ in range(3)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_exact_counts_are_told_as_a_formula(messages) -> None:
    result = run(messages, "--json", "--target", "p=65536", "--expect", "O(p)")

    (found,) = map(json.loads, result.stdout.splitlines())
    assert (found["rule"], found["outcome"]) == ("exact", "exact")
    assert found["model"]["formula"] == "p*(p-1)/2"
    assert (found["growth"], found["verdict"]) == ("p^2", "mismatch")
    assert found["forecasts"] == [
        {"at": {"p": 65536}, "value": 2147450880, "low": 2147450880}
        | {"high": 2147450880, "level": 0.9}
    ]


def test_exact_counts_can_be_taken_as_noisy(messages) -> None:
    result = run(messages, "--json", "--noisy")

    (found,) = map(json.loads, result.stdout.splitlines())
    assert (found["rule"], found["outcome"]) == ("evidence", None)


def test_single_counts_are_exact_if_somebody_says_so(tmp_path) -> None:
    path = tmp_path / "calls.jsonl"
    lines = [
        {"params": {"p": p}, "callpath": "f", "metric": "calls", "value": p - 1}
        for p in (4, 8, 16, 32, 64)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    guessed, said = run(str(path), "--json"), run(str(path), "--json", "--exact")

    assert json.loads(guessed.stdout)["rule"] == "evidence"
    assert "--exact" in guessed.stderr
    assert json.loads(said.stdout)["model"]["formula"] == "p - 1"
    assert not said.stderr


def test_run_files_say_which_counts_are_exact(tmp_path) -> None:
    path = tmp_path / "runs.jsonl"
    said = {"send": True, "wait": False}
    runs = [
        run_report(
            coordinate={"p": p},
            results=[
                result(
                    region=name, metric="count", unit="1", values=[p - 1], exact=exact
                )
                for name, exact in said.items()
            ],
        )
        for p in (4, 8, 16, 32, 64)
    ]
    path.write_text("".join(each.model_dump_json() + "\n" for each in runs))

    answered = run(str(path), "--json").stdout.splitlines()

    found = {each["region"]: each for each in map(json.loads, answered)}
    assert found["send"]["model"]["formula"] == "p - 1"
    assert found["wait"]["rule"] == "evidence"


FEW = "p,time\n" + "".join(
    f"{p},{seconds}\n"
    for p, seconds in [(32, 8), (32, 8.1), (64, 4.4), (64, 4.38), (128, 2.5)]
)


def test_few_settings_have_factors_and_efficiency(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text(FEW)

    table = run(str(path))
    lines = run(str(path), "--json")

    assert table.exit_code == 0
    assert "3 of 5 settings: p = 16 and 256" in table.stdout
    assert "80 ± 3" in table.stdout
    steps = json.loads(lines.stdout)["steps"]
    assert [(step["from"], step["to"]) for step in steps] == [
        (32, 64),
        (64, 128),
        (32, 128),
    ]
    assert steps[-1]["low"] < 2.5 / 8.05 < steps[-1]["high"]


def test_few_settings_are_compared_with_an_earlier_version(tmp_path):
    path, earlier = tmp_path / "few.csv", tmp_path / "earlier.csv"
    path.write_text(FEW)
    earlier.write_text(FEW.replace(",8", ",6").replace(",4.4", ",3.3"))

    lines = run(str(path), "--since", str(earlier), "--json")

    since = json.loads(lines.stdout)["since"]
    assert since["growth_after"] is None
    assert since["low"] < since["factor"] < since["high"]
