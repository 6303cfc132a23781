"""Analyses of commits of which more and more series were measured.

Every number of series has the same mix of growths: what a series costs depends on which
it has, and 25 drawn apart from 50 cost another share.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

import numpy as np
from benchmarks import truths
from benchmarks.analysis import reports
from benchmarks.growing_works import Work
from sqlalchemy import Engine, select

from scalewatch.services.analysis import analysis
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.storage import tables
from scalewatch.storage.database.session import sessions_of

SERIES: Final = (25, 50, 100, 200, 400, 800, 1600)
SEED: Final = 20261123


@contextmanager
def wide_analyses(engine: Engine) -> Iterator[list[Work]]:
    """Yield the analysis for each number of series, in a transaction taken back."""
    rng, p = np.random.default_rng(SEED), truths.processes(6)
    sessions = sessions_of(engine)
    with sessions.writing() as session:
        found = []
        mix = truths.mpi_like(SERIES[0], p, rng).curve(p)
        for series in SERIES:
            curves = np.tile(mix, (series // SERIES[0], 1))
            values = truths.measure(
                lambda _, curves=curves: curves, p, truths.skewed(0.05), rng
            )
            ids = [uuid4() for _ in p]
            described = [
                report.model_copy(update={"id": own, "project": f"wide {series}"})
                for own, report in zip(ids, reports(p, values), strict=True)
            ]
            record_prepared(session, map(prepare, described))
            place = session.execute(
                select(tables.Run.commit_id, tables.Run.machine_id).where(
                    tables.Run.uuid == ids[0]
                )
            ).one()
            subject = AnalysedCommit(*place)

            def analyse(_: int, subject: AnalysedCommit = subject) -> None:
                analysis.record(session, analysis.analyse(session, subject))

            found.append(analyse)
        yield found
        session.rollback()
