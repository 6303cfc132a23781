"""Fingerprints drawn at random, of which most parts drift."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks import fingerprints
from benchmarks.truths_history import P, unchanged

from scalewatch.modelling.histories.histories import Histories, locations
from scalewatch.modelling.machines.levels import alike_states
from scalewatch.modelling.machines.states import changed_parts, is_same_state

MATTERING = {"compiler", "mpi", "gpu_driver", "governor"}


@pytest.mark.parametrize("seed", range(40))
def test_parts_that_drift_are_no_candidates(seed):
    draw = np.random.default_rng(seed)
    facts = fingerprints.fingerprints(draw, has_moved=False)

    for former, present in pairwise(facts):
        assert {*changed_parts(former, present)} <= MATTERING


@pytest.mark.parametrize("seed", range(20))
def test_quiet_history_of_drawn_fingerprints_has_no_boundary(seed):
    draw = np.random.default_rng(seed)
    log = locations(unchanged(1, fingerprints.COMMITS, draw))
    states = fingerprints.states_of(fingerprints.fingerprints(draw, has_moved=False))
    directions = Histories.of(P, log).directions

    alike = alike_states(log[0], states, directions, is_exact=False)

    assert {*alike.values()} == {1}


@pytest.mark.parametrize("seed", range(20))
def test_other_cores_or_another_cpu_are_a_candidate(seed):
    draw = np.random.default_rng(seed)
    facts = fingerprints.fingerprints(draw, has_moved=True)

    at = fingerprints.AT
    assert {*changed_parts(facts[at - 1], facts[at])} & {"cores", "cpu_model"}


@pytest.mark.parametrize(
    "name",
    [
        *("uptime_seconds", "MemFree", "mem_available_kb", "free_memory_gib"),
        *("SwapCached", "disk_used_bytes", "loadavg", "bootId", "cpuMHz"),
    ],
)
def test_part_that_drifts_is_known_by_any_spelling(name):
    assert is_same_state({"cores": 8, name: 12}, {"cores": 8, name: 99_999})


@pytest.mark.parametrize("name", ["memory", "cores", "mem_channels", "disks", "used"])
def test_part_that_matters_is_none_that_drifts(name):
    assert not is_same_state({name: 8}, {name: 12})
