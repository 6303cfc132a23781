"""Pages and exports of simulated runs say that they are simulated."""

import json
from io import BytesIO

import pytest

from scalewatch.exporters.measurements import WRITERS
from scalewatch.services.files.exports import exported
from scalewatch.services.selection.view import View
from support.experiments import run
from support.simgrid import needs_simgrid, simulated

pytestmark = needs_simgrid


@pytest.fixture
def posted(folder, tmp_path, client, work_off):
    """Have simulated runs on a server, analysed."""
    out = tmp_path / "runs.jsonl"
    done = run(simulated(folder), "http://127.0.0.1:9", "--out", str(out))
    assert done.exit_code == 0, done.output
    for line in out.read_text().splitlines():
        report = json.loads(line)
        body = {"schema_version": report.pop("schema"), **report}
        answer = client.post("/api/v1/runs", json=body)
        assert answer.status_code == 202, answer.text
    work_off()


@pytest.mark.usefixtures("posted")
def test_every_page_of_a_simulated_project_says_so(client):
    pages = ("/", "/p/code", "/p/code/settings")

    for page in pages:
        text = client.get(page).text
        assert "torus (simulated)" in text, page
        assert "Not measured: simulated by SimGrid" in text, page


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
