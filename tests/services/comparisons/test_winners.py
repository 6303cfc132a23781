"""Who is better, from all repetitions: the published models tell."""

import re
from uuid import uuid4

import numpy as np
import pytest
from sqlalchemy import select

from scalewatch.cli.demo.published_machines import PROJECT, published_runs
from scalewatch.pages.comparisons.sentences import comparison_sentences, worst_headline
from scalewatch.services.comparisons.compare import compare_sides
from scalewatch.services.comparisons.figures import ratios_drawn
from scalewatch.services.comparisons.ratios import ratios_of
from scalewatch.services.comparisons.winners import duels_of, matrix_of
from scalewatch.services.selection.view import View
from scalewatch.storage import tables
from support.builders import result, sweep_reports
from support.histories import TREE, commit, reports
from support.recorded import (
    PROCESSES,
    record,
    record_half_failed_project,
    record_runs,
)
from support.service_sentences import SAID

LINE = 0.1
"""Share of the height of a plot that a line of words takes."""


def sentences(sessions, project: str, *names: str, **fields: str) -> list[str]:
    with sessions.reading() as session:
        shown = compare_sides(session, View(project, **fields), names)
        duels = duels_of(shown, ratios_of(session, shown, shown.rows))
    return [str(each.striptags()) for each in comparison_sentences(shown, duels)]


def test_juqueen_is_better_than_piz_daint_but_where_both_are_alike(sessions):
    record(sessions, published_runs())

    (said,) = sentences(sessions, PROJECT, "Juqueen", "Piz Daint")

    assert said.startswith(SAID["better from a scale on"])
    assert "(probability 99 %)" in said
    assert SAID["differs by a constant"] in said


def test_winner_is_the_same_whoever_is_named_first(sessions):
    record(sessions, published_runs())

    (said,) = sentences(sessions, PROJECT, "Piz Daint", "Juqueen")

    assert said.startswith(SAID["better from a scale on"])


def headline_of(sessions, project: str, *names: str, **fields: str) -> str:
    with sessions.reading() as session:
        shown = compare_sides(session, View(project, **fields), names)
        ratios = ratios_of(session, shown, shown.rows)
        said = worst_headline(shown, duels_of(shown, ratios), ratios)
    return "" if said is None else str(said.striptags()).replace("\u00ad", "")


def machines_with(sessions, factors, regions: int = 4) -> None:
    """Record regions on machines, of which the first takes `factors` times as long."""
    for name, factor in factors.items():
        curves = {
            f"r{number}": lambda p, number=number, factor=factor: (
                (factor(p) if number == 0 else 1.0) * TREE(p)
            )
            for number in range(regions)
        }
        record(sessions, reports(1, curves, machine=name, project="hydro"))


def test_headline_names_region_factor_and_scale_then_the_rest(sessions):
    machines_with(sessions, {"juwels": lambda _: 1.0, "lumi": lambda p: p**0.5 / 2})

    said = headline_of(sessions, "hydro", "juwels", "lumi")
    turned = headline_of(sessions, "hydro", "lumi", "juwels")

    assert re.match(
        r"r0 is (3\.9|4\.0|4\.1|4)× slower on lumi at p = 64 and growing; "
        r"the other 3 regions are within [1-3] %\.$",
        said,
    )
    assert turned == said


def test_difference_within_the_noise_of_jobs_has_no_headline(sessions):
    machines_with(sessions, {"juwels": lambda _: 1.0, "lumi": lambda _: 1.02})

    assert headline_of(sessions, "hydro", "juwels", "lumi") == ""


def learned(sessions, spread: float) -> None:
    """Store that levels of both machines move by a share from one run to the next."""
    nights = [
        {"machine": machine, "metric": "time", "spread": spread}
        for machine in ("juwels", "lumi")
    ]
    with sessions.writing.begin() as session:
        for row in session.scalars(select(tables.Detection)):
            row.details = {**row.details, "nights": nights}


def test_no_side_leads_by_less_than_jobs_are_known_to_differ(sessions):
    machines_with(sessions, {"juwels": lambda _: 1.0, "lumi": lambda _: 1.3})

    assert "1.3× slower on lumi" in headline_of(sessions, "hydro", "juwels", "lumi")
    learned(sessions, 0.2)  # twice that is less than they have to differ
    assert headline_of(sessions, "hydro", "juwels", "lumi") == ""


def test_matrix_has_the_worst_region_of_every_pair(sessions):
    machines_with(
        sessions,
        {"one": lambda _: 1.0, "two": lambda _: 2.0, "three": lambda _: 6.0},
    )
    with sessions.reading() as session:
        shown = compare_sides(session, View("hydro"), ["one", "two", "three"])

    matrix = matrix_of(shown, {})

    assert [
        [cell and (round(cell.factor), cell.region) for cell in row] for row in matrix
    ] == [
        [None, (2, "r0"), (6, "r0")],
        [None, None, (3, "r0")],
        [None, None, None],
    ]
    assert (matrix[0][1].worse, matrix[0][1].rows) == (1, 4)


def drawn_of_published_runs(sessions):
    """Return the ratios of Juqueen and Piz Daint, and their figure."""
    record(sessions, published_runs())
    with sessions.reading() as session:
        shown = compare_sides(session, View(PROJECT), ["Juqueen", "Piz Daint"])
        ratios = ratios_of(session, shown, shown.rows)
        (duel,) = duels_of(shown, ratios)
    return ratios, ratios_drawn(duel, ratios, 0)


def test_ratios_above_one_mean_that_the_first_side_is_better(sessions):
    _, figure = drawn_of_published_runs(sessions)

    bcast = next(each for each in figure.data if each["name"] == "Bcast (binary tree)")
    assert np.all(np.diff(bcast["y"]) > 0)
    words = [each["text"] for each in figure.layout["annotations"]]
    assert words == ["Juqueen better ↑", "Piz Daint better ↓"]


def test_words_of_who_is_better_stand_where_no_ratio_is(sessions):
    ratios, figure = drawn_of_published_runs(sessions)

    low, high = figure.layout["yaxis"]["range"]
    drawn = np.log10([each.value for row in ratios for each in row.ratios if each])
    for room in (high - drawn.max(), drawn.min() - low):
        assert room > LINE * (high - low)


def test_of_a_rate_more_is_better(sessions):
    for name, rate in (("fast", 2e9), ("slow", 1e9)):
        for p in PROCESSES:
            rows = [
                result(
                    region="triad",
                    metric="rate",
                    unit="B/s",
                    better="higher",
                    values=[rate * p * scatter for scatter in (0.99, 1.0, 1.01)],
                )
            ]
            machine = {"name": name, "fingerprint": {"cores": 64}}
            record(
                sessions,
                sweep_reports(
                    (p,), results=rows, machine=machine, project="stream", seed=p
                ),
            )

    (said,) = sentences(sessions, "stream", "slow", "fast", metric="rate")

    assert said.startswith(SAID["better by a rate"])


def test_of_many_alike_regions_none_wins_by_chance(sessions):
    """The difference of the only one that differs is told."""
    rng = np.random.default_rng(7)
    for name, twice in (("one", 1.0), ("two", 2.0)):
        for p in PROCESSES:
            rows = [
                result(
                    region=f"r{number}",
                    values=[
                        *(
                            (twice if number == 0 else 1.0)
                            * p**0.5
                            * rng.normal(1.0, 0.1, 5)
                        )
                    ],
                )
                for number in range(80)
            ]
            machine = {"name": name, "fingerprint": {"cores": 64}}
            runs = sweep_reports(
                (p,), results=rows, machine=machine, project="many", seed=p
            )
            record(sessions, runs)

    (said,) = sentences(sessions, "many", "one", "two")

    assert said.startswith(SAID["better in one of many"])


def test_ratios_follow_what_is_posted_before_it_is_analysed(sessions):
    first, second = (commit(number, tag=f"v{number}") for number in (1, 2))
    record(sessions, reports(1, {"MPI_Bcast": TREE}, commit=first))
    record(sessions, reports(2, {"MPI_Bcast": TREE}, commit=second))

    def ratio(**fields):
        with sessions.writing.begin() as session:
            runs = reports(1, commit=first, **fields)
            record_runs(
                session, [run.model_copy(update={"id": uuid4()}) for run in runs]
            )
        with sessions.reading() as session:
            shown = compare_sides(session, View("mpich"), ["v1", "v2"])
            row = next(each for each in shown.rows if each.machine == "jureca")
            ((told,),) = [each.ratios for each in ratios_of(session, shown, [row])]
        return told.at_largest

    alike = ratio(growths={"MPI_Bcast": TREE}, machine="lumi")
    slower = ratio(growths={"MPI_Bcast": lambda p: 5 * TREE(p)})

    assert alike == pytest.approx(1, rel=0.1)
    assert slower < 0.8


@pytest.mark.parametrize("pair", [("steady", "slow"), ("steady", "broken")])
def test_half_failed_machines_are_compared_as_far_as_they_go(sessions, pair):
    record_half_failed_project(sessions)

    said = sentences(sessions, "fragile", *pair)

    assert said
    assert not any("better in" in each for each in said)
