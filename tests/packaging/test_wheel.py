import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from scalewatch.plotly_bundle import bundle_path, plotly_bundle, whole_plotly

CHECKOUT = Path(__file__).parents[2]
BUNDLED = (
    "scalewatch/frontend/templates/base.html",
    "scalewatch/frontend/static/css/main.css",
    "scalewatch/frontend/static/js/figure.js",
    f"scalewatch/frontend/build/{bundle_path().name}",
    "scalewatch/migrations/env.py",
    "scalewatch/migrations/script.py.mako",
    "scalewatch_agent/cli/__init__.py",
    "scalewatch_agent/loops/loop.c",
)

USED = """
import gc
gc.disable()  # or importing takes longer
from hashlib import sha256
from fastapi.testclient import TestClient
from scalewatch.app import served
from scalewatch.cli import main
from scalewatch.pages.rendering.assets import PLOTLY, asset_version

main(["migrate"], standalone_mode=False)
version = asset_version(PLOTLY)
script = TestClient(served()).get(f"/static/{version}/{PLOTLY}").content
print(version, sha256(script).hexdigest())
"""
"""Migrates a database, and prints under which version the server sends plotly.js, and a
digest of what it is."""


def built(target: str, source: Path, folder: Path) -> Path:
    build = ("-m", "hatchling", "build", "-t", target, "-d", folder)
    subprocess.run([sys.executable, *build], cwd=source, check=True)
    (distribution,) = folder.iterdir()
    return distribution


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return built("wheel", CHECKOUT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """An unpacked source distribution."""
    folder = tmp_path_factory.mktemp("source")
    archive = built("sdist", CHECKOUT, folder / "sdist")
    # Python 3.11.2 knows no filter, and later ones want one.
    subprocess.run([sys.executable, "-m", "tarfile", "-e", archive, folder], check=True)
    (unpacked,) = folder.glob("scalewatch-*")
    return unpacked


@pytest.fixture
def source(unpacked, tmp_path_factory) -> Path:
    """An unpacked source distribution that a test may change."""
    return shutil.copytree(unpacked, tmp_path_factory.mktemp("source") / unpacked.name)


def contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site-packages")
    shutil.unpack_archive(wheel, folder, format="zip")
    return folder


@pytest.fixture(scope="module")
def used(installed, tmp_path_factory) -> tuple[Path, list[str]]:
    """The database of an installed wheel, and what was printed of its plotly.js."""
    database = tmp_path_factory.mktemp("data") / "scalewatch.db"
    said = python(installed, USED, SCALEWATCH_DATABASE_URL=f"sqlite:///{database}")
    return database, said.splitlines()[-1].split()


def python(installed, program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(installed), **environment},
        cwd=installed.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_wheel_carries_templates_static_files_and_migrations(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())

    assert names >= set(BUNDLED)
    assert any(name.startswith("scalewatch/migrations/versions/") for name in names)


def test_wheel_carries_nothing_but_the_two_packages(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "scalewatch",
        "scalewatch_agent",
    }


def test_installed_wheel_says_where_the_case_studies_are(installed):
    program = (
        "from pathlib import Path\n"
        "from rich.console import Console\n"
        "from scalewatch.cli.demo.demo import show_gallery\n"
        "show_gallery(None, Path(), Console(), fresh=False)\n"
    )

    said = python(installed, program)

    assert len(said.splitlines()) == 1
    assert "`scalewatch demo --gallery`" in said


def test_installed_wheel_finds_its_frontend_inside_itself(installed):
    program = (
        "from scalewatch.resources import bundled;"
        "print(bundled('frontend'), bundled('migrations'))"
    )

    assert python(installed, program).split() == [
        str(installed / "scalewatch/frontend"),
        str(installed / "scalewatch/migrations"),
    ]


def test_wheel_of_the_source_distribution_holds_the_same_files(wheel, source, tmp_path):
    assert contents(built("wheel", source, tmp_path)) == contents(wheel)


def test_wheel_is_built_without_the_trimmed_plotly_unless_the_hook_makes_it(
    wheel, source, tmp_path, monkeypatch
):
    shutil.rmtree(source / "frontend" / "build")

    without = built("wheel", source, tmp_path / "without")
    monkeypatch.setenv("HATCH_BUILD_HOOKS_ENABLE", "1")
    made = built("wheel", source, tmp_path / "made")

    trimmed = f"scalewatch/frontend/build/{bundle_path().name}"
    assert trimmed not in contents(without)
    assert contents(made)[trimmed] == contents(wheel)[trimmed]


def test_server_of_the_wheel_sends_the_trimmed_plotly(used):
    _, (version, digest) = used

    assert digest == sha256(plotly_bundle()).hexdigest()
    assert digest != sha256(whole_plotly()).hexdigest()
    assert version.endswith(digest[:8])


def test_trimming_for_an_installed_wheel_makes_what_it_carried(installed):
    carried = installed / "scalewatch/frontend/build" / bundle_path().name
    content = carried.read_bytes()
    carried.unlink()

    python(installed, (CHECKOUT / "frontend/trim_plotly.py").read_text("utf-8"))

    assert carried.read_bytes() == content


def test_installed_wheel_migrates_a_database(used):
    database, _ = used

    assert database.stat().st_size > 0


def test_checkout_finds_its_frontend_at_the_top_level():
    program = "from scalewatch.resources import bundled; print(bundled('frontend'))"

    assert python(CHECKOUT / "backend", program) == str(CHECKOUT / "frontend")
