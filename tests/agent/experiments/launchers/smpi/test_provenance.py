"""Pages, figures and exports of simulated runs say that they are simulated."""

import json
import shutil
from io import BytesIO

import pytest
from click.testing import CliRunner

from scalewatch.cli import main as scalewatch
from scalewatch.exporters.measurements import WRITERS
from scalewatch.services.files.bulk import exported
from scalewatch.services.regions.figures import FIGURES
from scalewatch.services.selection.view import View
from support.addresses import page_addresses
from support.experiments import run
from support.fillings import fill
from support.simgrid import SWITCH, needs_simgrid, simulated

pytestmark = needs_simgrid

TORUS, FAT_TREE = "torus (simulated)", "fat-tree (simulated)"
ORIGIN = "Not measured: simulated by SimGrid"
PAGE_FORMATS = ("json", "csv", "md", "tex")
ROWS_OF_HEAD = {"csv": 1, "md": 2, "tex": 7}
"""Lines of an empty table in each format."""

NO_ROW = "\\endfoot\n\\end{longtable}"
"""An empty table of LaTeX whose columns are those of several."""

NEEDED = {"embed": f"?region=ring&machine={TORUS}"}
VARIANTS = {
    "history": ("?region=ring",),
    "region": (f"?machine={TORUS}", f"?machine={TORUS}&target=4096"),
    "report": ("?metric=messages", "?view=table"),
    "scaling-errors": ("?kind=weak",),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Have two commits simulated on two platforms; return a file of runs of each.

    The platforms have the names of ours, and are built in a tenth of their time.
    """
    folder = tmp_path_factory.mktemp("experiment")
    files = []
    for platform in ("torus", "fat-tree"):
        shutil.copy(SWITCH, folder / f"{platform}.xml")
        for commit in ("v1", "v2"):
            files.append(folder / f"{platform}-{commit}.jsonl")
            path = simulated(
                folder,
                parameters={"p": [2, 4, 8, 16, 32]},
                commit=commit,
                launcher={"platform": f"{platform}.xml"},
            )
            done = run(path, "http://127.0.0.1:9", "--out", str(files[-1]))
            assert done.exit_code == 0, done.output
    return files


@pytest.fixture
def posted(runs, client, engine, work_off):
    """Have the runs on a server, analysed."""
    lines = [line for path in runs for line in path.read_text().splitlines()]

    def post():
        for line in lines:
            report = json.loads(line)
            body = {"schema_version": report.pop("schema"), **report}
            answer = client.post("/api/v1/runs", json=body)
            assert answer.status_code == 202, answer.text
        work_off()

    fill(engine, lines, post)


def addresses(client):
    """Return the address of every page of the project, and the start page."""
    shown = client.get("/p/code/r/ring", params={"format": "json"}).json()
    commit = dict.fromkeys(("sha", "commit", "reference"), "v2")
    examples = {
        **commit,
        "project": "code",
        "region": "ring",
        "machine": TORUS,
        "subjects": f"{TORUS}...{FAT_TREE}",
        "figure": "scaling",
        "number": "1",
        "run": shown["scans"][0]["measurements"][-1]["run"],
    }
    found = list(page_addresses(examples, NEEDED, VARIANTS))
    return [each for each in found if each.startswith("/p/code") or each == "/"]


@pytest.mark.usefixtures("posted")
def test_every_page_of_a_simulated_project_says_so(client):
    for address in addresses(client):
        page = client.get(address)

        if page.status_code == 404:
            assert address == "/p/code/regressions/1"  # nothing has got worse
            continue
        assert page.status_code == 200, address
        # A figure that stands in a foreign page has the machine's name alone.
        assert TORUS in page.text, address
        assert ORIGIN in page.text or "/embed/" in address, address


@pytest.mark.usefixtures("posted")
@pytest.mark.parametrize("kind", PAGE_FORMATS)
def test_data_of_every_page_name_the_simulated_machine(client, kind):
    named = []
    for address in addresses(client):
        answer = client.get(address, params={"format": kind})
        if "html" in answer.headers["content-type"] or answer.status_code != 200:
            continue  # a form, or a regression that there is none of
        lines = len(answer.text.splitlines())
        is_empty = lines <= ROWS_OF_HEAD.get(kind, 0) or NO_ROW in answer.text
        assert "(simulated)" in answer.text or is_empty or _tells_nothing(answer), (
            address,
            answer.text,
        )
        named += [address] if "(simulated)" in answer.text else []
    assert len(named) >= 12


def _tells_nothing(answer):
    """Tell whether JSON holds no numbers of runs, but what was asked and lists."""
    if "json" not in answer.headers["content-type"]:
        return False
    listed = answer.json()
    kinds = ("machines", "regressions", "guidelines", "audit", "commits")
    return isinstance(listed, dict) and not any(listed.get(kind) for kind in kinds)


@pytest.mark.usefixtures("posted")
@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_every_figure_of_simulated_scans_names_the_machine(client, figure):
    asked = {"project": "code", "region": "ring", "machine": TORUS}

    drawn = client.get(f"/api/v1/figures/{figure}", params=asked)

    is_empty = drawn.json()["data"] == []  # no composed model is expected
    assert "(simulated)" in drawn.text or is_empty, drawn.text[:200]
    assert is_empty == (figure == "composed")


@pytest.mark.usefixtures("posted")
@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_every_export_of_simulated_measurements_names_the_machine_so(kind, session):
    file = BytesIO()
    view = View.stated(
        project="code", commit=None, metric=None, machine=None, settings=()
    )
    measured = list(exported(session, view, None))

    WRITERS[kind](measured, file)

    assert b"simulated" in file.getvalue()


@pytest.mark.usefixtures("posted")
@pytest.mark.parametrize("what", ["measurements", "models"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_bulk_answers_name_the_simulated_machine_in_each_row(client, what, kind):
    answer = client.get(f"/api/v1/projects/code/{what}", params={"format": kind})

    head, *rows = answer.text.splitlines()
    rows = rows if kind == "csv" else [head, *rows]
    assert rows
    assert all("(simulated)" in row for row in rows)


def test_models_of_a_file_of_simulated_runs_name_the_machine(runs):
    table = CliRunner().invoke(scalewatch, ["model", str(runs[-1])])
    lines = CliRunner().invoke(scalewatch, ["model", str(runs[-1]), "--json"])

    assert FAT_TREE in table.stdout.replace("\n", " ")
    for line in lines.stdout.splitlines():
        assert json.loads(line)["configuration"]["machine"] == FAT_TREE
