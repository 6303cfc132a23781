import re
from uuid import UUID

import numpy as np

from scalewatch.modelling.versions.ratios import Ratio
from scalewatch.pages.comparisons import page as compared
from scalewatch.pages.comparisons import sentences
from scalewatch.pages.comparisons.pictures import Multiples
from support import sentences as worded
from support.builders import run_report, sweep_reports
from support.odd_projects import gaps_and_disorder
from support.recorded import failed_result, record
from support.shown_pages import words_of

PROCESSES = (2, 4, 8, 16, 32)


def test_machine_without_a_successful_run_is_said_to_have_none(client, sessions):
    growths = {"solve": lambda p: 1e-3 * p}
    fine = sweep_reports(PROCESSES, growths, machine={"name": "fine"})
    failed = [
        run_report(
            id=str(UUID(int=p)),
            machine={"name": "broken"},
            coordinate={"p": p},
            results=[failed_result("solve")],
        )
        for p in PROCESSES
    ]
    record(sessions, [*fine, *failed])

    page = client.get("/p/mpich/compare/fine...broken?region=solve").text

    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))
    assert worded.BROKEN_HAS_NO_RESULT in text
    assert "like –" not in text


def machines(sessions) -> None:
    """Record three machines, of which the last two are most apart."""
    for name, factor in (("one", 2.0), ("quick", 1.0), ("slow", 5.0)):
        growths = {"solve": lambda p, factor=factor: 1e-3 * factor * p}
        record(sessions, sweep_reports(PROCESSES, growths, machine={"name": name}))


def test_comparison_opens_with_the_machines_most_apart(client, sessions):
    machines(sessions)

    opened = client.get("/p/mpich/compare", follow_redirects=False)

    assert opened.status_code == 303
    assert opened.headers["location"] == "/p/mpich/compare/quick...slow"
    assert "private" in opened.headers["cache-control"]
    assert "Machines to compare" in client.get("/p/mpich/compare?choose=1").text


def test_comparison_opens_with_the_machines_compared_last(client, sessions):
    machines(sessions)
    client.get("/p/mpich/compare/one...quick")

    opened = client.get("/p/mpich/compare", follow_redirects=False)
    assert opened.headers["location"] == "/p/mpich/compare/one...quick"

    client.cookies.clear()
    for strange in ("gone...quick", "one", "%2e%2e/../...", '"; drop'):
        client.cookies.set("compared", strange, path="/p/mpich/compare")
        opened = client.get("/p/mpich/compare", follow_redirects=False)
        assert opened.headers["location"] == "/p/mpich/compare/quick...slow"
        client.cookies.clear()


def test_comparison_of_one_machine_opens_with_its_form(client, sessions):
    growths = {"solve": lambda p: 1e-3 * p}
    record(sessions, sweep_reports(PROCESSES, growths))

    assert "a comparison needs two" in client.get("/p/mpich/compare").text


def test_region_without_a_model_on_any_side_is_named_before_its_sides(client, sessions):
    growths = {"solve": lambda p: 1e-3 * p}
    for name in ("one", "other"):
        record(sessions, sweep_reports((2, 4), growths, machine={"name": name}))

    words = words_of(client.get("/p/mpich/compare/one...other").text)

    assert re.search("solve: on one it .*; on other it ", words)


def test_ratios_are_of_times_at_commits_and_on_machines(client, sessions):
    project = gaps_and_disorder(sessions)
    first, last = project.subjects.split("...")

    page = words_of(client.get(f"/p/odd/compare/{project.subjects}").text)

    assert f"Time at {last} over that at {first}" in page


def test_rows_beyond_those_with_ratios_are_counted(client, sessions, monkeypatch):
    growths = {f"step {k}": lambda p, k=k: 1e-3 * p ** (k / 2) for k in range(3)}
    for name in ("near", "far"):
        record(sessions, sweep_reports(PROCESSES, growths, machine={"name": name}))
    for module in (compared, sentences):
        monkeypatch.setattr(module, "MOST_RATIOS", 2)

    page = words_of(client.get("/p/mpich/compare/near...far").text)

    assert worded.RATIOS_OF_SOME in page


def test_pictures_of_ratios_go_on_where_their_axis_ends():
    """A forecast that leaves the picture is no constant along its edge."""
    p = np.array([4.0, 16.0, 64.0, 256.0])
    ratio = Ratio(p, p / 4, p / 5, p / 3, level=0.9, settings=p[:2])
    picture = Multiples.of([ratio]).picture(ratio)
    (line,) = re.findall(r'ratio__line" d="M(.*?)"', picture)
    heights = [float(point.split()[1]) for point in line.split("L")]

    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == len(heights)
    assert heights[-1] < 0
