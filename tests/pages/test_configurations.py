import csv
from io import StringIO

import plotly.graph_objects as go

from scalewatch.api.http.described import schema_of
from scalewatch.services.configurations import ConfigurationSearch
from support.recorded import record_configurations

PAGE = "/p/hybrid/scaling/configurations"
API = "/api/v1/projects/hybrid/configurations"


def test_a_declared_setting_that_no_run_names_is_missing_in_the_table(client, sessions):
    record_configurations(sessions)

    page = client.get(PAGE, params={"declare": "pages=small|huge"})

    assert page.status_code == 200
    assert '<th scope="col">pages</th>' in page.text
    assert "<td>–</td>" in page.text


def test_the_export_has_a_line_per_configuration(client, sessions):
    record_configurations(sessions)

    text = client.get(PAGE, params={"format": "csv"}).text

    rows = list(csv.DictReader(StringIO(text)))
    assert [row["threads"] for row in rows][:2] == ["1", "1"]
    assert len(rows) == 6


def test_the_api_answers_what_it_documents(client, sessions):
    record_configurations(sessions)

    answer = client.get(API, params={"objective": "time", "target": "64"})

    schema_of(ConfigurationSearch).model_validate_json(answer.content)
    assert answer.json()["effects"]["main"][0]["setting"] == "threads"


def test_figures_draw_effects(client, sessions):
    record_configurations(sessions)
    figures = "/api/v1/figures/configurations-"

    effects = client.get(figures + "main-effects", params={"project": "hybrid"})
    interaction = client.get(figures + "interaction", params={"project": "hybrid"})
    unknown = client.get(figures + "moon", params={"project": "hybrid"})

    timed = client.get(
        figures + "main-effects", params={"project": "hybrid", "objective": "time"}
    )
    ticks = timed.json()["layout"]["yaxis"]["ticktext"]
    assert [tick for tick in ticks if not tick.endswith("s")] in ([], ["0"])
    names = [trace.name for trace in go.Figure(effects.json()).data]
    assert names == ["threads", "compiler"]
    assert len(go.Figure(interaction.json()).data) == 2
    assert unknown.status_code == 404
