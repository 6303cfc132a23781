from math import log2

import pytest

from scalewatch.pages.wording.outlooks import forecast_sentence, hidden_sentence
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.regions.outlook import curve_forecasts, outlook
from scalewatch.services.regions.region import region_at
from scalewatch.services.selection.view import View
from scalewatch.wire import RunReport
from support.builders import result, run_report, sweep, sweep_reports
from support.recorded import failed_result, record, record_grid
from support.service_sentences import SAID

P = (2, 4, 8, 16, 32)


def scan_of(session, project="mpich", region="MPI_Bcast", **view):
    (scan,) = region_at(session, View(project, **view), region).scans
    return scan


def test_forecast_at_the_target_holds_the_truth_in_its_interval(sessions):
    truth = {"MPI_Bcast": lambda p: 1e-6 + 2e-6 * log2(p)}
    record(sessions, sweep_reports(P, truth, noise=0.01))

    with sessions.reading() as session:
        found = outlook(session, scan_of(session), target=1024.0)

    assert found.target.at == {"p": 1024.0}
    assert found.target.low <= truth["MPI_Bcast"](1024) <= found.target.high
    assert [forecast.at["p"] for forecast in found.forecasts] == [64, 128, 512, 1024]


def test_the_outlook_says_what_noise_may_hide_and_from_which_scale_on_it_matters(
    sessions,
):
    record(sessions, sweep_reports(P, {"MPI_Bcast": lambda _: 3e-6}, noise=0.02))

    with sessions.reading() as session:
        found = outlook(session, scan_of(session))

    assert str(found.hidden.growth) == "p"
    assert found.hidden.doubles_from > 32 / 0.1
    assert SAID["hidden growth"] in hidden_sentence(found)


def test_exact_counts_hide_nothing(sessions):
    record(sessions, sweep_reports(P, {"MPI_Bcast": lambda p: p - 1}, noise=0))

    with sessions.reading() as session:
        assert outlook(session, scan_of(session)).hidden is None


def test_a_scale_beyond_the_horizon_is_answered_by_how_far_forecasts_reach(sessions):
    unclear = {"MPI_Bcast": lambda p: 1e-6 * (3 + 0.2 * log2(p) + 0.02 * p**0.5)}
    record(sessions, sweep_reports(P, unclear, noise=0.3))

    with sessions.reading() as session:
        scan = scan_of(session)
        found = outlook(session, scan, target=1e11)

    assert found.target is None
    assert SAID["beyond the horizon"] in forecast_sentence(scan, found)


def test_a_constant_is_not_foretold_where_a_growth_may_have_been_missed(sessions):
    unclear = {"halo": lambda p: 3e-6 * (1 + 0.05 * log2(p))}
    record(sessions, sweep_reports(P, unclear, noise=0.3))

    with sessions.reading() as session:
        scan = scan_of(session, region="halo")
        found = outlook(session, scan, target=1e11)

    assert found.target is None
    assert SAID["growths apart"] in forecast_sentence(scan, found)
    assert found.forecasts
    assert all(each.high <= 10 * each.low for each in found.forecasts)


def test_growth_beyond_the_promise_says_where_it_takes_twice_as_much(sessions):
    linear = {"MPI_Bcast": lambda p: 1e-6 * p}
    record(sessions, sweep_reports(P, linear, noise=0.001))

    with sessions.reading() as session:
        found = outlook(session, scan_of(session), target=64.0)

    # p exceeds 2 · 2 · log₂ p, which agrees with it at p = 2, from p = 16 on.
    assert found.twice_from == pytest.approx(16, rel=0.05)
    assert found.expected == pytest.approx(12e-6, rel=0.05)


def test_kept_promise_has_no_scale_at_which_it_takes_twice_as_much(sessions):
    record(sessions, sweep_reports(P, {"MPI_Bcast": lambda p: 1e-6 * log2(p)}))

    with sessions.reading() as session:
        assert outlook(session, scan_of(session)).twice_from is None


def test_memory_of_a_node_ends_where_its_processes_need_more(sessions):
    reports = [
        run_report(
            id=f"00000000-0000-0000-0000-{p:012}",
            coordinate={"p": p},
            configuration={"tasks_per_node": 8},
            results=[result(metric="memory", unit="B", values=[1e6 * p] * 3)],
        )
        for p in P
    ]
    record(sessions, reports)

    with sessions.reading() as session:
        scan = scan_of(session)
        wall = outlook(session, scan, fingerprint={"memory_bytes": 2**30}).wall

    assert wall.scale == pytest.approx(2**30 / 8e6, rel=0.01)
    assert wall.available == 2**30


def test_region_without_a_model_has_no_outlook(sessions):
    record(sessions, [run_report(results=[failed_result("MPI_Scan")])])

    with sessions.reading() as session:
        assert outlook(session, scan_of(session, region="MPI_Scan")) is None


def test_interval_of_a_curve_reaches_from_the_smallest_scale_to_the_target(sessions):
    record(sessions, sweep_reports(P))

    with sessions.reading() as session:
        curve = curve_forecasts(session, scan_of(session), target=256.0)

    assert curve[0].at == {"p": 2.0}
    assert curve[-1].at == {"p": 256.0}
    assert all(each.low <= each.value <= each.high for each in curve)


def test_other_parameters_stay_where_they_were_largest(sessions):
    record_grid(sessions)

    with sessions.reading() as session:
        found = outlook(session, scan_of(session, "hydro", "solve"), target=64.0)

    assert found.target.at == {"p": 64.0, "n": 8000.0}


def test_versions_of_an_expectation_come_newest_first_with_withdrawals(sessions):
    record(sessions, sweep_reports(P))
    for growth in ("p", None):
        with sessions.writing.begin() as session:
            declared = [Declaration("MPI_Bcast", "time", growth)]
            declarations.declare(
                session, "mpich", declared, author="Ada", reason="new tree"
            )

    with sessions.reading() as session:
        versions = declarations.versions(session, "mpich", "MPI_Bcast", "time")

    assert [version.version for version in versions] == [3, 2, 1]
    assert [str(version.growth) for version in versions] == ["None", "p", "log p"]
    assert versions[0].author == "Ada"


CORES = {"name": "cluster", "fingerprint": {"cores": 96}}


def outlook_of(sessions, configuration, target, machine=CORES, scale=None):
    """Return the outlook of a scan over doubled settings, and its first sentence."""
    truth = {"MPI_Bcast": lambda p: 1e-6 * (1 + log2(p))}
    runs = sweep(P, truth, machine=machine, configuration=configuration)
    for each in runs:
        if scale:
            each["coordinate"] = scale(each["coordinate"]["p"])
    record(sessions, [RunReport.model_validate(each, strict=False) for each in runs])
    with sessions.reading() as session:
        scan = scan_of(session)
        found = outlook(session, scan, target, machine["fingerprint"])
    return found, str(forecast_sentence(scan, found))


def test_the_condition_of_a_forecast_names_processes_and_nodes(sessions):
    found, sentence = outlook_of(sessions, {"tasks_per_node": 32}, 128.0)

    assert found.target is not None
    assert SAID["one node"] in sentence


def test_the_condition_counts_nodes_by_processes_on_each(sessions):
    _, sentence = outlook_of(sessions, {"tasks_per_node": 8}, 128.0)

    assert SAID["four nodes"] in sentence


def test_nothing_is_said_of_nodes_that_nobody_named(sessions):
    found, sentence = outlook_of(sessions, {}, 128.0)

    assert found.target is not None
    assert found.placement is None
    assert "node" not in sentence


def test_no_forecast_lets_processes_share_the_cores_of_their_nodes(sessions):
    found, sentence = outlook_of(sessions, {"nodes": 1}, 128.0)

    assert found.target is None
    assert [each.at["p"] for each in found.forecasts] == [64]
    assert SAID["shared cores of a node"] in sentence


def test_threads_stay_on_the_cores_of_a_node(sessions):
    found, sentence = outlook_of(
        sessions, {}, 128.0, scale=lambda n: {"threads": n, "p": 2}
    )

    assert found.placement.most == 48
    assert found.target is None
    assert SAID["threads of a node"] in sentence


@pytest.mark.parametrize("cores", [None, 0, -4, "many", 2.5, True])
def test_cores_that_are_no_count_bound_nothing(sessions, cores):
    machine = {"name": "odd", "fingerprint": {"cores": cores}}

    found, _ = outlook_of(sessions, {"nodes": 1}, 128.0, machine)

    assert found.target is not None
