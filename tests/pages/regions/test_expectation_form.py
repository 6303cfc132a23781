"""The form that declares expectations, as a browser without scripts sends it."""

import re
from html import unescape

import pytest

from support import sentences
from support.recorded import record_project

REGION = "/p/openmpi/r/MPI_Gather"


def send(client, **fields):
    """Show the form, fill it in and send it."""
    assert 'method="post"' in client.get(REGION).text
    return client.post(
        REGION,
        params={"metric": "time"},
        data={"author": "Ada"} | fields,
        headers={"Sec-Fetch-Site": "same-origin"},
        follow_redirects=True,
    )


def test_declared_growth_is_a_new_version_and_is_judged(client, sessions, work_off):
    record_project(sessions)

    page = send(client, growth="log p", reason="a tree, since v5").text
    work_off()

    assert "a tree, since v5" in page
    assert '<th scope="row" class="number">2</th>' in page
    assert "mismatch" in client.get(REGION).text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"growth": "p^^2"}, "Cannot read"),
        ({"growth": ""}, "Say how it should grow"),
        ({"growth": "p", "author": " "}, "Enter your name in the field Saved by"),
        ({"growth": "p", "deviation_limit": "1/p"}, "falls"),
        ({"growth": "log P"}, "not measured over P, only over p"),
        ({"growth": "p" * 1001}, "more than 1000 letters"),
    ],
    ids=str,
)
def test_refused_form_keeps_what_was_entered_and_says_why(
    client, sessions, fields, said
):
    record_project(sessions)

    response = send(client, **fields)

    assert response.status_code == 422
    assert said in response.text
    assert '<th scope="row" class="number">2</th>' not in response.text


def test_form_begins_with_an_earlier_version_where_one_goes_back_to_it(
    client, sessions
):
    record_project(sessions)
    send(client, growth="p^2", deviation_limit="p", reason="a slip")
    back = re.search(r'href="([^"#]+)#declare">Go back', client.get(REGION).text)[1]

    page = client.get(unescape(back)).text

    assert '<details class="details expectation__form" id="declare" open>' in page
    assert re.search('name="growth"[^>]* value="p"', page)
    assert 'value="as in version 1"' in page


def test_form_leaves_the_limit_open_that_the_growth_implies(client, sessions):
    record_project(sessions)

    page = send(client, growth="log p").text

    assert re.search('name="deviation_limit"[^>]* value=""', page)


def test_form_that_no_page_of_ours_has_shown_is_refused(client, sessions):
    record_project(sessions)

    response = client.post(REGION, data={"growth": "p", "author": "Eve"})

    assert response.status_code == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"as_it_is": "1", "reason": "reviewed"},
            ("reviewed", '<th scope="row" class="number">2</th>'),
        ),
        ({"withdraw": "1"}, ('<span class="quiet">withdrawn</span>',)),
        ({"growth": "log p"}, ("its verdict is on its way",)),
    ],
    ids=["growth as it is, with one click", "withdrawn", "verdict on its way"],
)
def test_page_says_what_became_of_the_form(client, sessions, fields, said):
    record_project(sessions)

    page = send(client, **fields).text

    assert [text for text in said if text not in page] == []
    assert sentences.IS_ON_ITS_WAY not in page
