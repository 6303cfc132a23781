"""Reports of exaCB: a file a commit, a row a job, with a failed job where wanted."""

import json
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

from .stored import BEGUN, sha

NODES = (1, 2, 4, 8)


def exacb_reports(folder: Path, commits: int, failing: Collection[int] = ()) -> int:
    """Write reports of commits; return how many values succeeded.

    Parameters
    ----------
    failing
        Numbers of commits whose largest job failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    values = 0
    for number in range(commits):
        rows = []
        for repetition in range(2):
            for nodes in NODES:
                has_failed = number in failing and nodes == NODES[-1]
                parameter = {"nodes": nodes, "taskspernode": 4, "threadspertask": 12}
                row = {
                    "success": "false" if has_failed else "true",
                    "runtime": "" if has_failed else f"{80 / nodes + repetition / 100}",
                    "parameter": {key: str(value) for key, value in parameter.items()},
                    "slurm_jobid": f"{number}{repetition}{nodes}",
                    "queue": "booster",
                }
                if not has_failed:
                    row["metrics"] = {"bandwidth[GB/s]": f"{60.5 * nodes}"}
                    values += 2
                rows.append(row)
        moment = (BEGUN + timedelta(days=number)).isoformat().replace("+00:00", "Z")
        content = {
            "reporter": {"info": {"commit": sha(number), "timestamp": moment}},
            "experiment": {"system": "jedi", "variant": "strong"},
            "data": rows,
        }
        (folder / f"{number:03}.json").write_text(json.dumps(content))
    return values
