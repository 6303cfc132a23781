"""Machines of twelve regions that share their nights; two machines or three."""

from dataclasses import replace

import numpy as np
import pytest

from scalewatch.modelling.common_mode.origins import Origin, hosts
from scalewatch.services.common_mode.shared_moves import nights_of
from scalewatch.services.regressions.changes import watch
from support.machine_nights import P, region_history

REGIONS, COMMITS, AT = 12, 80, 60


def machine(number, *, seed=1, moved=0.0, missing=0.0, nights=0.04):
    rng = np.random.default_rng((seed, number))
    effect = rng.normal(0, nights, (COMMITS, 1))
    log = effect + rng.normal(0, 0.01, (REGIONS, COMMITS, P.size))
    log[:, AT:] += moved
    found = []
    for region, own in enumerate(log):
        there = np.flatnonzero(rng.random(COMMITS) >= missing)
        found.append(
            region_history(
                region, own[there], there.tolist(), machine=number, fingerprint=number
            )
        )
    return found


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_nights_of_a_machine_open_no_regression_and_are_told(missing):
    watched = watch(machine(1, missing=missing))

    assert watched.changes == ()
    assert watched.steps == ()
    (nights,) = watched.nights
    assert nights.machine == "machine-1"
    assert 0.02 < nights.spread < 0.08


def test_what_no_other_machine_shows_is_the_machines_and_no_regression():
    watched = watch([*machine(1, moved=0.3), *machine(2), *machine(3)])

    (step,) = watched.steps
    assert (step.machine, step.origin) == ("machine-1", Origin.MACHINE)
    assert abs(step.position - AT) <= 1
    assert step.factor == pytest.approx(np.exp(0.3), abs=0.05)
    assert watched.changes == ()


@pytest.mark.parametrize("seed", [9, 25, 42])
def test_a_machine_that_jumps_between_two_speeds_makes_no_steps(seed):
    is_slow = np.random.default_rng(seed).random(COMMITS) < 0.5
    jumping = [
        replace(each, log=each.log + 0.4 * is_slow[list(each.positions), np.newaxis])
        for each in machine(1, nights=0.02)
    ]

    watched = watch([*jumping, *machine(2), *machine(3)])

    assert watched.steps == ()


def test_what_other_machines_show_too_is_the_librarys():
    watched = watch([*machine(1, moved=0.3), *machine(2, moved=0.3), *machine(3)])

    assert {step.origin for step in watched.steps} == {Origin.LIBRARY}
    changed = {change.history.series.id for change in watched.changes}
    assert len(changed) == 2 * REGIONS


def test_environments_of_one_host_do_not_confirm_each_other():
    """Three environments of one job, entered as machines, and one other machine."""
    host = [
        replace(
            environment,
            series=environment.series._replace(
                id=1_000 * number + environment.series.id,
                machine_id=number,
                machine=f"machine-{number}",
            ),
            fingerprint_id=number,
        )
        for number in (1, 2, 3)
        for environment in machine(1, moved=0.3)
    ]

    watched = watch([*host, *machine(4)])
    alone = watch(host)

    assert {step.origin for step in watched.steps} == {Origin.MACHINE}
    assert watched.changes == ()
    assert {step.origin for step in alone.steps} == {Origin.UNDECIDED}


@pytest.mark.parametrize("seed", range(5))
def test_machines_with_nights_of_their_own_are_no_host(seed):
    machines = [
        nights_of(machine(number, seed=seed, moved=0.3)) for number in (1, 2, 3)
    ]

    assert hosts(machines, [1, 2, 3]) == [1, 2, 3]


def test_with_one_machine_it_is_undecided_and_regions_are_shown():
    watched = watch(machine(1, moved=0.3))

    (step,) = watched.steps
    assert step.origin is Origin.UNDECIDED
    assert len({change.history.series.id for change in watched.changes}) == REGIONS


def test_a_region_that_moves_alone_is_a_change_of_its_own():
    own = machine(1)
    own[4].log[AT:] += 0.15

    watched = watch(own)

    assert {change.history.region for change in watched.changes} == {"region-4"}
    assert watched.steps == ()


def test_a_step_too_small_for_each_machine_is_seen_by_three_together():
    own = [history for number in (1, 2, 3) for history in machine(number, nights=0.02)]
    for each in own:
        each.log[AT:] += 0.15 * (each.series.id % 100 < 8)
    until = AT + 6

    watched = watch(
        [replace(e, positions=e.positions[:until], log=e.log[:until]) for e in own]
    )

    assert {(s.machine, s.origin) for s in watched.steps} == {
        (f"machine-{number}", Origin.LIBRARY) for number in (1, 2, 3)
    }
    changed = {change.history.series.id % 100 for change in watched.changes}
    assert changed == set(range(8))


def test_regions_of_one_machine_at_other_settings_are_no_other_machine():
    own = machine(1, moved=0.3)
    other = [
        replace(each, settings=tuple((2 * p,) for (p,) in each.settings))
        for each in machine(1, seed=2, moved=0.3)
    ]

    watched = watch([*own, *other])

    assert {step.origin for step in watched.steps} == {Origin.UNDECIDED}


def test_a_region_with_two_modes_says_so_and_its_changed_share_is_a_change():
    regions = machine(1, nights=0.02)
    rng = np.random.default_rng(9)
    share = np.where(np.arange(COMMITS) < AT, 0.3, 1.0)
    upper = rng.random(COMMITS) < share
    region = regions[0]
    regions[0] = replace(region, log=region.log + 0.2 * upper[:, np.newaxis])

    watched = watch(regions)

    ((history, modes),) = watched.modes
    assert history is regions[0]
    assert np.exp(modes.apart) == pytest.approx(1.2, abs=0.05)
    (change,) = watched.changes
    assert change.shift.kind == "modes"
    assert change.first <= AT <= change.last
