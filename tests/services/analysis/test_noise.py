import numpy as np
import pytest
from sqlalchemy import func, select

from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.noise.learn import LEAST_SERIES
from scalewatch.services.analysis import analysis, noise
from scalewatch.services.analysis.noise import Gathered, learned
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage import tables
from scalewatch.storage.runs import runs
from support.builders import PROCESSES, sweep_reports
from support.recorded import record_runs


def switching(regions):
    """Return regions that take half as long again from some number of processes on."""
    return {
        f"region {number}": lambda p, at=PROCESSES[1 + number % 4]: (
            (1e-6 + 1e-6 * p) * (1.5 if p > at else 1)
        )
        for number in range(regions)
    }


def test_series_are_gathered_by_their_settings_and_lack_what_others_have():
    short = SeriesPool(("p",), np.array([[4.0], [16]]), np.array([[1.0], [2]]))
    long = SeriesPool(("p",), np.array([[8.0], [16]]), np.array([[3.0, 4], [5, 6]]))

    gathered = Gathered.of([short, long])

    lacking = np.nan
    np.testing.assert_array_equal(gathered.settings, [[4], [8], [16]])
    np.testing.assert_array_equal(
        gathered.values,
        [
            [[1, lacking], [lacking, lacking], [2, lacking]],
            [[lacking, lacking], [3, 4], [5, 6]],
        ],
    )


def test_series_of_a_machine_tell_that_no_model_fits_them(session):
    record_runs(session, sweep_reports(growths=switching(LEAST_SERIES)))

    analysis.record(session, analysis.analyse(session, AnalysedCommit(1, 1)))

    (noise,) = session.scalars(select(tables.Assumption.noise))
    assert noise["future"] >= 0.5
    assert noise["shares"][0] < USUAL.shares[0]


def recorded(session, regions, **fields):
    record_runs(session, sweep_reports(growths=switching(regions), **fields))


@pytest.mark.parametrize(
    ("day", "machine", "is_told"),
    [(1, "jureca", True), (3, "jureca", False), (1, "jusuf", False)],
)
def test_older_commits_of_the_machine_tell_it_too(session, day, machine, is_told):
    half = LEAST_SERIES // 2
    recorded(session, half, commit={"sha": "b", "committed_at": "2026-09-02T12:00:00Z"})
    recorded(
        session,
        half,
        commit={"sha": "a", "committed_at": f"2026-09-0{day}T12:00:00Z"},
        machine={"name": machine, "fingerprint": {}},
    )

    answers = analysis.analyse(session, AnalysedCommit(1, 1)).answers

    assert len(answers) == half
    assert all((answer.noise != USUAL) is is_told for answer in answers)


SERIES = 2 * LEAST_SERIES


def growing(regions):
    return {
        f"region {number}": lambda p, number=number: (
            1e-6 * (1 + number + p ** (number % 3))
        )
        for number in range(regions)
    }


def released(session, day, seed, **fields):
    """Record a release and analyse it; return what was assumed of its noise."""
    growths = fields.pop("growths", growing(SERIES))
    day_of = f"2026-09-{day:02}T12:00:00Z"
    commit = {"sha": f"v{day}", "committed_at": day_of}
    receipts = record_runs(
        session, sweep_reports(growths=growths, seed=seed, commit=commit, **fields)
    )
    return analysed(session, runs.described(session, receipts[0].run))


def analysed(session, run):
    subject = AnalysedCommit(run.commit_id, run.machine_id)
    analysis.record(session, analysis.analyse(session, subject))
    found = session.scalars(
        select(tables.Noise).where(tables.Noise.commit_id == run.commit_id)
    )
    return {row.metric: row for row in found}["time"]


def test_what_was_learned_is_assumed_of_the_next_commit(session):
    first = released(session, 1, seed=1)
    second = released(session, 2, seed=2)

    assert (first.age, second.age) == (0, 1)
    assert second.learned == first.learned
    one, other = session.scalars(select(tables.Assumption.noise))
    assert one.pop("typical") != other.pop("typical")
    assert one == other


@pytest.mark.parametrize(
    "changes",
    [
        {"machine": {"name": "jureca", "fingerprint": {"cores": 256}}},
        {"processes": (*PROCESSES, 128)},
        {"growths": switching(SERIES)},
    ],
    ids=["hardware", "settings", "misfit"],
)
def test_noise_is_learned_anew_when_something_has_changed(session, changes):
    released(session, 1, seed=1)

    assert released(session, 2, seed=2, **changes).age == 0


def test_noise_is_learned_anew_after_some_commits(session, monkeypatch):
    monkeypatch.setattr(noise, "MOST_REUSES", 2)

    ages = [released(session, day, seed=day).age for day in range(1, 6)]

    assert ages == [0, 1, 2, 0, 1]


def test_another_analysis_assumes_the_same(session):
    for day in (1, 2):
        released(session, day, seed=day)
    columns = [c for c in tables.Model.__table__.c if c.name != "modelled_at"]
    models = select(*columns).order_by(*tables.Model.__table__.primary_key)
    before = session.execute(models).all()

    ages = [analysed(session, run).age for run in session.scalars(first_runs())]

    assert ages == [0, 1]
    assert session.execute(models).all() == before


def first_runs():
    firsts = select(func.min(tables.Run.id)).group_by(tables.Run.commit_id)
    return select(tables.Run).where(tables.Run.id.in_(firsts)).order_by(tables.Run.id)


def test_grids_that_models_fit_are_of_the_usual_noise():
    settings = np.array([[p, n] for p in PROCESSES for n in (10.0, 20.0)])
    grid = SeriesPool(("p", "n"), settings, np.ones((len(settings), 3)))

    assert learned([grid] * LEAST_SERIES) == USUAL
