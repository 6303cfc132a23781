import re
from uuid import UUID

from support.builders import run_report, sweep_reports
from support.odd_projects import gaps_and_disorder
from support.recorded import failed_result, record
from support.shown_pages import words_of

PROCESSES = (2, 4, 8, 16, 32)


def test_machine_without_a_successful_run_is_said_to_have_none(client, sessions):
    growths = {"solve": lambda p: 1e-3 * p}
    fine = sweep_reports(PROCESSES, growths, machine={"name": "fine"})
    failed = [
        run_report(
            id=str(UUID(int=p)),
            machine={"name": "broken"},
            coordinate={"p": p},
            results=[failed_result("solve")],
        )
        for p in PROCESSES
    ]
    record(sessions, [*fine, *failed])

    page = client.get("/p/mpich/compare/fine...broken?region=solve").text

    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))
    assert "solve grows like O(p) on fine; on broken it has no result: " in text
    assert "like –" not in text


def test_ratios_are_of_times_at_commits_and_on_machines(client, sessions):
    project = gaps_and_disorder(sessions)
    first, last = project.subjects.split("...")

    page = words_of(client.get(f"/p/odd/compare/{project.subjects}").text)

    assert f"Time at {last} over that at {first}" in page
