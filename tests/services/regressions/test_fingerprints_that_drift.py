"""Regressions on machines whose nodes differ in what drifts, and are renewed in parts.

Each machine has one region and so a history of its own. Its runs come from nodes drawn
at random; at two commits, not that of the regression, a part that matters is replaced,
and nothing moves.
"""

import numpy as np
import pytest

from scalewatch.services.common_mode.project_history import project_history
from scalewatch.services.regressions.detection import detect
from scalewatch.storage import machines, tables
from scalewatch.storage.histories import locations
from scalewatch.storage.histories.locations import Grid

COMMITS = 60
P = (2.0, 4.0, 8.0, 16.0, 32.0)
REGRESSION = 1.12
MARGIN = 12
NEAR = 2
"""Commits by which the detection may name another one."""

HOW_MANY = pytest.mark.parametrize(
    "number", [20, pytest.param(100, marks=pytest.mark.thorough)]
)


def fingerprint(rng, renewed):
    """Return the fingerprint of a node of a partition, renewed so many times."""
    return {
        "cpu": "AMD EPYC 7742 64-Core Processor",
        "cores": 128,
        "memory_bytes": 270_000_000_000 + int(rng.integers(-(10**9), 10**9)),
        "kernel": f"Linux 5.14.0-{rng.integers(300, 500)}.{rng.integers(9)}.1.el9_4",
        "microcode": hex(int(rng.integers(2**32))),
        "bogomips": float(rng.normal(4500, 30)),
        "hostname": f"jrc{rng.integers(1000):04d}",
        "mpi": f"Open MPI 5.0.{3 + renewed}",
    }


def record_machines(session, machines_in_all, regression):
    """Store locations of machines at all commits; return where each got slower."""
    rng = np.random.default_rng(12)
    project = tables.Project(name="mpich")
    session.add(project)
    session.flush()
    commits = [
        tables.Commit(
            project_id=project.id,
            sha=f"c{number:04d}",
            parents=[f"c{number - 1:04d}"] if number else [],
        )
        for number in range(COMMITS)
    ]
    configuration = tables.Configuration(
        project_id=project.id, digest="none", settings={}
    )
    session.add_all([*commits, configuration])
    session.flush()
    grid = Grid(("p",), tuple((p,) for p in P))
    planted = {}
    for number in range(machines_in_all):
        machine = tables.Machine(project_id=project.id, name=f"m{number:03d}")
        session.add(machine)
        session.flush()
        series = tables.Series(
            machine_id=machine.id,
            configuration_id=configuration.id,
            region="solve",
            metric="time",
            unit="s",
            better="lower",
        )
        session.add(series)
        session.flush()
        at = int(rng.integers(MARGIN, COMMITS - MARGIN))
        planted[machine.name] = at
        others = np.setdiff1d(np.arange(1, COMMITS), at)
        renewals = np.sort(rng.choice(others, 2, replace=False))
        log = np.log(P) + rng.normal(0, rng.uniform(0.003, 0.01), (COMMITS, len(P)))
        log += rng.normal(0, 0.003, (COMMITS, 1))
        log[at:] += np.log(regression)
        rows = []
        for position, commit in enumerate(commits):
            renewed = int((renewals <= position).sum())
            facts = fingerprint(rng, renewed)
            fingerprint_id = machines.fingerprint_id(session, machine.id, facts)
            row = session.get_one(tables.Fingerprint, fingerprint_id)
            rows.append(
                {
                    "series_id": series.id,
                    "commit_id": commit.id,
                    "fingerprint_id": row.state_id or row.id,
                    "grid": grid,
                    "log": log[position].tolist(),
                }
            )
        locations.put(session, rows)
    return project.id, planted


@HOW_MANY
def test_no_boundary_is_drawn_where_no_level_moved(sessions, number):
    with sessions.writing.begin() as session:
        project_id, _ = record_machines(session, number, 1.0)

    with sessions.reading() as session:
        histories = project_history(session, project_id).histories

        assert [len(each.positions) for each in histories] == [COMMITS] * number
        assert detect(session, project_id).baselines == ()


@HOW_MANY
def test_a_regression_is_found_whatever_the_nodes_are(sessions, number):
    with sessions.writing.begin() as session:
        project_id, planted = record_machines(session, number, REGRESSION)

    with sessions.reading() as session:
        detected = detect(session, project_id)
        states = session.query(tables.Fingerprint).filter_by(state_id=None).count()

    near = {
        each.history.series.machine
        for each in detected.changes
        if each.first - NEAR <= planted[each.history.series.machine] <= each.last + NEAR
        and each.is_worse
    }
    assert states == 3 * number
    assert len(near) >= 0.95 * number
