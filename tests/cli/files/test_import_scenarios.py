"""What teams have, imported with one command, and judged with the next."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from scalewatch.cli import main
from support.asv_results import BENCHMARK, asv_results, sha
from support.live import ask
from support.samples import sample

pytestmark = pytest.mark.usefixtures("user")

OF_OSU = (
    *("--column", "metric=osu_exe", "--column", "value=result", "--column", "n=size"),
    *("--column", "ignore=msg_size", "--better", "osu_bw=higher"),
)


class Scenario(NamedTuple):
    """What is imported how, and a series of it that is judged."""

    folder: str
    options: tuple[str, ...]
    region: str
    metric: str
    promise: str
    verdict: str
    exit_code: int = 0
    commit: str = "v1"


# Five or six single values of curves that bend do not settle a growth: what bends them
# may be the code or its machine.
SCENARIOS = {
    "castro": Scenario(
        "tables/Castro/flame_wave/scaling/frontier",
        ("--machine", "frontier"),
        *("program", "time", "O(nodes^-1)", "undecided"),
    ),
    "gromacs": Scenario(
        "reframe/perflogs-3.2",
        ("--name", "{region}_csd3_{**}"),
        *("Gromacs_HECBioSim_61k_atoms", "wall_t", "O(p^-1)", "mismatch"),
    ),
    "hpcg": Scenario(
        "jube/jubench-hpcg/eval",
        ("--machine", "jureca"),
        *("program", "GF_Total", "O(p)", "match"),
    ),
    "osu": Scenario(
        "jube/jubench-osu",
        ("--machine", "jureca", *OF_OSU),
        *("program", "osu_bw", "O(1)", "undecided"),
        exit_code=3,  # messages of no bytes are no problem size
    ),
    "thicket": Scenario(
        "caliper/thicket/mpi_scaling_cali",
        (),
        *("main", "time", "O(1)", "undecided"),
    ),
    "extra-p": Scenario(
        "cube/extrap/single_parameter",
        ("--machine", "here", "--path", "extra-p"),
        *("main->mat_mul", "time", "O(x)", "match"),
    ),
    "lammps": Scenario(
        "lammps/performance-study",
        ("--machine", "gke"),
        *("loop", "time", "O(p^-1)", "undecided"),
    ),
    "google-benchmark": Scenario(
        "google_benchmark/generated-1.9.5",
        ("--machine", "here", "--name", "{region}/{n}[/threads:{threads}]"),
        *("BM_reduce", "time", "O(n)", "match"),
        commit="0123456789abcdef0123456789abcdef01234567",  # as the file says
    ),
}


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def call(server: str) -> Callable[..., Result]:
    def call_command(*arguments: str) -> Result:
        runner = CliRunner()
        return runner.invoke(
            main, [*arguments, "--server", server], catch_exceptions=False
        )

    return call_command


@pytest.mark.parametrize("name", SCENARIOS)
def test_files_are_imported_with_one_command_and_judged_with_the_next(
    call, server, tmp_path: Path, name: str
) -> None:
    told = SCENARIOS[name]
    promises = tmp_path / "scalewatch.toml"
    promises.write_text(
        f'project = "{name}"\n[expectations]\n"{told.region}" = '
        f'{{ growth = "{told.promise}", metric = "{told.metric}" }}\n'
    )
    origin = ("--project", name, "--commit", told.commit)

    imported = call(
        "import", sample(told.folder), *origin, "--skip-unmatched", *told.options
    )
    promised = call("expectations", "push", str(promises))
    judged = call("gate", *origin, "--wait", "120")

    assert promised.exit_code == 0, promised.stderr
    assert imported.exit_code == told.exit_code, imported.stderr
    assert "posted: http" in imported.stdout
    assert judged.exit_code in {0, 1, 2}, judged.stderr
    verdicts = {
        cell["standing"]["verdict"]
        for row in report(server, name, told.metric, told.commit)["rows"]
        for cell in row["cells"]
        if row["region"] == told.region
    }
    assert told.verdict in verdicts


def test_four_settings_have_factors_and_say_what_a_fifth_would_tell(
    call, server
) -> None:
    study = sample("lammps/performance-study")
    origin = ("--project", "lammps", "--machine", "gke", "--commit", "v1")

    call("import", study, *origin)
    call("gate", *origin[:2], *origin[4:], "--wait", "120")

    rows = report(server, "lammps", "time")["rows"]
    [cell] = next(row["cells"] for row in rows if row["region"] == "loop")
    assert cell["standing"]["reason"].startswith("4 of 5 settings: p = 28672")
    page = ask(f"{server}/p/lammps/r/loop", machine="gke").text
    assert "4 of 5 settings" in page
    assert "efficiency" in page.lower()


def test_thirty_commits_of_asv_are_a_history_with_its_change(
    call, server, tmp_path
) -> None:
    results = asv_results(
        tmp_path,
        30,
        lambda commit, p: (1e-3 + 2e-4 * p**0.5) * (1.25 if commit > 20 else 1),
    )

    imported = call(
        *("import", str(results), "--project", "halo", "--scan", "mpi_procs")
    )
    judged = call("gate", "--project", "halo", "--commit", sha(21), "--wait", "300")

    assert "180 runs with 180 results" in imported.stdout
    assert judged.exit_code == 1, judged.stderr
    assert "1.25 (1.24 to 1.26) times before" in judged.stdout
    history = ask(f"{server}/p/halo/history", region=BENCHMARK, format="json")
    assert sha(21) in history.text


def report(server: str, project: str, metric: str, commit: str = "v1") -> Any:
    return ask(
        f"{server}/api/v1/projects/{project}/report", commit=commit, metric=metric
    ).json()
