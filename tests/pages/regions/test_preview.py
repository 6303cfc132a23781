import pytest

from support import sentences
from support.recorded import record_project

PAGE = "/p/openmpi/r/MPI_Barrier/expectation"


def test_preview_judges_the_last_commits_and_declares_nothing(client, sessions):
    record_project(sessions)
    params = {"growth": "p", "machine": "node-tcp"}

    page = client.get(PAGE, params=params).text
    rows = client.get(PAGE, params={**params, "format": "json"}).json()["series"]

    assert sentences.ONE_WOULD_CHANGE in page
    assert [each["then"] for each in rows[0]["verdicts"]] == ["match", "match"]
    assert [each["now"] for each in rows[0]["verdicts"]] == ["mismatch", "mismatch"]
    declared = client.get("/api/v1/projects/openmpi/expectations").json()
    growths = {each["region"]: each["growth"] for each in declared["expectations"]}
    assert growths["MPI_Barrier"] == "log p"


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"growth": "p^^2"}, "growth", "Cannot read &#39;p^^2&#39;: at position 3"),
        ({"growth": "log P"}, "growth", "not measured over P, only over p"),
        ({"growth": "p", "deviation_limit": "1/p"}, "deviation_limit", "falls"),
        ({"growth": "p", "deviation_limit": "("}, "deviation_limit", "Cannot read"),
    ],
    ids=str,
)
def test_faults_stand_beside_their_fields(client, sessions, fields, field, said):
    record_project(sessions)

    page = client.get(PAGE, params=fields)
    listed = client.get(PAGE, params=fields | {"format": "csv"})

    fault = page.text.split(f'id="{field}-fault"')[1].split("</p>")[0]
    assert said in fault
    assert "hidden" not in fault
    assert 'aria-invalid="true"' in page.text
    assert listed.status_code in {400, 422}


def test_without_a_growth_the_form_alone_is_shown(client, sessions):
    record_project(sessions)

    page = client.get(PAGE, params={"growth": " "})

    assert page.status_code == 200
    assert sentences.NEW_VERSION in page.text
    assert sentences.PREVIEWED_VERDICTS not in page.text


def test_figure_draws_the_growth_that_is_tried(client, sessions):
    record_project(sessions)
    params = {"project": "openmpi", "region": "MPI_Barrier", "machine": "node-tcp"}

    drawn = client.get("/api/v1/figures/scaling", params=params | {"expected": "p^2"})
    bad = client.get("/api/v1/figures/scaling", params=params | {"expected": "p^^"})

    names = [str(each.get("name")) for each in drawn.json()["data"]]
    assert "expected <i>p</i><sup>2</sup> (shape only)" in names
    assert bad.status_code in {400, 422}
