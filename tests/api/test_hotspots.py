import plotly.graph_objects as go
import pytest

from scalewatch.api.http.described import schema_of
from scalewatch.services.hotspots import Hotspots
from support.recorded import record_hydro

HOTSPOTS = "/api/v1/projects/hydro/hotspots"
FIGURE = "/api/v1/figures/hotspots-"


def test_steps_of_a_scan_are_answered(client, sessions):
    record_hydro(sessions)

    response = client.get(HOTSPOTS, params={"held": "distribution=tiled"})

    assert response.status_code == 200
    schema_of(Hotspots).model_validate_json(response.content)
    shown = response.json()
    assert shown["overs"] == ["p", "distribution"]
    assert [step["after"] for step in shown["chosen"]["steps"]] == [3, 4, 5, 6]
    assert shown["movements"][0]["function"] == "exchange"


def test_a_project_without_profiles_is_answered(client, sessions):
    record_hydro(sessions, profiled=False)

    response = client.get(HOTSPOTS)

    schema_of(Hotspots).model_validate_json(response.content)
    assert response.json()["chosen"] is None


@pytest.mark.parametrize(
    ("figure", "traces"), [("differences", 2), ("shares", 3), ("movements", 2)]
)
def test_figures_draw_what_the_tables_hold(client, sessions, figure, traces):
    record_hydro(sessions)
    query = {
        "project": "hydro",
        "held": "distribution=tiled",
        "vs": "held=distribution=even",
    }

    drawn = go.Figure(client.get(FIGURE + figure, params=query).json())

    assert len(drawn.data) == traces


@pytest.mark.parametrize("figure", ["differences", "shares", "movements"])
def test_figures_of_nothing_are_empty(client, sessions, figure):
    record_hydro(sessions, profiled=False)

    drawn = client.get(FIGURE + figure, params={"project": "hydro"}).json()

    assert drawn["data"] == []


def test_unknown_figure_is_not_found(client, sessions):
    record_hydro(sessions)

    assert client.get(FIGURE + "moon", params={"project": "hydro"}).status_code == 404
