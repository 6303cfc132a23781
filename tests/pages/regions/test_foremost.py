from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from scalewatch.wire import RunReport
from support.builders import result, run_report, sweep, sweep_reports
from support.recorded import record
from support.shown_pages import words_of

PROCESSES = (1, 2, 4, 8, 16)


def shown(client: Any, region: str) -> str:
    """Return the words of the section that says the verdict."""
    page = client.get(f"/p/mpich/r/{region}").text
    return words_of(
        page.partition('aria-label="Verdict"')[2].partition("</section>")[0]
    )


def test_failed_runs_at_large_scales_are_said_before_the_growth(client, sessions):
    failed = [
        run_report(
            id=str(uuid4()),
            coordinate={"p": p},
            results=[result(region="solve", values=[], status="failed", reason="OOM")],
        )
        for p in (32, 64)
    ]
    record(sessions, sweep_reports(PROCESSES, {"solve": lambda p: 100 / p}) + failed)

    words = shown(client, "solve")

    assert 0 <= words.index("Failed") < words.index("32, 64") < words.index("OOM")
    assert words.index("OOM") < words.index("falls like")


@pytest.mark.parametrize(("factor", "is_said"), [(6.0, True), (1.0, False)])
def test_warm_up_is_said_before_the_growth(client, sessions, *, factor, is_said):
    runs = sweep(PROCESSES, {"solve": lambda p: 1 + p / 9})
    for run in runs:
        run["results"][0]["values"][0] *= factor

    record(sessions, [RunReport.model_validate(run, strict=False) for run in runs])

    words = shown(client, "solve")
    assert ("Warm-up" in words) is is_said
    assert not is_said or words.index("Warm-up") < words.index("grows like")


def test_growth_that_does_not_fit_is_in_no_export(client, sessions):
    valley = {"solve": lambda p: abs(np.log2(p) - 4) + 0.2}
    record(sessions, sweep_reports((2, 4, 8, 16, 32, 64), valley))

    report = client.get("/api/v1/projects/mpich/report").json()
    table = client.get("/p/mpich", params={"format": "csv"}).text

    (row,) = report["rows"]
    (standing,) = (cell["standing"] for cell in row["cells"])
    assert standing["misfit"]
    assert standing["model"]
    assert standing["growth"] is None
    assert standing["class_probability"] == {}
    assert standing["growths"] == {}
    header, line = (row.split(",") for row in table.splitlines())
    assert dict(zip(header, line, strict=True))["growth"] == ""
