"""A growth that is only one of several is not what a history shows."""

from math import log2

from scalewatch.services.histories.histories import history_of
from support.builders import sweep_reports
from support.odd_projects import commit
from support.recorded import record
from support.service_sentences import SAID


def test_history_of_noise_names_no_growth(sessions, client):
    for number in (1, 2):
        reports = sweep_reports(
            (2, 4, 8, 16, 32, 64),
            {"solve": lambda p: 1e-3 * (1 + 0.15 * log2(p))},
            repetitions=8,
            noise=0.35,
            seed=number,
            project="odd",
            machine={"name": "steady"},
            commit=commit(number),
            configuration={},
        )
        record(sessions, reports)

    with sessions.reading() as session:
        (series,) = history_of(session, "odd", "solve", "time", "steady").series
    page = client.get("/p/odd/history?region=solve&machine=steady").text

    assert [each.growth for each in series.segments] == [None]
    assert SAID["no growth"] in page
