"""`scalewatch import` with a real server."""

import json

import httpx2
import pytest
from click.testing import CliRunner, Result

from scalewatch.cli import main
from support.live import PATIENCE, ask

pytestmark = pytest.mark.usefixtures("user")

ORIGIN = ("--project", "code", "--machine", "jureca", "--commit", "v1.2")
NOBODY = "http://127.0.0.1:9"


def import_files(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["import", *arguments], catch_exceptions=False)


def test_measurements_of_a_foreign_file_are_posted_once(server, measurements):
    said = ("--branch", "main", "--author", "Ada", "--message", "Search by trees")
    options = (measurements, *ORIGIN, *said, "--server", server)

    first = import_files(*options)
    again = import_files(*options)

    assert first.exit_code == 0, first.stderr
    assert first.stdout.startswith("6 runs with 14 results")
    assert first.stdout.endswith(f" {server}/p/code\n")
    assert again.exit_code == 0, again.stderr
    (commit,) = ask(f"{server}/api/v1/projects/code/commits").json()["commits"]
    assert (commit["sha"], commit["branch"]) == ("v1.2", "main")
    assert (commit["author"], commit["message"]) == ("Ada", "Search by trees")
    (machine,) = commit["machines"]
    assert machine["name"] == "jureca"
    assert [at["p"] for at in machine["coordinates"]] == [2, 4, 8, 16, 32, 64]
    assert ask(f"{server}/api/v1/status").json()["runs"] == 6


def test_names_of_a_commit_are_taken_as_they_are_or_lose_themselves_alone(
    measurements,
):
    names = ("--branch", "feature/x", "--author", "x" * 300, "--message", "Go")

    done = import_files(measurements, *ORIGIN, *names, "--dry-run", "--json")

    assert done.exit_code == 0
    commits = {
        json.dumps(json.loads(line)["commit"]) for line in done.stdout.splitlines()
    }
    assert [*map(json.loads, commits)] == [
        {"sha": "v1.2", "branch": "feature/x", "message": "Go"}
    ]
    assert done.stderr.count("Warning: commit.author") == 1


def test_dry_run_posts_nothing(measurements):
    done = import_files(measurements, *ORIGIN, "--dry-run", "--server", NOBODY)

    assert done.exit_code == 0, done.stderr
    assert "6 runs with 14 results" in done.stdout


def test_server_that_is_away_is_said(measurements):
    done = import_files(measurements, *ORIGIN, "--server", NOBODY)

    assert done.exit_code == 4
    assert "Connection refused" in done.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("nonsense\n", "is of no known format"),
        (
            "p,metric,value\n-2,time,1.5\n",
            "measured.csv is no run: coordinate.p: -2 is not positive",
        ),
    ],
)
def test_file_that_makes_no_run_posts_nothing(tmp_path, content, complaint):
    path = tmp_path / "measured.csv"
    path.write_text(content)

    done = import_files(
        *(str(path), *ORIGIN, "--server", NOBODY),
    )

    assert done.exit_code == 3
    assert complaint in done.stderr


def test_dry_run_prints_the_runs_that_are_posted(measurements, server):
    options = (measurements, *ORIGIN, "--server", server)

    shown = import_files(*options, "--dry-run", "--json")
    import_files(*options)

    runs = [json.loads(line) for line in shown.stdout.splitlines()]
    answer = httpx2.post(f"{server}/api/v1/runs", json=runs, timeout=PATIENCE)
    assert [run["coordinate"]["p"] for run in runs] == [2, 4, 8, 16, 32, 64]
    assert answer.status_code == 200, answer.text
    assert {one["state"] for one in answer.json()} == {"known"}


def test_files_of_the_same_settings_are_runs_of_their_own(tmp_path, server):
    """A third repetition beside two that were imported doubles neither."""
    options = ("--path", "p{p}.{rep}.csv", *ORIGIN, "--server", server)
    for repetition in (1, 2):
        path = tmp_path / "runs" / f"p4.{repetition}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("metric,value\ntime,1.5\n")
    import_files(str(path.parent), *options)
    (path.parent / "p4.3.csv").write_text("metric,value\ntime,1.25\n")

    done = import_files(str(path.parent), *options)

    assert "3 runs with 3 results" in done.stdout, done.stderr
    assert ", 2 of" in done.stdout
    assert ask(f"{server}/api/v1/status").json()["runs"] == 3


def test_sound_files_are_posted_beside_broken_ones(tmp_path, server):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.csv").write_text("p,time\n2,1\n-4,2\n")
    (folder / "b.csv").write_text("p,time\n2,one\n")
    (folder / "c.csv").write_text("p,time\n8,3\n")

    done = import_files(str(folder), *ORIGIN, "--server", server)

    assert done.exit_code == 3
    assert "at p = -4 of" in done.stderr
    assert "b.csv: line 2: " in done.stderr
    assert "2 runs with 2 results" in done.stdout


def test_time_below_zero_is_posted_as_a_failed_run(tmp_path):
    path = tmp_path / "measured.csv"
    path.write_text("p,time\n2,1.5\n4,-1\n")

    shown = import_files(str(path), *ORIGIN, "--dry-run", "--json")

    assert "a time below zero is none" in shown.stderr
    runs = [json.loads(line) for line in shown.stdout.splitlines()]
    values = [result.get("values") for run in runs for result in run["results"]]
    assert values[0] == [1.5]
    assert not any(value and min(value) < 0 for value in values)


def test_more_files_than_are_held_at_once_are_posted_once(tmp_path, server):
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(450):
        (folder / f"{number}.csv").write_text(
            f"p,time\n{number % 9 + 1},{number + 1}\n"
        )

    first = import_files(str(folder), *ORIGIN, "--server", server)
    again = import_files(str(folder), *ORIGIN, "--server", server)

    assert "450 runs with 450 results" in first.stdout, first.stderr
    assert ", 450 of" not in first.stdout
    assert ", 450 of" in again.stdout
    assert ask(f"{server}/api/v1/status").json()["runs"] == 450


def test_profiles_reach_the_hotspots(tmp_path, server):
    path = tmp_path / "profiles.csv"
    path.write_text("p,function,seconds\n4,f,1\n4,g,1\n8,f,1\n8,g,4\n")
    options = ("--profile", "--at", "n=100", "--server", server)

    done = import_files(str(path), *ORIGIN, *options)

    assert done.exit_code == 0, done.stderr
    assert "2 runs" in done.stdout
    assert "4 functions" in done.stdout
    shown = ask(f"{server}/api/v1/projects/code/hotspots").json()
    assert shown["chosen"]["functions"] == ["f", "g"]
    assert shown["chosen"]["seconds"] == [[1, 1], [1, 4]]


def test_parameters_that_vary_together_are_all_kept(tmp_path, server):
    path = tmp_path / "weak.csv"
    path.write_text("p,n,seconds\n2,100,1.0\n4,200,1.1\n8,400,1.3\n")

    done = import_files(str(path), *ORIGIN, "--server", server)

    assert done.exit_code == 0, done.stderr
    (commit,) = ask(f"{server}/api/v1/projects/code/commits").json()["commits"]
    (machine,) = commit["machines"]
    assert machine["coordinates"] == [
        {"n": 100, "p": 2},
        {"n": 200, "p": 4},
        {"n": 400, "p": 8},
    ]


def test_profile_of_anything_but_time_posts_nothing(tmp_path):
    path = tmp_path / "memory.csv"
    path.write_text("p,function,memory\n4,f,1\n")

    done = import_files(str(path), *ORIGIN, "--profile", "--server", NOBODY)

    assert done.exit_code == 3
    assert "f has memory" in done.stderr


def test_failed_job_is_posted_as_failed_without_its_number(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("p,time,status\n2,1.5,COMPLETED\n4,0.1,TIMEOUT\n")

    done = import_files(str(path), *ORIGIN, "--dry-run", "--json")

    good, bad = (json.loads(line)["results"] for line in done.stdout.splitlines())
    assert good[0]["values"] == [1.5]
    assert (bad[0]["status"], bad[0]["values"]) == ("failed", [])
    assert "failed" in bad[0]["reason"]


def test_direction_of_a_metric_without_a_unit_is_posted(tmp_path):
    path = tmp_path / "rates.csv"
    path.write_text("p,throughput\n2,0.9\n")

    done = import_files(str(path), *ORIGIN, "--dry-run", "--json")

    [posted] = json.loads(done.stdout)["results"]
    assert posted["better"] == "higher"


def test_tables_that_nothing_tells_apart_are_named(tmp_path):
    for name, seconds in (("a", 1), ("b", 3), ("c", 5)):
        (tmp_path / f"{name}.csv").write_text(f"p,time\n4,{seconds}\n8,{seconds}\n")

    mixed = import_files(str(tmp_path), *ORIGIN, "--dry-run")
    apart = import_files(
        str(tmp_path), *ORIGIN, "--dry-run", "--path", "{case:word}.csv"
    )

    assert f"Note: {tmp_path}/b.csv and 1 more" in mixed.stderr
    assert "Note" not in apart.stderr


def test_many_errors_of_one_reason_are_counted(tmp_path):
    rows = "".join(f"{p},0,1.5\n" for p in range(2, 12))
    (tmp_path / "t.csv").write_text(f"p,n,time\n{rows}16,8,1.5\n")

    done = import_files(str(tmp_path / "t.csv"), *ORIGIN, "--dry-run")

    assert done.exit_code == 3
    assert done.stderr.count("coordinate.n: 0 ") == 3
    assert "Error: 7 more" in done.stderr
