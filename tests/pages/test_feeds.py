"""Badge, feed and sparklines: what other programs show."""

import re
from xml.etree import ElementTree as ET

from support import sentences
from support.histories import LINEAR, TREE, record_history
from support.recorded import TCP, record_project

ATOM = "{http://www.w3.org/2005/Atom}"
SVG = "{http://www.w3.org/2000/svg}"


def test_badge_counts_the_mismatches_of_the_newest_commit(client, sessions):
    record_project(sessions)

    answer = client.get("/p/openmpi/badge.svg")

    badge = ET.fromstring(answer.text)  # noqa: S314, our own
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert [text.text for text in badge.iter(f"{SVG}text")] == [
        "scaling",
        "1 scales worse",
    ]


def test_badge_of_an_unknown_project_is_not_found(client):
    assert client.get("/p/nonesuch/badge.svg").status_code == 404


def test_feed_has_an_entry_per_commit_with_its_address(client, sessions):
    record_project(sessions, "hostile & <project>")

    answer = client.get("/p/hostile%20%26%20%3Cproject%3E/feed.atom")

    feed = ET.fromstring(answer.text)  # noqa: S314, our own
    entries = feed.findall(f"{ATOM}entry")
    assert feed.findtext(f"{ATOM}title") == "hostile & <project>: commits"
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "v5.0.11: 5 match, 1 approximate, 1 mismatch",
        "v5.0.8: 5 match, 1 approximate, 1 mismatch",
    ]
    assert entries[0].findtext(f"{ATOM}id") == (
        "http://testserver/p/hostile%20%26%20%3Cproject%3E/c/v5.0.11"
    )


def test_feed_of_regressions_has_an_entry_per_cause(client, sessions):
    record_history(sessions, lambda n: {"MPI_Bcast": LINEAR if n > 12 else TREE}, 16)

    answer = client.get("/p/mpich/regressions.atom")

    feed = ET.fromstring(answer.text)  # noqa: S314, our own
    (entry,) = feed.findall(f"{ATOM}entry")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert entry.findtext(f"{ATOM}title") == sentences.WORSE_GROWTH_OPEN
    assert entry.findtext(f"{ATOM}id").startswith(
        "http://testserver/p/mpich/regressions#regression-"
    )
    link = entry.find(f"{ATOM}link").get("href")
    assert client.get(link).status_code == 200


def test_sparklines_hold_a_line_per_series_and_are_sent_once(client, sessions):
    record_project(sessions)
    address = "/p/openmpi/sparklines.svg?metric=time"

    answer = client.get(address)

    sheet = ET.fromstring(answer.text)  # noqa: S314, our own
    symbols = list(sheet.iter(f"{SVG}symbol"))
    assert len(symbols) == 4 + len(TCP)
    drawn = [path.get("d") for path in symbols[0].iter(f"{SVG}path")]
    assert drawn[0].count("H") == 2  # a level piece for each release
    again = client.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_a_growth_that_is_better_than_promised_is_no_fault_in_its_line(
    client, sessions
):
    growths = {"MPI_Barrier": LINEAR, "MPI_Gather": TREE}  # log p and p are expected
    record_history(sessions, lambda _: growths, 2)

    lines = client.get("/p/mpich/sparklines.svg?metric=time").text
    history = client.get("/p/mpich/history?region=MPI_Gather").text

    worse, better = lines.split("</symbol>")[:2]
    assert "--verdict-mismatch" in worse
    assert "--verdict-better" in better
    assert "stroke-dasharray" in better
    assert "--verdict-mismatch" not in better
    assert "verdict--better" in history
    assert "verdict--mismatch" not in history


def test_a_figure_can_stand_in_a_frame_of_another_site(client, sessions):
    record_project(sessions)
    page = client.get("/p/openmpi/r/MPI_Bcast").text
    embed, *_ = re.findall(r'<a href="([^"]+)">Embed</a>', page)
    embed = embed.replace("&amp;", "&")

    answer = client.get(embed)

    policy = answer.headers["content-security-policy"]
    assert embed.startswith("/p/openmpi/embed/machines?")
    assert "<bdi>MPI_Bcast</bdi>" in answer.text
    assert 'rel="icon"' in answer.text  # else browsers ask for one that is not there
    assert "openmpi · time · v5.0.11</span></h1>" in answer.text
    assert "frame-ancestors *" in policy
    assert "default-src 'self'" in policy
    figure = answer.text.split('data-figure="')[1].split('"')[0]
    assert client.get(figure.replace("&amp;", "&")).json()["data"]


def test_other_pages_cannot_be_framed_by_other_sites(client):
    policy = client.get("/").headers["content-security-policy"]

    assert "frame-ancestors 'self'" in policy
