"""The pages of a project whose benchmarks have one value a commit each."""

import re

import numpy as np
import pytest

from support.builders import sweep_reports
from support.histories import commit
from support.recorded import record
from support.shown_pages import words_of

REGIONS = tuple(f"io.Suite.time_{number}" for number in range(12))
COMMITS = 24
CHANGED = 15
"""Commit that makes the first region a third slower."""

GROWTH = re.compile(
    r"\bp\b|\bO\(|growth|grows|exponent|scales|verdict|no model|settings? \(",
    re.IGNORECASE,
)
NAMES = re.compile(r'(?:title|aria-label|summary)="([^"]*)"')
"""Titles and names of elements, which say more than the text."""

PAGES = (
    "/p/{project}",
    "/p/{project}?view=table&only=changed",
    "/p/{project}/c/newest?all=1",
    "/p/{project}/c/{changed}",
    "/p/{project}/history",
    "/p/{project}/history?last=100",
    "/p/{project}/history?region=io.Suite.time_0&last=all&show=exponent",
    "/p/{project}/r/io.Suite.time_0",
    "/p/{project}/regressions",
    "/p/{project}/regressions/{regression}",
    "/p/{project}/m/jureca",
    "/p/{project}/c",
    "/p/{project}/compare",
    "/p/{project}/compare/{changed}...{newest}",
    "/p/{project}/compare/{changed}...{newest}...{first}",
    "/p/{project}/compare/jureca...lumi",
    "/inbox",
    "/",
)
MESSAGES = (
    "/p/{project}/feed.atom",
    "/p/{project}/regressions.atom",
    "/inbox.atom",
    "/p/{project}/badge.svg",
    "/p/{project}/history?format=md",
    "/p/{project}?format=md",
    "/p/{project}/c/{changed}?format=md",
    "/p/{project}/regressions?format=md",
    "/p/{project}/compare/{changed}...{newest}?format=md",
    "/p/{project}/sparklines.svg?metric=time&show=value",
    "/api/v1/projects/{project}/gate?commit={changed}",
)
"""Feeds, exports and answers that people read."""


def named(number):
    """Return the hash of a commit, as which no other begins."""
    return f"{number * 7919:08x}{number:032x}"


def recorded(sessions, **speeds):
    """Record twelve benchmarks of a project on machines, and return its name."""
    draw = np.random.default_rng(3)
    reports = []
    for number in range(1, COMMITS + 1):
        before = [named(number - 1)] if number > 1 else []
        made = commit(number, sha=named(number), parents=before)
        for name, speed in speeds.items():
            level = draw.normal(speed, 0.01, len(REGIONS)) * [
                1.33 if at == 0 and number >= CHANGED else 1
                for at in range(len(REGIONS))
            ]
            curves = {
                region: lambda _, value=value: 1e-3 * value
                for region, value in zip(REGIONS, level.tolist(), strict=True)
            }
            machine = {"name": name, "fingerprint": {"cores": 128}}
            reports += sweep_reports(
                (16,), curves, repetitions=1, noise=0, commit=made, machine=machine
            )
    record(sessions, reports)
    return reports[0].project


@pytest.fixture
def project(sessions):
    """Return a project that one machine measures."""
    return recorded(sessions, jureca=1)


@pytest.fixture
def project_of_two(sessions):
    """Return a project that two machines measure."""
    return recorded(sessions, jureca=1, lumi=1.4)


def shown(client, project, address):
    """Return the text that stands at an address."""
    listed = client.get(f"/api/v1/projects/{project}/regressions").json()
    (regression,) = listed["regressions"]
    answer = client.get(
        address.format(
            project=project,
            regression=regression["id"],
            changed=named(CHANGED)[:10],
            newest=named(COMMITS)[:10],
            first=named(1)[:10],
        )
    )
    assert answer.status_code == 200
    return answer.text


def main_of(page):
    """Return the text of the main part of a page, without scripts and choices."""
    main = page[page.index("<main") : page.index("</main>")]
    return words_of(re.sub(r"<(script|select)\b.*?</\1>", " ", main, flags=re.DOTALL))


@pytest.mark.parametrize("address", PAGES)
def test_no_page_has_a_word_about_growth(client, project_of_two, address):
    page = shown(client, project_of_two, address)

    text = main_of(page)
    names = " ".join(NAMES.findall(page))
    assert not GROWTH.findall(text), text
    assert not GROWTH.findall(names), names
    assert not {"Scaling", "Cost"} & {*re.findall(r">(\w+)</a></li>", page)}


@pytest.mark.parametrize("address", MESSAGES)
def test_no_message_has_a_word_about_growth(client, project_of_two, address):
    text = re.sub(r"/p/|/p\b", "/", shown(client, project_of_two, address))

    assert not GROWTH.findall(text), text


def test_a_comparison_has_values_and_their_ratios(client, project_of_two):
    page = shown(client, project_of_two, "/p/{project}/compare/jureca...lumi")

    (row,) = re.findall(
        r'<tr data-filter-text="io.Suite.time_3 ".*?</tr>', page, re.DOTALL
    )
    assert re.search(r"1\.0\d\s*ms\s*1\.40\s*ms\s*1\.39 ×", words_of(row))
    assert re.search(r"io.Suite.time_\d+ is 1\.[45]× slower on lumi", main_of(page))


def test_rows_have_value_change_and_state(client, project):
    page = client.get(f"/p/{project}?commit={named(CHANGED)}").text

    (row,) = re.findall(
        r'<tr data-filter-text="io.Suite.time_0".*?</tr>', page, re.DOTALL
    )
    words = words_of(row)
    assert re.search(r"1\.3\d\s*ms", words)
    assert re.search(r"\+3\d\s%", words)
    assert "worse" in words
    # What changed comes first.
    assert page.index("io.Suite.time_0<") < page.index("io.Suite.time_1<")


def test_only_the_changed_rows_are_shown(client, project):
    page = client.get(f"/p/{project}?commit={named(CHANGED)}&only=worse").text

    rows = re.findall(r'<tr data-filter-text="([^"]+)"', page)
    assert rows == ["io.Suite.time_0"]


def test_small_lines_show_values_of_commits(client, project):
    sheet = client.get(f"/p/{project}/sparklines.svg?metric=time&show=value").text

    lines = re.findall(r"<symbol.*?</symbol>", sheet)
    assert len(lines) == len(REGIONS)
    heights = [float(y) for y in re.findall(r"M[\d.]+ ([\d.]+)h0", lines[0])]
    assert len(heights) == COMMITS
    before, after = heights[: CHANGED - 1], heights[CHANGED - 1 :]
    assert min(before) > max(after)


def test_a_region_is_a_value_over_commits(client, project):
    page = client.get(f"/p/{project}/r/io.Suite.time_0").text

    assert ", the time of io.Suite.time_0 is " in words_of(page)
    assert 'aria-label="Time over commits of io.Suite.time_0' in page
    assert "Save a new version" not in page


def test_a_region_on_several_machines_is_a_value_over_commits_on_each(
    client, project_of_two
):
    page = client.get(f"/p/{project_of_two}/r/{REGIONS[0]}").text

    plots = re.findall(r'aria-label="(Time[^"]*)"', page)
    assert len({*plots}) == 2
    assert all("over commits of io.Suite.time_0 on " in plot for plot in plots)


@pytest.mark.parametrize(("last", "shown"), [("100", 100), ("400", 120), ("all", 120)])
def test_a_history_has_as_many_commits_as_are_wanted(client, sessions, last, shown):
    runs = [
        report
        for number in range(1, 121)
        for report in sweep_reports(
            (16,), {"io.Load": lambda _: 1e-3}, repetitions=1, commit=commit(number)
        )
    ]
    record(sessions, runs)

    figure = client.get(
        f"/api/v1/figures/history?project={runs[0].project}&region=io.Load"
        f"&machine={runs[0].machine.name}&last={last}"
    ).json()

    dots = [each for each in figure["data"] if each.get("ids")]
    assert len(dots[0]["ids"]) == shown


def test_few_commits_have_no_band(client, sessions):
    for number in range(1, 9):
        runs = sweep_reports(
            (16,), {"io.Load": lambda _: 1e-3}, repetitions=1, commit=commit(number)
        )
        record(sessions, runs)
    address = (
        f"/api/v1/figures/history?project={runs[0].project}&region=io.Load"
        f"&machine={runs[0].machine.name}"
    )

    few = client.get(address).json()
    runs = sweep_reports(
        (16,), {"io.Load": lambda _: 1e-3}, repetitions=1, commit=commit(9)
    )
    record(sessions, runs)
    nine = client.get(address).json()

    assert len(nine["data"]) > len(few["data"])
