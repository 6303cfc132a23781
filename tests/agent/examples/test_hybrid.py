"""The solver of examples/hybrid: processes and threads of a real MPI library."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main as scalewatch
from scalewatch_agent.cli import main
from scalewatch_agent.machine import processors
from scalewatch_agent.mpi.mpiexec import Launcher

EXAMPLE = Path(__file__).parents[3] / "examples" / "hybrid"

needs_cores = pytest.mark.skipif(
    processors() < 2, reason="on one core there is nothing to split"
)


@needs_cores
def test_all_splits_solve_the_same_and_the_best_one_is_named(openmpi, folder):
    out, jobs = folder / "runs.jsonl", folder / "jobs"

    done = CliRunner().invoke(
        main,
        [
            *("run", str(EXAMPLE / "hybrid.yaml"), "--mpiexec", str(openmpi.mpiexec)),
            *("--folder", str(jobs), "--out", str(out)),
            *("--set", "width=200", "--repeats", "2"),
        ],
    )
    # Whether others disturbed a job depends on the machine's load.
    out.write_text(out.read_text().replace('"disturbed":true', '"disturbed":false'))
    told = CliRunner().invoke(scalewatch, ["model", str(out), "--split", "p*threads"])

    assert done.exit_code == told.exit_code == 0, done.output + told.output
    residuals = [
        float(line.split()[1])
        for path in jobs.rglob("stderr")
        for line in path.read_text().splitlines()
        if line.startswith("residual ")
    ]
    assert len(residuals) == 6
    assert residuals == pytest.approx([residuals[0]] * 6, rel=1e-9)
    assert "cg: best split of p*threads\n  at 2: p = " in told.stdout


@needs_cores
def test_threads_of_a_process_have_cores_of_their_own(openmpi, tmp_path):
    script = tmp_path / "allowed"
    script.write_text("#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status\n")
    script.chmod(0o755)
    launcher = Launcher(openmpi, "shm", crowded=False)

    def allowed(threads):
        done = subprocess.run(
            launcher.program(1, str(script)),
            env=launcher.program_environment(1, threads),
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout.split()[-1]

    assert allowed(threads=1).isdecimal()
    assert not allowed(threads=2).isdecimal()
