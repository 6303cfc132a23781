"""The sentence of a gate counts as pages do."""

from scalewatch.services.commit_reports.report import commit_report
from scalewatch.services.gates.decision import SeriesOutcome, Tally
from scalewatch.services.gates.wording import GateOutcome, sentence_of
from scalewatch.services.selection.view import View
from support.histories import TREE, record_commit

SERIES = 4_000


def test_thousands_of_series_are_grouped(sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    with sessions.reading() as session:
        report = commit_report(session, View("mpich"), None)
    suspected = {
        (str(number), "time", "node", ""): SeriesOutcome.SUSPECTED
        for number in range(SERIES)
    }

    said = sentence_of(GateOutcome.UNDECIDED, [], report, Tally(suspected))

    assert said == "4,000 of 4,000 series suspected of being worse: run again"
