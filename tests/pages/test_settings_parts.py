"""Machines and status of one project, below its settings."""

from support.builders import sweep_reports
from support.recorded import record
from support.shown_pages import words_of


def test_machines_and_status_are_those_of_the_project_alone(client, sessions):
    for project, machine in (("mine", "jureca"), ("theirs", "lumi")):
        record(
            sessions, sweep_reports((2, 4), project=project, machine={"name": machine})
        )

    machines = client.get("/p/mine/settings/machines").text
    status = client.get("/p/mine/settings/status").text

    assert "/p/mine/m/jureca" in machines
    assert "lumi" not in machines
    assert "All runs analysed" in words_of(status)
    assert "theirs" not in machines + status
    for name in ("Machines", "Status"):
        assert f">{name}</a>" in status
