import json
import subprocess
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from scalewatch.cli import main
from support.asv_results import asv_results, sha
from support.base_install import base_install
from support.samples import sample

FINE, WORSE, UNDECIDED, UNKNOWN = 0, 1, 2, 3
SCATTER = (0.98, 0.99, 1, 1.01, 1.02)


def gate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["gate", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(
    name: str, power: float = 1, factor: float = 1, settings=(2, 4, 8, 16, 32, 64)
) -> str:
    """Return a table of two regions, of which `solve` differs."""
    lines = ["p,region,time"]
    for p, scatter in product(settings, SCATTER):
        lines.append(f"{p},solve,{factor * (3 + p**power) * scatter}")
        lines.append(f"{p},halo,{(1 + p**0.5) * scatter}")
    Path(name).write_text("\n".join(lines))
    return name


def test_same_measurements_pass() -> None:
    done = gate(written("new.csv"), "--baseline", written("old.csv"))

    assert done.exit_code == FINE
    assert done.stdout.startswith("✓ new.csv: none of 2 series")


def rates(name: str, unit: str, size: float) -> str:
    rows = [f"{p},{size * p * s}" for p in (2, 4, 8, 16, 32) for s in SCATTER]
    Path(name).write_text("\n".join([f"p,rate [{unit}]", *rows]))
    return name


@pytest.mark.parametrize(
    ("unit", "other", "factor"),
    [("GB/s", "MB/s", 1e3), ("cells/s", "Mcells/s", 1e-6), ("GiB/s", "B/s", 2**30)],
)
def test_versions_in_other_prefixes_are_converted(unit, other, factor) -> None:
    new, old = rates("new.csv", unit, 1), rates("old.csv", other, factor)

    assert gate(new, "--baseline", old).exit_code == FINE


def test_versions_in_other_units_are_undecided_and_both_are_named() -> None:
    new, old = rates("new.csv", "cells/s", 1), rates("old.csv", "atoms/s", 1)

    done = gate(new, "--baseline", old)

    assert done.exit_code == UNDECIDED
    assert "atoms/s" in done.stdout
    assert "cells/s" in done.stdout


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"factor": 1.3}, "constant", "1.3 times as much as before"),
        ({"power": 1.5}, "scales worse", "grows like p^(3/2) instead of p"),
    ],
)
def test_slower_region_stops_with_its_kind_and_sentence(change, kind, sentence) -> None:
    files = written("new.csv", **change), "--baseline", written("old.csv")

    done = gate(*files, "--format", "json")

    assert done.exit_code == WORSE
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["region"], found["kind"], found["is_sure"]) == ("solve", kind, True)
    assert sentence in found["sentence"]
    assert found["probability"] > 0.99


def regions(name: str, factors: dict[str, float]) -> str:
    """Return a table of a region for each factor."""
    rows = [
        f"{p},{region},{factor * p * scatter}"
        for region, factor in factors.items()
        for p, scatter in product((2, 4, 8, 16, 32), SCATTER)
    ]
    Path(name).write_text("\n".join(["p,region,time", *rows]))
    return name


def test_what_all_regions_do_alike_is_told_once_and_stops_nobody() -> None:
    old = regions("old.csv", dict.fromkeys("abcdefgh", 1.0))
    slow = regions("slow.csv", dict.fromkeys("abcdefgh", 2.0))
    one_more = regions("more.csv", dict.fromkeys("abcdefg", 2.0) | {"h": 8.0})

    alike = gate(slow, "--baseline", old, "--format", "json")
    more = gate(one_more, "--baseline", old, "--format", "json")

    assert (alike.exit_code, more.exit_code) == (UNDECIDED, WORSE)
    (told,) = json.loads(alike.stdout)["findings"]
    assert (told["region"], told["is_sure"]) == ("all regions", False)
    assert "all 8 series alike" in told["sentence"]
    sure, alike = json.loads(more.stdout)["findings"]
    assert (sure["region"], sure["is_sure"]) == ("h", True)
    assert alike["region"] == "all regions"


def test_improvement_passes() -> None:
    done = gate(written("new.csv", factor=0.7), "--baseline", written("old.csv"))

    assert done.exit_code == FINE


def test_rate_that_fell_is_worse_and_one_that_rose_is_not() -> None:
    for name, factor in (("old.csv", 1), ("fell.csv", 0.7), ("rose.csv", 1.4)):
        rows = [
            f"{p},{factor * p * scatter}"
            for p, scatter in product((2, 4, 8, 16, 32, 64), SCATTER)
        ]
        Path(name).write_text("\n".join(["p,bandwidth [GB/s]", *rows]))

    assert gate("fell.csv", "--baseline", "old.csv").exit_code == WORSE
    assert gate("rose.csv", "--baseline", "old.csv").exit_code == FINE


def test_expectation_that_fails_stops_without_an_earlier_version() -> None:
    done = gate(
        *(written("new.csv", power=2), "--expect", "solve=O(p)", "--format", "json")
    )

    assert done.exit_code == WORSE
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["region"], finding["is_sure"]) == ("solve", True)


def test_expectation_that_failed_before_stops_only_if_rules_say_so() -> None:
    files = written("new.csv"), "--baseline", written("old.csv")
    expected = ("--expect", "solve=O(1)")

    assert gate(*files, *expected).exit_code == FINE
    Path("scalewatch.toml").write_text("[gate]\nmismatch = true\n")
    assert gate(*files, *expected).exit_code == WORSE


def test_scalewatch_toml_states_expectations_rules_and_names() -> None:
    new, old = written("new.csv", factor=1.3), written("old.csv")
    Path(old).write_text(Path(old).read_text().replace("solve", "solver"))
    stated = '[aliases]\nsolver = "solve"\n[gate.regions.solve]\nconstant = 0.5\n'
    Path("scalewatch.toml").write_text(stated)

    assert gate(new, "--baseline", old).exit_code == FINE
    promised = f'{stated}[expectations]\nsolve = "O(log p)"\n'
    Path("scalewatch.toml").write_text(promised)
    assert gate(new).exit_code == WORSE


@pytest.mark.parametrize(("few", "factor"), [((32, 64, 128), 1.3), ((64,), 2)])
def test_few_settings_are_compared_by_their_constants(few, factor) -> None:
    old = written("old.csv", settings=few)

    assert gate(written("new.csv", settings=few), "--baseline", old).exit_code == FINE
    slow = written("slow.csv", settings=few, factor=factor)
    done = gate(slow, "--baseline", old)
    assert done.exit_code == WORSE
    assert f"{factor} times as much" in done.stdout
    alone = gate(slow, "--expect", "O(p)")
    assert alone.exit_code == UNDECIDED
    assert f"{len(few)} of 5 settings" in alone.stdout


def test_a_single_value_at_one_setting_passes_no_gate() -> None:
    for name, seconds in (("old.csv", 1), ("new.csv", 5)):
        Path(name).write_text(f"p,region,time\n4,solve,{seconds}\n")

    done = gate("new.csv", "--baseline", "old.csv")

    assert done.exit_code == UNDECIDED
    assert "solve (time) is 5 times as much as before" in done.stdout


def test_region_and_setting_that_are_missing_leave_it_undecided() -> None:
    old = written("old.csv")
    new = Path(written("new.csv", settings=(2, 4, 8, 16, 32)))
    new.write_text(new.read_text().replace("halo", "other"))

    done = gate(str(new), "--baseline", old, "--format", "json")

    assert done.exit_code == UNDECIDED
    findings = json.loads(done.stdout)["findings"]
    assert {each["region"] for each in findings} == {"halo", "solve"}
    assert not any(each["is_sure"] for each in findings)
    Path("scalewatch.toml").write_text('[gate]\nmissing = "ignore"\n')
    assert gate(str(new), "--baseline", old).exit_code == FINE


def test_nothing_to_compare_with_is_undecided() -> None:
    done = gate(written("new.csv"))

    assert done.exit_code == UNDECIDED


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("away.csv",), "cannot read away.csv: no such file"),
        (("new.csv", "--baseline", "away"), "there is no file away"),
        (("new.csv", "--baseline", "cut.csv"), "cannot read cut.csv"),
        (("new.csv", "--report", "github"), "--report tells what a server answers"),
        (("new.csv", "--expect", "O(q"), "O(q"),
        ((), "Missing option '--project', or files"),
        (("--project", "hydro"), "Missing option '--commit', or files"),
    ],
)
def test_what_cannot_be_told_has_an_exit_code_of_its_own(arguments, complaint) -> None:
    written("new.csv")
    Path("cut.csv").write_text("p,time\n4\n")

    done = gate(*arguments)

    assert done.exit_code == UNKNOWN
    assert complaint in done.stderr


def test_files_of_any_reader_are_judged_with_their_settings() -> None:
    logs = sample("lammps/performance-study")

    done = gate(logs, "--expect", "loop=O(p^-1)", "--format", "junit")

    assert done.exit_code == UNDECIDED
    (suite,) = ET.fromstring(done.stdout).iter("testsuite")  # noqa: S314, ours
    assert suite.get("name") == "scalewatch files"
    assert "4 of 5 settings" in done.stdout


def test_growth_of_a_region_is_of_its_time_and_not_of_its_cache_misses() -> None:
    profiles = (sample("cube/extrap/single_parameter"), "--path", "extra-p")

    of_time = gate(*profiles, "--expect", "main->mat_mul=O(x)")
    of_misses = gate(*profiles, "--expect", "main->mat_mul:PAPI_L3_TCM=O(x)")

    assert of_time.exit_code == FINE, of_time.stdout
    assert "none of 1 series" in of_time.stdout
    assert of_misses.exit_code == UNDECIDED


def test_newest_commit_of_a_history_is_judged_beside_the_one_before(tmp_path) -> None:
    results = str(
        asv_results(tmp_path, 30, lambda at, p: (1 + p) * (1.4 if at >= 29 else 1))
    )

    scanned = (results, "--scan", "p")
    newest, before = gate(*scanned), gate(*scanned, "--commit", sha(28)[:8])

    assert newest.exit_code == WORSE
    assert f"{sha(29)[:12]}: 1 of 1 series" in newest.stdout
    assert before.exit_code == FINE
    assert f"than {sha(27)[:12]}" in before.stdout
    chosen = gate(*scanned, "--commit", sha(28)[:8], "--baseline", sha(3)[:8])
    assert f"than {sha(3)[:8]}" in chosen.stdout
    lost = gate(results, "--commit", "fffe")
    assert lost.exit_code == UNKNOWN
    assert "fffe" in lost.stderr


def test_base_install_judges_files() -> None:
    files = written("new.csv"), "--baseline", written("old.csv")

    command = [*base_install(), "gate", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == FINE, done.stderr
