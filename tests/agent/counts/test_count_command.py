"""`scalewatch-agent count`: sweeps, runs and their delivery."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import scalewatch.cli
from scalewatch_agent.cli import main
from scalewatch_agent.counts.gcov.gcov import FLAGS
from support.agent_sentences import COUNTS as SAID
from support.counting import compiled, count, counts
from support.experiments import experiment, run

EXAMPLES = Path(__file__).parents[3] / "examples" / "count"
ONE = ["count", "--commit", "v1", "--set", "n=1"]
LOOP = (
    "#include <stdlib.h>\nstatic volatile long sink;\n"
    "static void work(long n) { for (long i = 0; i < n; i++) sink += i; }\n"
    "int main(int c, char **words) { work(atol(words[1])); return 0; }\n"
)


@pytest.fixture
def program(workplace):
    (workplace / "program.c").write_text(LOOP)
    compiled(workplace, "program.c")
    return workplace


def example(folder, name, **changes):
    """Copy an example, so that its sweep lies elsewhere, and return its path."""
    content = yaml.safe_load((EXAMPLES / name).read_text()) | changes
    path = folder / name
    path.write_text(yaml.safe_dump(content | {"source": str(EXAMPLES)}))
    return path


def growths(folder, path):
    """Count an experiment and return what grows how, and as its authors say."""
    out = folder / "counts.jsonl"
    done = CliRunner().invoke(main, ["count", str(path), "--out", str(out)])
    assert done.exit_code == 0, done.output
    stated = tomllib.loads((EXAMPLES / "scalewatch.toml").read_text())["expectations"]
    expect = [
        word
        for region, one in stated.items()
        for word in ("--expect", f"{region}={one['growth']}")
    ]
    modelled = CliRunner().invoke(
        scalewatch.cli.main, ["model", "--exact", "--json", *expect, str(out)]
    )
    series = [json.loads(line) for line in modelled.stdout.splitlines()]
    return {(one["region"], one["metric"]): one for one in series if one["expectation"]}


def test_growths_of_the_example_are_those_that_its_authors_expect(workplace):
    found = growths(workplace, example(workplace, "kernels.yaml"))

    assert len(found) == 26
    assert {key: one["verdict"] for key, one in found.items()} == dict.fromkeys(
        found, "match"
    )
    assert {one["growth"] for one in found.values()} == {
        "1",
        "log n",
        "log^2 n",
        "n^(1/2)",
        "n",
        "n log n",
        "n^(3/2)",
        "n^2",
        "n^2 log n",
        "n^3",
        "2^n",
    }
    assert found["pairs › loop 2", "count"]["model"]["formula"] == "n*(n-1)/2"
    assert found["affine › loop 1", "count"]["model"]["formula"] == "3*n + 7"
    assert found["towers", "count"]["model"]["formula"] == "2^n - 1"


def test_growths_of_the_example_in_fortran_are_those_that_its_authors_expect(workplace):
    if shutil.which("gfortran") is None:
        pytest.skip("no gfortran: apt-get install -y gfortran")

    found = growths(workplace, example(workplace, "fortran.yaml"))

    assert {key: one["verdict"] for key, one in found.items()} == {
        ("kernels::matrix › loop 2", "count"): "match",
        ("kernels::tree", "count"): "match",
        ("kernels::bits › loop 1", "count"): "match",
        ("kernels::doubled › loop 2", "count"): "match",
    }


@pytest.mark.parametrize("by", [(), ("--by", "rank")], ids=["together", "by rank"])
def test_counts_add_up_over_processes(workplace, openmpi, by):
    launcher = {"mpiexec": str(openmpi.mpiexec)}
    path = example(
        workplace,
        "messages.yaml",
        launcher=launcher,
        parameters={"p": [1, 4, 9], "n": [36]},
    )
    out = workplace / "counts.jsonl"

    done = CliRunner().invoke(main, ["count", str(path), "--out", str(out), *by])

    assert done.exit_code == 0, done.output
    reports = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(reports) == 3
    for one in reports:
        p = one["coordinate"]["p"]
        assert not any("procedure" in each for each in one["results"])
        found = counts(one)
        assert found["main"] == p
        assert found["everybody › loop 1"] == p * (p - 1)
        assert found["tree › loop 1"] == p * (p - 1).bit_length()
        assert found["ring › MPI_Send"] == found["tree › MPI_Send"] == p - 1
        assert found["ring › MPI_Recv"] == found["tree › MPI_Recv"] == p - 1
        assert found["everybody › MPI_Sendrecv_replace"] == p * (p - 1)
        assert found["main › MPI_Init"] == found["main › MPI_Finalize"] == p
        assert found["each › loop 1"] == 36 * p
        assert found["share › loop 1"] == 36
        largest = counts(one, "count_max")
        assert largest.get("share › loop 1") == (36 / p if by else None)
        assert largest.get("each › loop 1") == (36 if by else None)


@pytest.mark.usefixtures("program")
def test_run_of_counts_is_exact_and_says_where_and_how(receiver):
    words = ["count", "--commit", "v1", "--server", receiver.url, "--project", "code"]

    done = CliRunner().invoke(
        main, [*words, "--set", "n=1,2,4,8,16", "--", "./program", "{n}"]
    )

    assert done.exit_code == 0, done.output
    assert [one["coordinate"] for one in receiver.runs] == [
        {"n": n} for n in (1, 2, 4, 8, 16)
    ]
    first = receiver.runs[0]
    assert (first["project"], first["suite"]) == ("code", "program")
    assert first["configuration"] == {"counted_by": "gcov", "optimisation": "-O2"}
    assert first["job"]["environment"]["compiler"].startswith("GNU C")
    loop = next(one for one in first["results"] if one["region"] == "work › loop 1")
    assert (loop["metric"], loop["unit"], loop["values"]) == ("count", "1", [1.0])
    assert loop["exact"] is True
    assert loop["location"]["file"] == "program.c"
    assert loop["location"]["line"] == 3


@pytest.mark.usefixtures("program")
def test_runs_wait_in_the_spool_while_the_server_is_away(nobody, spool_folder):
    done = CliRunner().invoke(
        main,
        [
            "count",
            "--commit",
            "v1",
            "--server",
            nobody,
            "--set",
            "n=1",
            "--",
            "./program",
            "{n}",
        ],
    )

    assert done.exit_code == 3
    assert "1 run not delivered" in done.stderr
    assert len(list(spool_folder.glob("*.json*"))) == 1


def test_counts_of_ten_jobs_are_equal(program):
    _, runs = count(program, "./program", "{n}", options=["--repeats", "10"])

    assert len(runs) == 10
    assert len({json.dumps(one["results"], sort_keys=True) for one in runs}) == 1


def test_experiment_is_compiled_to_count_and_by_run_to_be_timed(folder, receiver):
    (folder / "program.c").write_text(LOOP)
    path = experiment(
        folder,
        parameters={"n": [3]},
        compile="gcc -O1 {cflags} -o program {source}/program.c && echo '{cflags}'",
        execute="{compile}/program {n}",
        results=[{"pattern": "(never)", "region": "all", "unit": "s"}],
    )

    done = CliRunner().invoke(main, ["count", str(path), "--server", receiver.url])
    run(path, receiver.url)

    assert done.exit_code == 0, done.output
    counted, timed = receiver.runs
    assert counts(counted) == {"main": 1, "work": 1, "work › loop 1": 3}
    assert counted["configuration"]["optimisation"] == "-O1"
    assert timed["results"][0]["reason"] == SAID["nothing matches"]
    assert not list(folder.joinpath("sweep.sweep").rglob("*.gcno"))


def test_experiment_without_results_can_be_counted_only(folder, receiver):
    (folder / "program.c").write_text(LOOP)
    path = experiment(folder, execute="{experiment}/program 3")
    content = yaml.safe_load(path.read_text())
    del content["results"]
    path.write_text(yaml.safe_dump(content))

    timed = run(path, receiver.url)

    assert timed.exit_code == 2
    assert timed.stderr.endswith(SAID["no results"])


def test_compiler_that_is_missing_is_the_reason_of_the_failed_run(folder, receiver):
    path = experiment(folder, compile="no-such-compiler {cflags} program.c")

    done = CliRunner().invoke(main, ["count", str(path), "--server", receiver.url])

    assert done.exit_code == 4
    (reason,) = {one["results"][0]["reason"] for one in receiver.runs}
    assert SAID["no compiler"] in reason
    assert "no-such-compiler: " in reason


def test_flags_are_printed_for_builds_of_ones_own():
    done = CliRunner().invoke(main, ["count", "--flags"])

    assert (done.exit_code, done.stdout) == (0, f"{FLAGS}\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--", "./program"], "What varies?"),
        (["--set", "n", "--", "./program"], "'n' is not NAME=VALUE,VALUE,…"),
        (["--set", "n=1,,2", "--", "./program"], "'n=1,,2' is not NAME=VALUE"),
        (["-p", "0", "--", "./program"], "'0' is not a whole number from 1."),
        (["--set", "n=1", "--", "./program", "{m}"], "there is no parameter 'm'"),
        (["--set", "cflags=1", "--", "./program"], "have a meaning already"),
        (["--set", "n=0,1", "--", "./program"], "0 is no coordinate"),
        (["-p", "1", "kernels.yaml"], "The process counts are those of kernels.yaml"),
        (["missing.yaml"], "missing.yaml: No such file"),
        (["--set", "n=1", "--launcher", "slurm", "--", "./a"], "needs an EXPERIMENT"),
        ([], "Missing argument"),
    ],
)
def test_wrong_command_line_is_refused_before_anything_runs(
    workplace, words, complaint
):
    done = CliRunner().invoke(main, ["count", "--commit", "v1", *words])

    assert done.exit_code == 2
    assert complaint in done.stderr
    assert not list(workplace.iterdir())


def test_few_settings_are_told(program):
    done, _ = count(program, "./program", "{n}", settings=["n=1,2,3,4"])

    assert SAID["few settings"] in done.stderr


def test_out_file_that_cannot_be_written_is_refused_before_anything_runs(program):
    out = program / "missing" / "runs.jsonl"

    done = CliRunner().invoke(
        main,
        [
            "count",
            "--commit",
            "v1",
            "--set",
            "n=1",
            "--out",
            str(out),
            "--",
            "./program",
            "{n}",
        ],
    )

    assert done.exit_code == 2
    assert SAID["unwritable file"] in done.stderr


def test_interrupted_count_leaves_neither_processes_nor_folders(
    workplace, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    Path(os.environ["TMPDIR"]).mkdir()
    tempfile.tempdir = None
    words = [sys.executable, "-m", "scalewatch_agent", "count", "--commit", "v1"]
    words += ["--out", "runs.jsonl", "--set", "n=600", "--", "sleep", "{n}"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as agent:
        started = Path(os.environ["TMPDIR"])
        for _ in range(3000):
            if list(started.rglob("stdout")):
                break
            time.sleep(0.01)
        agent.send_signal(signal.SIGINT)
        _, said = agent.communicate(timeout=60)

    assert agent.returncode == 130
    assert said.endswith("Interrupted.\n")
    assert (workplace / "runs.jsonl").read_text() == ""
    assert not list(started.iterdir())


def test_regions_are_named_on_a_narrow_terminal_however_many_settings_there_are(
    program, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")

    done, _ = count(program, "./program", "{n}", settings=["n=1,2,3,4,5,6,7,8,9,10"])

    assert "main" in done.output
    assert SAID["hidden settings"] in done.output
