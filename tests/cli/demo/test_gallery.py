"""Case studies as projects: run by the agent, posted, judged by what was promised."""

import io
from pathlib import Path

import httpx2
import pytest
import yaml
from rich.console import Console

from scalewatch.app import create_app
from scalewatch.cli.demo import demo
from scalewatch.storage.database.session import connect
from scalewatch.storage.tables import Table
from support.example_code import module_of
from support.live import serving
from support.simgrid import needs_simgrid

CHECKOUT = Path(__file__).parents[3]
gallery = module_of("gallery.py")


@pytest.fixture
def dashboard(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/scalewatch.db")
    Table.metadata.create_all(engine)
    with (
        serving(create_app(engine, embedded_worker=False)) as url,
        httpx2.Client(base_url=url, timeout=60, trust_env=False) as client,
    ):
        yield client
    engine.dispose()


def loaded(dashboard, home, **options):
    """Load the gallery; return what it said."""
    said = io.StringIO()
    gallery.load_gallery(dashboard, home, Console(file=said, width=200), **options)
    return said.getvalue()


@needs_simgrid
@pytest.mark.thorough
def test_study_becomes_a_project_that_says_it_is_simulated(dashboard, tmp_path):
    said = loaded(dashboard, tmp_path, studies=(gallery.MULTIGRID,))

    assert f"{dashboard.base_url}/p/multigrid-example" in said
    page = dashboard.get("/p/multigrid-example").text
    assert "simulated by SimGrid" in page
    told = dashboard.get("/api/v1/projects/multigrid-example/expectations").json()
    assert "levels" in str(told)
    again = loaded(dashboard, tmp_path, studies=(gallery.MULTIGRID,))
    assert len(again.splitlines()) == 1  # nothing is run twice


def test_what_is_not_installed_is_left_out_and_named(dashboard, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    said = loaded(dashboard, tmp_path)

    assert said.count("Left out: ") == len(gallery.STUDIES)
    assert "sweep-example; it needs smpirun" in said


def test_demo_in_a_checkout_runs_the_gallery(dashboard, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setenv("PATH", str(tmp_path))

    demo.show_gallery(dashboard, tmp_path, Console(), fresh=False)

    assert capfd.readouterr().out.count("Left out: ") == len(gallery.STUDIES)


def test_without_a_checkout_the_demo_says_where_the_gallery_is(
    dashboard, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    said = io.StringIO()

    demo.show_gallery(dashboard, tmp_path, Console(file=said), fresh=False)

    assert said.getvalue().count("\n") == 1
    assert "scalewatch demo --gallery" in said.getvalue()


@pytest.mark.parametrize("study", gallery.STUDIES, ids=lambda study: study.project)
def test_files_of_a_study_are_there_and_name_its_project(study):
    files = [CHECKOUT / "examples" / name for name in study.expectations]
    assert all(f'project = "{study.project}"' in path.read_text() for path in files)
    if study.command[0] != "openmp":
        path = CHECKOUT / "examples" / study.command[1]
        assert yaml.safe_load(path.read_text())["project"] == study.project
