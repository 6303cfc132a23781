"""`scalewatch model --dry-run`: what files hold, and where their settings come from."""

import pytest
from click.testing import CliRunner

from scalewatch.cli.files.model import command

TABLE = "nodes,gpus,bandwidth[GB/s]\n1,4,7\n2,4,14\n4,4,28\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    return lambda *options: CliRunner().invoke(command, ["t.csv", *options])


def test_dry_run_shows_where_each_setting_comes_from(run):
    done = run("--derive", "p = nodes * gpus", "--at", "n=9", "--dry-run")

    assert done.exit_code == 0, done.output
    for told in (
        "higher",
        "nodes=1 2 4 (content)",
        "p=4 8 16 (derived)",
        "n=9 (option)",
        "1 series, 3 values",
    ):
        assert told in done.output


def test_file_in_the_folder_has_the_same_keys(run, tmp_path):
    (tmp_path / "scalewatch.toml").write_text(
        '[import.csv]\nderive = { p = "nodes * 2" }\nat = { n = 5 }\n'
    )

    done = run("--dry-run")

    assert "p=2 4 8 (derived)" in done.output
    assert "n=5 (option)" in done.output


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ("[imports.csv]\n", "'imports' is unknown, is 'import' meant?"),
        ("import = 3\n", "import needs tables such as [import.osu]"),
        ("[import.cvs]\n", "'cvs' is unknown, is 'csv' meant?"),
        ("[import.csv]\nderiv = 1\n", "[import.csv]: 'deriv' is unknown"),
        ("[import.csv]\nat = 5\n", "[import.csv]: at 5 is not like p=8"),
        ("[import.csv]\nat = { p = -1 }\n", "at p=-1 is not positive"),
        ("[import.csv]\nderive = 5\n", "derive 5 is not like p = nodes * 4"),
        ("[import.csv]\nname = 5\n", "name 5 is not a text"),
        ("[import.csv]\npath = '{p'\n", "the pattern '{p' has a stray '{'"),
        ("[import.csv]\nscan = 5\n", "scan 5 is not like message_bytes"),
        ("[import.csv]\nskip_unmatched = 'yes'\n", "yes is not true or false"),
        ("[import.csv]\nbetter = 5\n", 'better 5 is not like { FOM = "higher" }'),
        (
            "[import.csv]\nbetter = { FOM = 'up' }\n",
            "[import.csv]: better FOM = up is not higher or lower",
        ),
        (
            "[import.csv]\nbetter = 'higher'\n[import.osu]\nbetter = 'lower'\n",
            "[import.osu] says that * is better lower, another format says higher",
        ),
        ("[import.csv\n", "scalewatch.toml: Expected ']'"),
    ],
)
def test_file_in_the_folder_that_means_nothing_is_one_line(
    run, tmp_path, stated, complaint
):
    (tmp_path / "scalewatch.toml").write_text(stated)

    done = run("--dry-run")

    assert done.exit_code == 2
    assert complaint in done.output


def test_direction_of_the_file_in_the_folder_yields_to_that_of_an_option(run, tmp_path):
    (tmp_path / "scalewatch.toml").write_text('[import.csv]\nbetter = "higher"\n')

    stated, overruled = (
        run("--dry-run", "--at", "p=4", *options)
        for options in ((), ("--better", "lower"))
    )

    assert "higher" in stated.output
    assert "higher" not in overruled.output


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--at", "p=no"), "at p=no is not like p=8"),
        (("--derive", "p = nodes ** 2"), "it is not like 'p = nodes * 4'"),
        (("--path", "{p"), "the pattern '{p' has a stray '{'"),
    ],
)
def test_option_that_cannot_be_understood_is_a_wrong_usage(run, options, complaint):
    done = run(*options)

    assert done.exit_code == 2
    assert complaint in done.output


def test_path_of_no_pattern_is_named_and_ends_with_3(run):
    done = run("--path", "run-{p}", "--dry-run")

    assert done.exit_code == 3
    assert "'run-{p}'" in done.output


@pytest.mark.parametrize(
    ("header", "options", "told"),
    [
        ("efficiency", ("--column", "value=efficiency"), " higher "),
        ("efficiency", (), " lower "),
        ("latency", (), " lower "),
        ("FOM", (), " higher "),
        ("grind", (), "lower (assumed)"),
        ("grind", ("--better", "grind=higher"), " higher "),
        ("bandwidth[GB/s]", ("--better", "lower"), " lower "),
    ],
)
def test_preview_says_which_way_a_metric_is_better(
    run, tmp_path, header, options, told
):
    (tmp_path / "t.csv").write_text(f"p,{header}\n4,0.5\n8,0.25\n")

    done = run("--dry-run", *options)

    assert told in done.output


@pytest.mark.parametrize(("better", "told"), [("lower", "worse"), ("higher", "better")])
def test_growth_that_is_missed_is_worse_or_better_by_direction(
    run, tmp_path, better, told
):
    rows = "".join(f"{p},{p**2 * 1.5}\n" for p in (4, 8, 16, 32, 64, 128))
    (tmp_path / "t.csv").write_text(f"p,FOM[it]\n{rows}")

    done = run("--expect", "O(p)", "--better", better)

    assert f"mismatch ({told})" in done.output


def test_parameters_that_vary_only_together_are_both_named(run, tmp_path):
    rows = [f"{p},{1000 * p},{1 + p}" for p in (2, 4, 8, 16, 32)]
    (tmp_path / "t.csv").write_text("\n".join(["p,n,time", *rows]))

    done, preview = run(), run("--dry-run")

    assert "Warning: n and p" in done.stderr
    assert "Warning: n and p" in preview.stderr
    (tmp_path / "t.csv").write_text("\n".join(["p,n,time", *rows, "2,4000,5"]))
    assert "Warning" not in run().stderr


def test_statistic_over_processes_that_there_is_not_is_a_wrong_usage(run, tmp_path):
    assert run("--across", "median").exit_code == 2
    (tmp_path / "scalewatch.toml").write_text("[import.cube]\nacross = 'median'\n")

    done = run("--dry-run")

    assert done.exit_code == 2
    assert "across median" in done.output
