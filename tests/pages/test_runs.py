import json
import re

from support import sentences
from support.builders import result, run
from support.recorded import failed_result


def post(client, **fields):
    body = run(**fields)
    client.post("/api/v1/runs", json=body)
    return body, f"/p/{body['project']}/runs/{body['id']}"


def test_run_links_to_its_payload_as_it_was_posted(client):
    body, path = post(client)

    assert f'href="{path}/payload"' in client.get(path).text
    posted = client.get(f"{path}/payload").json()
    assert posted["results"][0]["values"] == body["results"][0]["values"]
    assert posted["id"] == body["id"]


def test_payload_of_another_project_is_not_found(client):
    _, path = post(client)

    assert client.get(path.replace("mpich", "openmpi") + "/payload").status_code == 404


def test_flags_and_failures_are_told_before_the_results(client):
    flagged = result(region="MPI_Scan", procedure={"oversubscribed": True})
    _, path = post(client, results=[flagged, failed_result("MPI_Reduce")])

    page = client.get(path).text

    assert "2 results of" in page
    assert "of which 1 failed" in page
    assert sentences.ONE_OVERSUBSCRIBED in page


def test_every_repetition_is_a_tick_of_its_distribution(client):
    _, path = post(client, results=[result(values=[1e-6, 2e-6, 4e-6])])

    page = client.get(path).text
    shown = json.loads(client.get(f"{path}?format=json").text)

    assert page.count("strip__tick") == 3
    assert shown["results"][0]["repetitions"] == [1e-6, 2e-6, 4e-6]


def test_profile_of_a_run_is_shown_with_the_longest_function_first(client):
    functions = [{"region": "f", "seconds": 1}, {"region": "g", "seconds": 3}]
    _, path = post(client, results=[], profile={"functions": functions})

    page = client.get(path).text

    assert "A profile of" in page
    assert page.index(">g</th>") < page.index(">f</th>")
    assert "75.0\N{NARROW NO-BREAK SPACE}%" in page
    shown = client.get(f"{path}?format=json").json()
    assert shown["profile"] == {"g": 3, "f": 1}


def test_environment_of_the_job_is_a_list_of_its_own(client):
    found = {"OMP_NUM_THREADS": 4, "SLURM_JOB_PARTITION": "batch"}
    _, path = post(client, job={"scheduler": "slurm", "environment": found})

    page = client.get(path).text

    assert sentences.JOB_ENVIRONMENT in page
    assert "<dt><code>SLURM_JOB_PARTITION</code></dt><dd>batch</dd>" in page
    assert "OMP_NUM_THREADS = 4" not in page


def test_digits_are_grouped_of_scales_and_not_of_other_settings(client):
    _, path = post(
        client,
        coordinate={"p": 8192},
        configuration={"message_bytes": 1024, "seed": 2015},
    )

    page = client.get(path).text

    assert re.findall(r"<dd>([\d,]+)</dd>", page)[:3] == [
        "8,192",
        "1024",
        "2015",
    ]


def test_run_of_a_disturbed_job_says_so_with_what_its_node_did(client):
    facts = {"share of time waiting for a processor": 0.23, "CPU pressure": 0.4}
    disturbed = result(procedure={"disturbed": True})
    _, path = post(client, results=[disturbed], job={"environment": facts})

    page = client.get(path).text

    assert sentences.ONE_DISTURBED in page
    assert sentences.WAITED_A_FOURTH in page.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "CPU pressure" in page
