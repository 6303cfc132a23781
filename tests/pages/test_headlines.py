"""Headlines name region, factor and scale, and then the rest."""

import re

from support.builders import sweep_reports
from support.histories import LINEAR, TREE, commit, record_history
from support.recorded import record
from support.shown_pages import words_of

AT = 9


def lead_of(client, path):
    """Return the leads of a page, as words."""
    page = client.get(path).text
    leads = re.findall(r'<p class="lead[^"]*">.*?</p>', page, re.DOTALL)
    return [words_of(lead) for lead in leads]


def test_report_of_a_commit_names_its_largest_effect(client, sessions):
    record_history(
        sessions, lambda number: {"solve": LINEAR if number > 1 else TREE, "b": TREE}, 2
    )

    (lead,) = lead_of(client, "/p/mpich/c/newest")

    assert re.match(
        r"solve is [\d.]+× slower at p = 64 on \w+; 1 series is (suspected|worse); "
        r".*Compared with",
        lead,
    ), lead


def test_improvement_is_named_where_nothing_became_worse(client, sessions):
    record_history(
        sessions, lambda number: {"solve": TREE if number > 1 else LINEAR}, 2
    )

    (lead,) = lead_of(client, "/p/mpich/c/newest")

    assert re.match(r"solve is [\d.]+× faster at p = 64 on ", lead), lead


def test_open_regression_leads_match_table_and_home(client, sessions):
    record_history(
        sessions,
        lambda number: {"solve": LINEAR if number >= AT else TREE, "b": TREE},
        16,
    )

    for path in ("/p/mpich", "/"):
        (lead,) = lead_of(client, path)
        assert re.match(r"solve [\d,.]+× slower at p = [\d,]+ on \w+ since \w+\.", lead)
    (older,) = lead_of(client, "/p/mpich?commit=" + commit(AT - 1)["sha"])
    assert "since" not in older


def test_mismatch_leads_by_how_much_it_grew_beyond_what_is_expected(client, sessions):
    growths = {"MPI_Bcast": lambda p: 1e-6 * p, "MPI_Barrier": TREE}
    record(
        sessions,
        sweep_reports((4, 8, 16, 32, 64), growths, noise=0.001, project="openmpi"),
    )

    (lead,) = lead_of(client, "/p/openmpi")

    assert re.match(
        r"MPI_Bcast grew 5\.[23]× more than expected on \w+ from p = 4 to p = 64\. "
        r"1 of 2 series scales worse",
        lead,
    ), lead


def test_broken_guideline_leads_with_its_factor_and_scale(client, sessions):
    growths = {
        "MPI_Allreduce": lambda p: 3e-6 * p,
        "MPI_Reduce": lambda p: 1e-6 * p,
        "MPI_Bcast": lambda p: 1e-6 * p,
    }
    record(
        sessions,
        sweep_reports((4, 8, 16, 32, 64), growths, noise=0.001, project="openmpi"),
    )

    (lead,) = lead_of(client, "/p/openmpi/guidelines")

    assert re.match(
        r"MPI_Allreduce is (1\.5× slower|50 % slower) at p = 64 than "
        r"MPI_Reduce \+ MPI_Bcast on \w+; ",
        lead,
    ), lead
