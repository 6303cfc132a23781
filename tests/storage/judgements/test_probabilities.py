from sqlalchemy import select

from scalewatch.services.runs.prepare import prepare
from scalewatch.services.runs.record import record_prepared
from scalewatch.storage import tables
from scalewatch.storage.judgements import probabilities
from scalewatch.storage.judgements.probabilities import NOTHING, Likely
from support.builders import run_report

FOUND = {
    3: Likely('{"p log p":0.75,"1":0.25}', '{"match":1.0}', 17),
    40: Likely('{"p\\t\\n\\"ü":1.0}'),
    5: NOTHING,
}


def test_probabilities_come_back_as_they_were():
    assert probabilities.decode(probabilities.encode(FOUND)) == FOUND
    assert probabilities.decode(probabilities.encode({})) == {}


def test_what_an_analysis_finds_replaces_what_the_one_before_found(session):
    record_prepared(session, [prepare(run_report())])
    commit, machine = (
        session.scalars(select(each.id)).one()
        for each in (tables.Commit, tables.Machine)
    )
    probabilities.put(session, commit, machine, FOUND)
    probabilities.put(session, commit, machine, {3: Likely('{"1":1.0}')})
    assert probabilities.at(session, commit) == {3: Likely('{"1":1.0}')}
    assert probabilities.at(session, commit + 1) == {}


def test_a_verdict_by_another_expectation_has_no_probability():
    assert FOUND[3].judged_by(17) == FOUND[3]
    assert FOUND[3].judged_by(16) == Likely('{"p log p":0.75,"1":0.25}')
    assert FOUND[3].judged_by(None) == Likely('{"p log p":0.75,"1":0.25}')
    assert NOTHING.judged_by(None) == NOTHING
