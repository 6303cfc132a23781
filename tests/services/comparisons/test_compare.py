from math import log2

import pytest

from scalewatch.errors import NotFound, TooFewSides
from scalewatch.modelling import CONSTANT, Growth, VersionChange
from scalewatch.services.comparisons.compare import (
    changes_since_first,
    compare_sides,
    split_sides,
)
from scalewatch.services.comparisons.figures import compared_scalings
from scalewatch.services.comparisons.values import SideKind
from scalewatch.services.selection.view import View
from scalewatch.services.series.standing import State
from support.builders import sweep_reports
from support.recorded import PROCESSES, record, record_project

LOG = Growth.of("p", log=1)
LINEAR = Growth.of("p", power=1)


def compared(sessions, *names, **fields):
    with sessions.reading() as session:
        return compare_sides(session, View("openmpi", **fields), names)


def test_machines_are_aligned_by_region_with_growth_and_factor_apart(sessions):
    record_project(sessions)

    shown = compared(sessions, "node-shm", "node-tcp")

    rows = {row.region: row.places for row in shown.rows}
    assert shown.kind is SideKind.MACHINE
    assert shown.rows[0].region == "MPI_Barrier"  # most apart
    assert rows["MPI_Barrier"][1].against.growth == LINEAR / LOG
    assert rows["MPI_Barrier"][1].against.factor is None
    bcast = rows["MPI_Bcast"][1]
    assert bcast.against.growth == CONSTANT
    assert bcast.against.factor == pytest.approx(12, rel=0.02)
    assert bcast.at == 32
    assert bcast.ratio == pytest.approx((9 + 18 * 5) / (1 + 1.5 * 5), rel=0.02)


def test_what_is_missing_on_one_side_is_shown_as_missing(sessions):
    record_project(sessions)

    shown = compared(sessions, "node-shm", "node-tcp")

    gather = next(row for row in shown.rows if row.region == "MPI_Gather")
    assert gather.places[1].standing.state is State.UNMEASURED
    assert gather.places[1].against is None
    assert [side.missing for side in shown.sides] == [0, 1]


def test_rows_change_with_what_is_measured_of_their_commit(sessions):
    record_project(sessions)
    before = compared(sessions, "node-shm", "node-tcp")

    record(
        sessions,
        sweep_reports(
            PROCESSES,
            {"MPI_Gather": lambda p: 5e-6 * p},
            project="openmpi",
            commit={"sha": before.commit.sha},
            machine={"name": "node-tcp", "fingerprint": {"cores": 2}},
            configuration={"message_bytes": 256, "transport": "tcp"},
        ),
    )

    after = compared(sessions, "node-shm", "node-tcp")
    assert [side.missing for side in before.sides] == [0, 1]
    assert [side.missing for side in after.sides] == [0, 0]
    assert compared(sessions, "node-shm", "node-tcp").rows is after.rows


def test_commits_are_compared_machine_by_machine(sessions):
    record_project(sessions)
    slower = {"MPI_Bcast": lambda p: 2e-6 + 3e-6 * log2(p)}
    made = {"sha": "c" * 40, "committed_at": "2026-09-09T12:00:00Z"}
    machine = {"name": "node-shm", "fingerprint": {"cores": 2}}
    fixed = {"message_bytes": 256, "transport": "shm"}
    record(
        sessions,
        sweep_reports(
            PROCESSES,
            slower,
            repetitions=40,
            noise=0.002,
            project="openmpi",
            commit=made,
            machine=machine,
            configuration=fixed,
        ),
    )

    shown = compared(sessions, "v5.0.11", "c" * 40)

    row = next(
        row
        for row in shown.rows
        if (row.region, row.machine) == ("MPI_Bcast", "node-shm")
    )
    assert shown.kind is SideKind.COMMIT
    assert row.places[1].against.factor == pytest.approx(2, rel=0.02)
    names = [side.name for side in shown.sides]
    with sessions.reading() as session:
        alone = View("openmpi", machine="node-shm")
        drawn = compared_scalings(session, alone, "MPI_Bcast", names)
    assert [each.slot for each in drawn] == [side.slot for side in shown.sides]


def test_commits_tell_apart_configurations_and_by_which_factor_each_changed(sessions):
    sizes = (256, 4096)
    for commit, factor in (("c1", 1.0), ("c2", 1.3)):
        growths = {"MPI_Bcast": lambda p, f=factor: f * (1e-6 + 2e-6 * log2(p))}
        for size in sizes:
            fixed = {"message_bytes": size, "transport": "shm"}
            made = {"sha": commit, "committed_at": f"2026-09-0{commit[1]}T12:00:00Z"}
            runs = sweep_reports(
                PROCESSES,
                growths,
                repetitions=20,
                seed=size + int(commit[1]),
                project="openmpi",
                commit=made,
                configuration=fixed,
            )
            record(sessions, runs)

    shown = compared(sessions, "c1", "c2")

    assert {row.configuration["message_bytes"] for row in shown.rows} == set(sizes)
    assert all("transport" not in row.configuration for row in shown.rows)
    with sessions.reading() as session:
        for row in shown.rows:
            (found,) = changes_since_first(session, shown, row).values()
            assert found.factor == pytest.approx(1.3, rel=0.02)
            assert found.change() is VersionChange.LEVEL


@pytest.mark.parametrize("names", [(), ("node-shm",), ("node-shm", "node-shm")])
def test_one_side_is_not_enough(sessions, names):
    record_project(sessions)

    with pytest.raises(TooFewSides, match=r"first\.\.\.second"):
        compared(sessions, *names)


def test_what_is_neither_machine_nor_commit_is_unknown(sessions):
    record_project(sessions)

    with pytest.raises(NotFound, match="nonesuch"):
        compared(sessions, "node-shm", "nonesuch")


def test_an_address_names_its_sides():
    assert split_sides("juqueen...piz daint...v5.0.8") == (
        "juqueen",
        "piz daint",
        "v5.0.8",
    )
