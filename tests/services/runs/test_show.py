from datetime import UTC, datetime
from uuid import UUID

import pytest

from scalewatch.errors import NotFound
from scalewatch.services.runs.show import recorded_run
from support.builders import result, run_report
from support.recorded import failed_result, record

ID = UUID(int=1)


def test_run_tells_where_it_was_measured_and_how(sessions):
    procedure = {
        "synchronisation": "barrier",
        "oversubscribed": True,
        "repetitions_asked": 400,
        "late": 3,
    }
    moment = datetime(2026, 11, 3, 14, 5, tzinfo=UTC)
    job = {"scheduler": "slurm", "id": "123", "started_at": moment.isoformat()}
    record(sessions, [run_report(job=job, results=[result(procedure=procedure)])])

    with sessions.reading() as session:
        run = recorded_run(session, ID, "mpich")
    assert run.machine == "jureca"
    assert run.coordinate == {"p": 4}
    assert run.fingerprint == {"cores": 128}
    assert run.job == {"scheduler": "slurm", "id": "123", "started_at": moment}
    (measured,) = run.results
    assert measured.middle == pytest.approx(1.2e-5)
    assert (measured.count, measured.asked, measured.late) == (3, 400, 3)
    assert measured.flags == ("oversubscribed", "barrier-synchronised")


def test_failed_result_has_a_reason_and_no_numbers(sessions):
    record(sessions, [run_report(results=[failed_result()])])

    with sessions.reading() as session:
        (failed,) = recorded_run(session, ID, "mpich").results
    assert (failed.count, failed.middle) == (0, None)
    assert failed.reason == "it deadlocked"


def test_run_of_another_project_is_not_found(sessions):
    record(sessions, [run_report()])

    with sessions.reading() as session, pytest.raises(NotFound):
        recorded_run(session, ID, "openmpi")
