"""`from scalewatch import Client`: rows of a real server."""

import subprocess
import sys

import pytest

from scalewatch import Client
from scalewatch.client import PLOTLY, ServerRefused
from support.builders import sweep_reports
from support.histories import TREE, record_commit
from support.live import serving
from support.recorded import record


@pytest.fixture
def client(app):
    with serving(app) as address:
        yield Client(address)


def test_measurements_are_rows_that_are_read_once_they_are_needed(client, sessions):
    rows = client.measurements("mpich", region="MPI_Bcast")
    record(sessions, sweep_reports((2, 4)))

    first = next(iter(rows))

    assert first["region"] == "MPI_Bcast"
    assert first["coordinate"] == {"p": 2}
    assert len(rows) == 20
    assert [row["repetition"] for row in rows[:3]] == [0, 1, 2]


def test_rows_are_chosen_by_configuration(client, sessions):
    record(sessions, sweep_reports((2, 4)))

    assert len(client.measurements("mpich", configuration={"message_bytes": 256})) == 40
    assert len(client.measurements("mpich", configuration={"message_bytes": 1})) == 0


def test_models_and_history_are_rows(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    models = client.models("mpich", commit="*")
    history = client.history("mpich", "MPI_Bcast")

    assert [row["growth"] for row in models] == ["log p", "log p"]
    assert [row["verdict"] for row in history] == ["match", "match"]
    assert len({row["commit"] for row in history}) == 2
    assert history[0]["configuration"] == {"message_bytes": 256}


def test_rows_and_figures_show_themselves_in_a_notebook(client, sessions):
    record_commit(sessions, 1, {"MPI_<i>": TREE})

    table = client.measurements("mpich")._repr_html_()
    figure = client.figure("scaling", "mpich", region="MPI_<i>")

    assert "MPI_&lt;i&gt;" in table
    assert "<th>p</th>" in table
    assert "and 30 more rows" not in table or table.count("<tr>") == 21
    bundle = figure._repr_mimebundle_()
    assert bundle[PLOTLY]["data"]


def test_rows_become_a_frame_of_pandas(client, sessions):
    pandas = pytest.importorskip("pandas")
    record(sessions, sweep_reports((2, 4)))

    frame = client.measurements("mpich").to_pandas()

    assert isinstance(frame, pandas.DataFrame)
    assert {"p", "message_bytes", "value"} <= {*frame.columns}


def test_what_the_server_refuses_is_an_error_with_its_reason(client):
    with pytest.raises(ServerRefused, match="nobody") as refused:
        list(client.measurements("nobody"))

    assert refused.value.status == 404


def test_server_that_is_away_is_said():
    with pytest.raises(ServerRefused, match="does not answer"):
        list(Client("http://127.0.0.1:9").models("code"))


def test_client_needs_nothing_but_the_standard_library():
    program = (
        "import sys; from scalewatch import Client; Client();"
        "print({'numpy', 'pydantic', 'click', 'orjson'} & {*sys.modules})"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"
