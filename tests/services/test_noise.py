import numpy as np
import pytest
from sqlalchemy import select

from builders import PROCESSES, sweep_reports
from recorded import record_runs
from scalewatch.modelling.noise import USUAL
from scalewatch.modelling.pooling import LEAST_SERIES
from scalewatch.services import analysis
from scalewatch.services.jobs import Subject
from scalewatch.services.learning import learned
from scalewatch.services.pooling import Pool
from scalewatch.storage import tables


def switching(regions):
    """Return regions that take half as long again from some number of processes on."""
    return {
        f"region {number}": lambda p, at=PROCESSES[1 + number % 4]: (
            (1e-6 + 1e-6 * p) * (1.5 if p > at else 1)
        )
        for number in range(regions)
    }


def test_series_of_a_machine_tell_that_no_model_fits_them(session):
    record_runs(session, sweep_reports(growths=switching(LEAST_SERIES)))

    analysis.record(session, analysis.analyse(session, Subject(1, 1)))

    models = session.scalars(select(tables.Model)).all()
    assert len(models) == LEAST_SERIES
    for model in models:
        assert model.noise["widening"] > 1.2
        assert model.noise["shares"][0] < USUAL.shares[0]


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

    answers = analysis.analyse(session, Subject(1, 1)).answers

    assert len(answers) == half
    assert all((answer.noise != USUAL) is is_told for answer in answers)


def test_grids_that_models_fit_are_of_the_usual_noise():
    settings = np.array([[p, n] for p in PROCESSES for n in (10.0, 20.0)])
    grid = Pool(("p", "n"), settings, np.ones((len(settings), 3)))

    assert learned([grid] * LEAST_SERIES) == USUAL
