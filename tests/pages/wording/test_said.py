"""Sentences of pages: what was recorded, where it is read, and what stands there."""

import pytest

from support.builders import run_report, sweep_reports
from support.recorded import (
    record,
    record_configurations,
    record_grid,
    record_half_failed_project,
    record_hydro,
    record_project,
)
from support.shown_pages import words_of
from support.traced import wavefront


def record_new_state(sessions):
    """Record two runs of a machine, between which its MPI library changed."""
    record(
        sessions,
        [
            run_report(
                id=f"00000000-0000-0000-0000-{number:012}",
                commit={
                    "sha": f"c{number}",
                    "committed_at": f"2026-01-0{number}T00:00:00Z",
                },
                machine={"name": "jureca", "fingerprint": {"cores": 128, "mpi": mpi}},
            )
            for number, mpi in ((1, "MPICH 4"), (2, "MPICH 5"))
        ],
    )


SAID = {
    "target is forecast in words and in a table": (
        record_project,
        "/p/openmpi/r/MPI_Barrier?machine=node-tcp&target=1024",
        "At p = 1,024, the time is forecast to be 4",
        "Expected: ",
        "stays true",
        "figures/scaling?project=openmpi&amp;region=MPI_Barrier",
        "target=1024",
    ),
    "expectation shows who declared what when and why": (
        record_project,
        "/p/openmpi/r/MPI_Barrier",
        "Versions of the expectation",
        "Table 2 of Shudler et al.",
    ),
    "region of which nothing is expected says what that means": (
        record_grid,
        "/p/hydro/r/solve",
        "No expectation for the time of solve",
    ),
    "best configuration and suspicion": (
        record_configurations,
        "/p/hybrid/scaling/configurations",
        "is best for <bdi>solve</bdi>",
        "threads matters most: by itself it explains",
        "One thread is best: look for a bug in the distribution of the work",
    ),
    "nothing to choose from says what to run": (
        lambda sessions: record(sessions, sweep_reports(project="hybrid")),
        "/p/hybrid/scaling/configurations",
        "at least two configurations",
        "scalewatch search EXPERIMENT.yaml --vary threads=1,2,4",
    ),
    "constraint can be taken back": (
        record_configurations,
        "/p/hybrid/scaling/configurations?where=compiler%3Dgcc",
        '<option value="compiler=gcc" selected>gcc</option>',
    ),
    "configurations that were not run are listed": (
        record_configurations,
        "/p/hybrid/scaling/configurations?declare=threads%3D1%7C2%7C4%7C8",
        "2 configurations of the space were never run",
    ),
    "jump of a profile with both profiles": (
        record_hydro,
        "/p/hydro/hotspots?held=distribution%3Dtiled",
        "The profile changes at p = 5: <bdi>exchange</bdi> went from 11.1",
        "The profiles at 4 → 5",
    ),
    "fix beside the bug": (
        record_hydro,
        "/p/hydro/hotspots?held=distribution%3Deven&vs=held%3Ddistribution%3Dtiled",
        "The profile keeps its proportions over p: none of 4 comparisons",
        "distribution=tiled: 2 significant changes there.",
    ),
    "without profiles the page says how to get one": (
        lambda sessions: record_hydro(sessions, profiled=False),
        "/p/hydro/hotspots",
        "No profile yet",
        "examples/hydro.yaml --server http://testserver",
    ),
    "single profile says why nothing is compared": (
        lambda sessions: record_hydro(sessions, processes=(4,)),
        "/p/hydro/hotspots?over=p",
        "Profiles are compared with each other: 2 needed, 1 given",
    ),
    "machine shows what changed between its states": (
        record_new_state,
        "/p/mpich/m/jureca",
        "<dd>MPICH 5</dd>",
        '<span class="quiet">MPICH 4</span> → MPICH 5',
        "First seen",
    ),
    "machine on which nothing succeeded": (
        record_half_failed_project,
        "/p/fragile/m/broken",
        "No measurement succeeded at 3f3f3f3f3f",
    ),
    "regions that only others measured": (
        record_project,
        "/p/openmpi/m/node-tcp",
        "one region of v5.0.11 that this one did not",
        "<bdi>MPI_Gather</bdi>",
    ),
    # 0.52 s on 2 processes, 0.66 s on 16 for eight times the work.
    "weak scaling says how much longer it takes": (
        record_grid,
        "/p/hydro/scaling/contours?kind=weak",
        "16 processes take 1.27 times as long for 8 times the",
    ),
    "weak scaling without sizes says what to run": (
        record_configurations,
        "/p/hybrid/scaling/contours?kind=weak",
        "Weak scaling needs problem sizes",
        "p&nbsp;=&nbsp;32 with n&nbsp;=&nbsp;32,000",
        "http://testserver/api/v1/runs",
    ),
    "runs that weak scaling lacks": (
        lambda sessions: record_grid(sessions, sizes=(1001,), processes=(2, 3, 4)),
        "/p/hydro/scaling/contours?kind=weak",
        "p&nbsp;=&nbsp;4 with n&nbsp;=&nbsp;2,002",
        "No run can fill 2→3",
    ),
    "single scale says how to measure more": (
        lambda sessions: record(sessions, sweep_reports((4,))),
        "/p/mpich/scaling/contours",
        "scalewatch-agent mpi --server http://testserver",
    ),
    "region that becomes slower": (
        record_project,
        "/p/openmpi/scaling/contours?region=MPI_Bcast&kind=strong",
        "32 processes take 3.4",
        "as 2 do, instead of 1/16 of the time: α = 15.7",
        # 32 processes take 3.4 times as long as 2 do: more than all is serial.
        '<td class="number">&gt;\u202f1</td>',
    ),
    # 4.02 s on 2 processes, 0.66 s on 16.
    "region that becomes faster": (
        record_grid,
        "/p/hydro/scaling/contours?size=8000",
        "<bdi>solve</bdi> (n\u202f=\u202f8,000) runs 6.09× faster on 16 processes than",
        "(ideal 8×): parallel efficiency",
    ),
    "every setting of the page is in its links": (
        record_grid,
        "/p/hydro/scaling/contours?kind=weak&size=2000&base=4",
        "kind=weak&amp;size=2000&amp;base=4&amp;format=json",
    ),
    "search that finds nothing": (
        record_project,
        "/search?q=nonesuch&project=openmpi",
        "contains “<bdi>nonesuch</bdi>”",
        "Search all projects",
    ),
    "addresses of commands break between the parts of their path only": (
        lambda _: None,
        "/docs",
        (
            'curl <span class="address">http://testserver/<wbr>api/<wbr>v1/<wbr>projects'
            "</span></code>"
        ),
    ),
    "location that limits the scaling": (
        lambda sessions: record(sessions, wavefront()),
        "/p/sweep/traces",
        (
            "One of 2 locations makes the overhead scale worse than p: "
            "<bdi>receive › MPI_Recv</bdi> (sweep.c:32)"
        ),
        "A pipeline or wavefront:",
        "The extrapolation may be used",
        "Parallel efficiency",
        "from p = 16",
    ),
    # 100/128 s of 100/128 + 1.5 + 128/16 + 0.05
    "path that decides the run time": (
        lambda sessions: record(
            sessions,
            wavefront(
                job={
                    "environment": {"critical_path": "process 5: 8.1 % of the run time"}
                }
            ),
        ),
        "/p/sweep/traces",
        (
            "The path that decides the run time at p\u202f=\u202f128 computes for "
            "7.6\u202f% of it (process 5: 8.1\u202f% of the run time); the rest is in "
            "calls. It leads most through <bdi>receive › MPI_Recv</bdi> (sweep.c:32) "
            "(99.5\u202f%)"
        ),
        "on the path</span>",
    ),
    "without traces the page says how to get some": (
        record_hydro,
        "/p/hydro/traces",
        "No trace yet",
        "scalewatch-agent trace --read traces/ --machine NAME",
    ),
    "two numbers of processes are too few": (
        lambda sessions: record(sessions, wavefront((4, 8))),
        "/p/sweep/traces",
        "was traced at 2 numbers of processes",
        "4 distinct settings needed, 2 measured",
    ),
    "five numbers of processes tell growths and no bend yet": (
        lambda sessions: record(sessions, wavefront((4, 8, 16, 32, 64))),
        "/p/sweep/traces",
        "makes the overhead scale worse than p",
        "growths need five, the curvature of the overhead over p needs six",
    ),
}
"""By what it is about: who records it, the address, and what the page says."""


@pytest.mark.parametrize(("arrange", "address", "said"), [
    pytest.param(arrange, address, said, id=about)
    for about, (arrange, address, *said) in SAID.items()
])  # fmt: skip
def test_page_says(client, sessions, arrange, address, said):
    arrange(sessions)

    answer = client.get(address)

    assert answer.status_code == 200, answer.text
    shown = answer.text + words_of(answer.text)
    assert [text for text in said if text not in shown] == []


def test_strip_shows_days_changes_and_new_states_with_their_pages(large_client):
    said = (
        "4 Jun 2026 to 1 Sep 2026: 108 commits, ",
        "output::gather_snapshot better, improved",
        "juwels changed: mpi Open MPI 5.0.8 → Open MPI 5.0.11",
        "the oldest since 28 Jan 2026",
    )

    shown = large_client.get("/").text

    assert [text for text in said if text not in shown] == []
