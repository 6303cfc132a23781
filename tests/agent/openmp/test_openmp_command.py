"""`scalewatch-agent openmp`: real kernels, compiled and run with real threads."""

import json
import os
import random
import shutil
from statistics import median

import pytest
from click.testing import CliRunner

from scalewatch.cli import main as scalewatch
from scalewatch.wire import RunReport
from scalewatch_agent.cli import main
from scalewatch_agent.machine import processors
from scalewatch_agent.openmp.measuring import (
    build_kernels,
    measure,
    measure_in_turns,
    uncertainty,
)
from scalewatch_agent.openmp.plan import KINDS, Job, usual_threads
from support.agent_sentences import OPENMP as SAID

CORES = processors()
QUICK = ("--repetitions", "8", "--elements", "200000", "--width", "100,200")

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc"))),
    reason="no C compiler: apt-get install gcc",
)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return build_kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def script(tmp_path):
    """Make a compiler of a shell script."""

    def make(line):
        compiler = tmp_path / "compiler"
        compiler.write_text(f"#!/bin/sh\n{line}\n")
        compiler.chmod(0o755)
        return str(compiler)

    return make


def openmp(*words, **variables):
    return CliRunner().invoke(main, ["openmp", *map(str, words)], env=variables)


@pytest.mark.usefixtures("spool_folder")
def test_sweep_posts_every_repetition_with_its_uncertainty(receiver):
    threads = f"1,{CORES + 1}"

    done = openmp("-t", threads, *QUICK, "--server", receiver.url)

    assert done.exit_code == 0, done.output
    runs = [RunReport.model_validate_json(json.dumps(run)) for run in receiver.runs]
    regions = [result.region for run in runs for result in run.results]
    assert len(runs) == 2 * (1 + 1 + 2)
    assert sorted(set(regions)) == sorted(
        region for kind in KINDS.values() for region in kind.regions
    )
    assert {run.suite for run in runs} == {"openmp"}
    assert {run.project for run in runs} <= {"openmp-gcc", "openmp-clang"}
    for run in runs:
        is_crowded = run.coordinate["threads"] > CORES
        for result in run.results:
            assert len(result.values) == 8
            assert result.procedure.oversubscribed is is_crowded
            is_overhead = result.metric == "overhead"
            assert (result.procedure.uncertainty is not None) is is_overhead
            if not is_overhead:
                assert min(result.values) > 0
            if result.metric == "bandwidth":
                assert (result.unit, result.better) == ("B/s", "higher")
    points = {run.coordinate.get("N") for run in runs}
    assert points == {None, 100**2, 200**2}
    assert " ± " in done.stdout
    assert "oversubscribed" in done.stdout


@pytest.mark.usefixtures("spool_folder")
def test_file_of_runs_and_json_lines(tmp_path):
    out = tmp_path / "runs.jsonl"

    done = openmp(
        *("-t", "1", "--part", "overheads", *QUICK),
        *("--out", out, "--json", "--machine", "m"),
    )

    assert done.exit_code == 0, done.output
    (line,) = done.stdout.splitlines()
    (run,) = out.read_text().splitlines()
    assert json.loads(line)["state"] == "written"
    assert json.loads(line)["results"][0]["procedure"]["uncertainty"] >= 0
    assert RunReport.model_validate_json(run).machine.name == "m"


@pytest.mark.usefixtures("spool_folder")
def test_solver_is_judged_by_the_model_composed_of_its_parts(tmp_path):
    out = tmp_path / "runs.jsonl"
    formula = "cg = 13*8*N/triad + 2*parallel + 2*reduction"
    widths = ("--width", "100,150,200,250,300")

    done = openmp("-t", f"1,{CORES + 1}", *QUICK, *widths, "--out", out)
    # A busy machine disturbs these times, which is not what this is about.
    out.write_text(out.read_text().replace('"disturbed":true', '"disturbed":false'))
    told = CliRunner().invoke(
        scalewatch, ["model", str(out), "--compose", formula, "--json"]
    )

    assert done.exit_code == told.exit_code == 0, told.output
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    (cg,) = (line for line in lines if line["region"] == "cg")
    assert {each["at"]["threads"] for each in cg["composed"]["points"]} == {1}
    assert {at["threads"] for at in cg["composed"]["left_out"]} == {CORES + 1}
    # How close depends on the load of the machine; these factors only tell units.
    assert 0.1 < cg["composed"]["quotient"]["median"] < 10


def test_dry_run_tells_jobs_and_threads_that_share_cores():
    threads = f"1,{4 * CORES}"

    done = openmp("-t", threads, "--dry-run", "--width", "1000", "--part", "cg")
    jobs = openmp("-t", threads, "--dry-run", "--json", "--part", "stream")

    assert done.exit_code == jobs.exit_code == 0
    first, second = done.stdout.splitlines()
    assert first == SAID["job"]
    assert second.endswith(f"oversubscribed: {CORES} cores")
    plans = [json.loads(line) for line in jobs.stdout.splitlines()]
    assert [plan["oversubscribed"] for plan in plans] == [False, True]
    assert plans[0]["memory_bytes"] == 3 * 8 * 20_000_000


@pytest.mark.usefixtures("spool_folder")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("exit 1", "failed"),
        # A compiler that does not know -fopenmp, and one that ignores it.
        ('for w; do [ "$w" = -fopenmp ] && exec gcc --no-such "$@"; done', "failed"),
        ('exec gcc "$@" -fno-openmp', "failed"),
        # It makes a program that does not start.
        ('while [ "$1" != -o ]; do shift; done; echo > "$2"', "does not start"),
    ],
)
def test_compiler_without_openmp_is_one_line_and_nothing_is_posted(
    receiver, script, line, reason
):
    done = openmp("-t", "1", *QUICK, "--server", receiver.url, CC=script(line))

    assert done.exit_code == 6
    assert done.stderr.startswith(SAID["no OpenMP"])
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert receiver.runs == []


@pytest.mark.usefixtures("spool_folder")
def test_no_compiler_is_one_line_and_nothing_is_posted(receiver, tmp_path):
    done = openmp("-t", "1", "--server", receiver.url, PATH=str(tmp_path), CC="")

    assert done.exit_code == 6
    assert SAID["no compiler"] in done.stderr
    assert done.stderr.count("\n") == 1
    assert receiver.runs == []


def test_teams_of_another_size_are_failures(kernels, monkeypatch):
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    job = Job("overheads", threads=2, repetitions=2)

    outcome = measure(kernels.program, job, 60)

    assert outcome.measured == {}
    assert SAID["small team"] in outcome.failure


def test_job_that_takes_too_long_or_too_much_memory_says_so(kernels):
    endless = Job("cg", threads=1, repetitions=10**6, size=500)
    huge = Job("stream", threads=1, repetitions=1, size=10**15)

    assert measure(kernels.program, endless, 0.2).failure == (
        SAID["time limit"].format(0.2)
    )
    assert SAID["no memory"] in (measure(kernels.program, huge, 60).failure)


@pytest.mark.usefixtures("spool_folder")
def test_failed_job_is_posted_with_its_reason(receiver):
    done = openmp(
        *("-t", "1", "--part", "cg", "--width", "700", "--repetitions", "100000"),
        *("--time-limit", "0.1", "--server", receiver.url),
    )

    assert done.exit_code == 4
    (run,) = receiver.runs
    (result,) = run["results"]
    assert (result["status"], result["region"]) == ("failed", "cg")
    assert result["reason"] == SAID["time limit"].format(0.1)


def test_repetitions_are_divided_into_turns_of_all_jobs(kernels):
    jobs = [Job("cg", 1, 6, 100), Job("overheads", 1, 2)]

    cg, overheads = measure_in_turns(kernels.program, jobs, 60)

    assert [jobs[0].share(turn, 4).repetitions for turn in range(4)] == [2, 2, 1, 1]
    assert len(cg.measured["cg"]) == 6
    assert {len(values) for values in overheads.measured.values()} == {2}
    # The solver's last turn comes after the first one of the overheads.
    assert cg.ended_at > overheads.started_at


def test_job_that_fails_has_no_more_turns(kernels):
    endless, quick = Job("cg", 1, 10**6, 500), Job("overheads", 1, 4)

    failed, fine = measure_in_turns(kernels.program, [endless, quick], 2)

    assert failed.failure == SAID["time limit"].format(2)
    assert failed.measured == {}
    assert len(fine.measured["parallel"]) == 4


def test_kernels_are_compiled_once(tmp_path):
    first = build_kernels(tmp_path)
    made = first.program.stat().st_mtime_ns

    assert build_kernels(tmp_path) == first
    assert first.program.stat().st_mtime_ns == made
    assert list(tmp_path.iterdir()) == [first.program]
    assert first.compiler in {"gcc", "clang", "icx"}
    assert first.version[0].isdecimal()


def test_user_places_threads_otherwise(kernels, receiver, spool_folder):  # noqa: ARG001
    done = openmp(
        *("-t", "1", "--part", "overheads", *QUICK, "--server", receiver.url),
        OMP_PROC_BIND="close",
    )

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["configuration"] == {"placement": "close"}


def test_uncertainty_covers_the_median_of_most_samples():
    rng = random.Random(7)  # noqa: S311 - no secret
    hits = 0
    for _ in range(1000):
        values = [rng.expovariate(1) for _ in range(20)]
        ordered = sorted(values)
        half = uncertainty(values)
        assert half <= (ordered[-1] - ordered[0]) / 2
        hits += abs(median(values) - 0.693147) <= 2 * half

    assert hits >= 950
    assert uncertainty([3.0, 1.0]) == 1.0


def test_usual_threads_end_at_the_cores():
    assert usual_threads(1) == (1,)
    assert usual_threads(2) == (1, 2)
    assert usual_threads(6) == (1, 2, 4, 6)
    assert usual_threads(8) == (1, 2, 4, 8)


def test_variables_of_a_job_are_none_of_the_agent(kernels):
    before = dict(os.environ)

    measure(kernels.program, Job("overheads", threads=1, repetitions=2), 60)

    assert dict(os.environ) == before
