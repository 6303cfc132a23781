from dataclasses import replace

import numpy as np
import pytest

from scalewatch.modelling import extrapolations
from scalewatch.modelling.traces import (
    Rule,
    TracedProgram,
    conclusions,
    power_over,
)

P = np.array([4.0, 8, 16, 32, 64, 128])


def program(p=P, **fields):
    """Return a program whose time is linear and waits for nothing."""
    time = fields.pop("time", 2 * p)
    usual = TracedProgram(
        processes=p,
        time=time,
        rows=extrapolations(p, time) if p.size > 3 else (),
        location_rows={},
        mpi_time=2 * p,
        overhead=0 * p,
        late_sender=0 * p,
        late_receiver=0 * p,
        collective=0 * p,
        messages=10 * p,
        bytes=1000 * p,
        load_balance=None,
        is_calibrated=False,
    )
    return replace(usual, **fields)


def said(traced):
    return {each.rule: each for each in conclusions(traced)}


def test_linear_time_is_said_to_be_linear_and_extrapolated():
    found = said(program())

    assert list(found) == [Rule.LINEAR, Rule.USABLE]
    assert found[Rule.USABLE].evidence["d"] < 1e-6


def test_bend_names_the_locations_that_make_it_up():
    curve = P + 0.1 * P**2
    rows = {"receive": extrapolations(P, curve), "send": extrapolations(P, P)}

    found = said(program(time=curve, location_rows=rows))

    assert found[Rule.BENDS].evidence["share"] > 0.9
    assert [name for name, _ in found[Rule.BENDS].locations] == ["receive"]


@pytest.mark.parametrize(("a2", "rule"), [(-0.01, Rule.BENDS), (-1e-4, Rule.LINEAR)])
def test_bend_below_a_line_has_a_negative_share(a2, rule):
    curve = 2 * P + a2 * P**2

    share = said(program(time=curve))[rule].evidence["share"]

    assert share == pytest.approx(a2 * P[-1] ** 2 / curve[-1], rel=1e-6)


def test_three_numbers_of_processes_are_too_few():
    assert said(program(P[:3]))[Rule.TOO_FEW].evidence == {"settings": 3}


def test_late_senders_at_constant_volume_are_a_pipeline():
    found = said(program(late_sender=1.2 * P))

    assert found[Rule.PIPELINE].evidence["late_sender"] == pytest.approx(0.6)
    assert Rule.PIPELINE not in said(program(late_sender=1.2 * P, bytes=P**2))
    assert Rule.PIPELINE not in said(program(late_sender=0.8 * P))


def test_waiting_at_collectives_while_the_balance_falls_is_imbalance():
    falling = np.linspace(0.99, 0.8, P.size)

    found = said(program(collective=1.5 * P, load_balance=falling))

    assert found[Rule.IMBALANCE].evidence == {
        "wait_collective": pytest.approx(0.75),
        "load_balance_first": pytest.approx(0.99),
        "load_balance_last": pytest.approx(0.8),
    }
    even = program(collective=1.5 * P, load_balance=0 * P + 0.99)
    assert Rule.IMBALANCE not in said(even)


def test_late_receivers_of_long_messages_are_blocking_sends():
    long = program(late_receiver=0.6 * P, bytes=100_000 * P)

    assert said(long)[Rule.BLOCKING].evidence["bytes_per_message"] == 10_000
    assert Rule.BLOCKING not in said(program(late_receiver=0.6 * P))


def test_growing_bytes_are_volume_and_growing_messages_latency():
    assert Rule.VOLUME in said(program(bytes=P**2))
    latency = said(program(messages=P**1.5))
    assert latency[Rule.LATENCY].evidence["messages_power"] == pytest.approx(0.5)
    assert Rule.VOLUME not in latency


def test_without_calibration_nothing_is_said_of_library_and_code():
    assert {Rule.LIBRARY, Rule.CODE}.isdisjoint(said(program(overhead=2 * P)))


def test_best_times_that_grow_are_the_library_and_overhead_is_the_code():
    growing = program(is_calibrated=True, mpi_time=P**1.5)

    assert Rule.LIBRARY in said(growing)
    assert Rule.CODE in said(replace(growing, overhead=0.5 * P**1.5))
    assert said(program(is_calibrated=True)).keys().isdisjoint({Rule.LIBRARY})


def test_power_is_that_of_the_upper_half_and_none_of_zero():
    assert power_over(P, P**0.5) == pytest.approx(0.5)
    assert power_over(P, 0 * P) is None
    assert power_over(P[:1], P[:1]) is None
