"""Apache Otava as a peer, asked over a pipe."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from benchmarks.environments import python_with
from numpy.typing import NDArray

VERSION = "0.8.0"


@dataclass(frozen=True, slots=True)
class Setting:
    """Its options."""

    window_len: int = 50
    max_pvalue: float = 0.001
    min_magnitude: float = 0.0


DEFAULTS = Setting()
TUNED = Setting(window_len=30, max_pvalue=0.0001, min_magnitude=0.02)
"""Fewer false alarms than we have; of those, the quickest that we found."""


def change_points(
    series: Sequence[NDArray[np.float64]], setting: Setting
) -> tuple[list[list[int]], float]:
    """Return the change points of each series, and the seconds that it took."""
    request = {"series": [each.tolist() for each in series], **asdict(setting)}
    python = python_with(f"apache-otava=={VERSION}", ".venv-otava", "SCALEWATCH_OTAVA")
    answer = subprocess.run(
        [python, Path(__file__).parent / "otava_changes.py"],
        input=json.dumps(request),
        capture_output=True,
        check=True,
        text=True,
    )
    content = json.loads(answer.stdout)
    return content["changes"], content["seconds"]
