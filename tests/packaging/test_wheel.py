import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
BUNDLED = (
    "scalewatch/frontend/templates/base.html",
    "scalewatch/frontend/static/css/main.css",
    "scalewatch/frontend/static/js/figure.js",
    "scalewatch/migrations/env.py",
    "scalewatch/migrations/script.py.mako",
    "scalewatch_agent/cli/__init__.py",
    "scalewatch_agent/loops/loop.c",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    subprocess.run([sys.executable, *build], cwd=CHECKOUT, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


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


def test_installed_wheel_finds_its_frontend_inside_itself(installed):
    program = (
        "from scalewatch.resources import bundled;"
        "print(bundled('frontend'), bundled('migrations'))"
    )

    assert python(installed, program).split() == [
        str(installed / "scalewatch/frontend"),
        str(installed / "scalewatch/migrations"),
    ]


def test_installed_wheel_migrates_a_database(installed, tmp_path):
    database = tmp_path / "scalewatch.db"
    program = "from scalewatch.cli import main; main(['migrate'])"

    python(installed, program, SCALEWATCH_DATABASE_URL=f"sqlite:///{database}")

    assert database.stat().st_size > 0


def test_checkout_finds_its_frontend_at_the_top_level():
    program = "from scalewatch.resources import bundled; print(bundled('frontend'))"

    assert python(CHECKOUT / "backend", program) == str(CHECKOUT / "frontend")
