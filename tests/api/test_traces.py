from support.recorded import record
from support.traced import wavefront

TRACES = "/api/v1/projects/sweep/traces"


def test_traces_are_answered_with_locations_and_report(client, sessions):
    record(sessions, wavefront())

    shown = client.get(TRACES).json()

    receive = shown["chosen"]["locations"][0]
    assert receive["region"] == "receive › MPI_Recv"
    assert receive["source"]["line"] == 32
    assert receive["time"]["bend"] == "faster than p"
    assert "pipeline" in {each["rule"] for each in shown["chosen"]["conclusions"]}
    assert shown["thresholds"]["e_max"] == 20


def test_unknown_project_location_and_figure_are_not_found(client, sessions):
    record(sessions, wavefront())

    assert client.get("/api/v1/projects/none/traces").status_code == 404
    assert client.get(TRACES, params={"location": "x"}).status_code == 404
    figure = client.get("/api/v1/figures/traces-none", params={"project": "sweep"})
    assert figure.status_code == 404
