"""Commits whose work is counted exactly."""

from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from scalewatch.storage.database.session import Sessions
from support.builders import result, run_report
from support.histories import PROCESSES, Curve, commit
from support.recorded import record


def count(
    sessions: Sessions,
    number: int,
    counts: Mapping[str, Curve],
    metric: str = "count",
    **of_run: Any,
) -> None:
    """Count a commit by one job at each setting, once."""
    record(
        sessions,
        [
            run_report(
                id=str(uuid5(NAMESPACE_OID, f"{number} {p} {of_run}")),
                project="mpich",
                commit=commit(number),
                coordinate={"p": p},
                results=[
                    result(
                        region=region,
                        metric=metric,
                        unit="1",
                        values=[of(p)],
                        exact=True,
                    )
                    for region, of in counts.items()
                ],
                **of_run,
            )
            for p in PROCESSES
        ],
    )
