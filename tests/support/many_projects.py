"""Many projects with long histories and regressions, written as rows."""

from datetime import UTC, datetime, timedelta

import numpy as np

from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions
from support.histories import shift_details

SERIES = 10
REGRESSIONS = 20
"""Of each project; a half of them is open."""

STATES = ("open", "acknowledged", "open", "fixed")


def record_many_projects(
    sessions: Sessions, projects: int = 70, commits: int = 400
) -> None:
    """Write projects of which each commit has locations, and every twentieth a change.

    The newest commit is of today, the others a day before one another.
    """
    draw = np.random.default_rng(1)
    for number in range(projects):
        with sessions.writing.begin() as session:
            _record(session, f"code-{number:02d}", commits, draw)


def _record(session, name, commits, draw):
    def added(row):
        session.add(row)
        session.flush()
        return row.id

    project = added(tables.Project(name=name))
    machine = added(tables.Machine(project_id=project, name="juwels"))
    fingerprint = added(tables.Fingerprint(machine_id=machine, digest=name, facts={}))
    configuration = added(
        tables.Configuration(project_id=project, digest=name, settings={})
    )
    grid = added(tables.Grid(digest=name, parameters=["p"], settings=[[4], [8], [64]]))
    newest = datetime.now(UTC)
    shas = [f"{name.encode().hex()}{at:020x}".rjust(40, "0") for at in range(commits)]
    ids = [
        added(
            tables.Commit(
                project_id=project,
                sha=sha,
                parents=shas[at - 1 : at] if at else [],
                message=f"Change {at} of {name}",
                committed_at=newest - timedelta(days=commits - at),
            )
        )
        for at, sha in enumerate(shas)
    ]
    series = [
        added(
            tables.Series(
                machine_id=machine,
                configuration_id=configuration,
                region=f"solver::kernel_{at}",
                metric="time",
                unit="s",
                better="lower",
            )
        )
        for at in range(SERIES)
    ]
    session.execute(
        tables.Location.__table__.insert(),
        [
            {
                "series_id": each,
                "commit_id": commit,
                "fingerprint_id": fingerprint,
                "grid_id": grid,
                "log": np.round(draw.normal([-3, -2.5, -1], 0.02), 5).tolist(),
            }
            for each in series
            for commit in ids
        ],
    )
    for at in range(REGRESSIONS):
        commit = ids[at * commits // REGRESSIONS]
        regression = added(
            tables.Regression(
                project_id=project,
                kind="constant",
                is_worse=True,
                is_sure=True,
                state=STATES[at % len(STATES)],
                first_commit_id=commit,
                last_commit_id=commit,
                fixed_commit_id=ids[-1] if at % len(STATES) == 3 else None,
                sentence="a kernel takes longer",
            )
        )
        session.execute(
            tables.Shift.__table__.insert(),
            [
                {
                    "regression_id": regression,
                    "series_id": each,
                    "first_commit_id": commit,
                    "last_commit_id": commit,
                    "details": shift_details(
                        largest_factor=round(float(draw.uniform(1.1, 3)), 3)
                    ).to_json(),
                }
                for each in draw.choice(series, 3, replace=False).tolist()
            ],
        )
