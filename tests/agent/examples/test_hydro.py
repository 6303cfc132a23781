import json
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.services.hotspots import HotspotQuestion, hotspots_at
from scalewatch.services.selection.view import View
from scalewatch.wire import RunReport
from scalewatch_agent.cli import main
from support.example_code import EXAMPLES, module_of
from support.recorded import record

HYDRO = EXAMPLES / "hydro"

decomposition = module_of("hydro/decomposition.py")
gas = module_of("hydro/gas.py")

STEP_LIMIT = 240
"""Seconds a small simulation may take on a busy machine."""


def simulate(launcher, processes, *options):
    """Run the code under mpiexec and return what it printed."""
    done = subprocess.run(
        launcher.command(processes, str(HYDRO), *options),
        env=launcher.environment(processes),
        capture_output=True,
        check=False,
        text=True,
        timeout=STEP_LIMIT,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@given(
    parts=st.integers(1, 40),
    more=st.integers(0, 300),
    distribution=st.sampled_from(sorted(decomposition.DISTRIBUTIONS)),
)
def test_every_cell_belongs_to_exactly_one_part(parts, more, distribution):
    blocks = decomposition.extents(parts + more, parts, distribution)

    assert [cell for block in blocks for cell in block] == list(range(parts + more))
    assert all(blocks)


@given(parts=st.integers(1, 40), more=st.integers(0, 300))
def test_even_parts_differ_by_one_cell_at_most(parts, more):
    sizes = [len(block) for block in decomposition.extents(parts + more, parts, "even")]

    assert max(sizes) - min(sizes) <= 1


def test_tiled_parts_are_wrong_only_where_tiles_do_not_divide():
    sizes = {
        parts: [len(block) for block in decomposition.extents(96, parts, "tiled")]
        for parts in (4, 5, 7)
    }

    assert sizes[4] == [24, 24, 24, 24]
    assert sizes[5] == [16, 16, 16, 16, 32]
    assert sizes[7] == [8, 8, 8, 8, 8, 8, 48]


def test_too_many_processes_are_refused_in_words():
    with pytest.raises(
        decomposition.TooSmall, match="3 cells cannot be divided among 4 processes"
    ):
        decomposition.extents(3, 4, "even")


@given(st.integers(1, 4096))
def test_process_grid_has_a_place_for_every_process(processes):
    rows, columns = decomposition.process_grid(processes)

    assert rows * columns == processes
    assert rows >= columns


def test_prime_numbers_of_processes_stand_in_one_column():
    assert decomposition.process_grid(11) == (11, 1)
    assert decomposition.process_grid(12) == (4, 3)


def test_flux_of_a_uniform_gas_is_that_of_the_equations():
    shape = (3, 4)
    density, pressure, velocity = np.full(shape, 2.0), np.full(shape, 3.0), 0.5
    state = gas.state_of(density, (np.full(shape, velocity), np.zeros(shape)), pressure)

    through = gas.fluxes(state, 0)

    energy = 3 / 0.4 + 2 * velocity**2 / 2
    expected = [2 * velocity, 2 * velocity**2 + 3, 0, velocity * (energy + 3)]
    assert through.shape == (4, 2, 4)
    np.testing.assert_allclose(through[:, 0, 0], expected)
    np.testing.assert_allclose(gas.pressure_of(state), 3)
    np.testing.assert_allclose(gas.wave_speeds(state, 1), np.sqrt(1.4 * 3 / 2))


def test_parts_do_what_the_whole_does_and_nothing_is_lost(launcher):
    options = ("--rows", "30", "--columns", "34", "--steps", "10")
    whole = simulate(launcher, 1, *options)
    parts = simulate(launcher, 6, *options, "--distribution", "tiled", "--threads", "2")

    assert parts["coordinate"] == {"p": 6, "n": 30 * 34, "threads": 2}
    # Of mass, momenta and energy; sums of floats depend on their order.
    np.testing.assert_allclose(parts["totals"], whole["totals"], rtol=1e-12, atol=1e-9)
    assert parts["totals"][0] == pytest.approx(30 * 34)
    np.testing.assert_allclose(parts["time"], whole["time"], rtol=1e-12)
    np.testing.assert_allclose(parts["probe"], whole["probe"], rtol=1e-12)


def test_weak_mode_gives_each_process_a_domain(launcher):
    result = simulate(
        launcher, 3, "--rows", "8", "--columns", "8", "--steps", "2", "--mode", "weak"
    )

    assert result["coordinate"]["n"] == 3 * 64


def test_every_region_is_measured_in_each_step(launcher):
    result = simulate(launcher, 2, "--rows", "16", "--columns", "16", "--steps", "3")

    times = {each["region"]: each["values"] for each in result["results"]}
    assert set(times) >= {"exchange_halo", "fluxes", "step"}
    assert all(len(values) == 3 for values in times.values())
    assert all(
        whole >= fluxes
        for whole, fluxes in zip(times["step"], times["fluxes"], strict=True)
    )
    assert {each["region"] for each in result["profile"]} == set(times) - {"step"}


def test_domain_that_is_too_small_is_refused_by_every_process(launcher):
    done = subprocess.run(
        launcher.command(3, str(HYDRO), "--rows", "2"),
        env=launcher.environment(3),
        capture_output=True,
        check=False,
        text=True,
        timeout=STEP_LIMIT,
    )

    assert done.returncode == 2
    assert "hydro: 2 cells cannot be divided among 3 processes" in done.stderr


# A shorter scan is so short on fast processors that noise alone decides.
@pytest.mark.thorough
@pytest.mark.usefixtures("openmpi")
def test_hotspot_scan_finds_the_bug_and_its_fix(receiver, sessions, spool_folder):
    """The jump of Figure 3a, which is gone in Figure 3b."""
    text = (EXAMPLES / "hydro.yaml").read_text()
    text = text.replace("{experiment}", str(EXAMPLES))
    example = spool_folder.parent / "hydro.yaml"
    example.write_text(text)
    folder = spool_folder.parent / "sweep"

    done = CliRunner().invoke(
        main,
        ["run", str(example), "--server", receiver.url, "--folder", str(folder)],
    )

    assert done.exit_code == 0, done.output
    record(
        sessions, [RunReport.model_validate(run, strict=False) for run in receiver.runs]
    )
    question = HotspotQuestion(held="distribution=tiled", unit=0.01)
    fix = HotspotQuestion(held="distribution=even", unit=0.01)
    with sessions.reading() as session:
        view = View("hydro-example")
        tiled = hotspots_at(session, view, question)
        even = hotspots_at(session, view, fix)
    jumps = {(step.before, step.after) for step in tiled.chosen.jumps}
    assert {(6, 7), (7, 8)} <= jumps
    assert tiled.movements[0].function == "imbalance"
    assert not even.chosen.jumps
