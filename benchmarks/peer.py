"""Extra-P as a peer: its package in an environment of its own, asked over a pipe."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.environments import python_with
from numpy.typing import NDArray

from scalewatch.modelling import Growth, Model, Term

VERSION = "4.2.5"
FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Answer:
    """What Extra-P found.

    Parameters
    ----------
    models
        One per series.
    smape
        The error that it reports, percent, shape (S,).
    seconds
        Processor time that it took to model, without starting or reading.
    """

    models: tuple[Model, ...]
    smape: NDArray[np.float64]
    seconds: float


def ask(x: NDArray[np.float64], values: NDArray[np.float64], names: str) -> Answer:
    """Model a batch with default options.

    Parameters
    ----------
    x
        Settings, shape (n, parameters).
    values
        Repetitions, shape (S, n, R).
    names
        One letter per parameter.
    """
    answer = subprocess.run(
        [_python(), FOLDER / "extrap_models.py"],
        input=json.dumps({"x": x.tolist(), "values": values.tolist()}),
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    content = json.loads(answer.stdout)
    found = content["models"]
    return Answer(
        models=tuple(_model(each, names) for each in found),
        smape=np.array([each["smape"] for each in found]),
        seconds=content["seconds"],
    )


def _python() -> Path:
    return python_with(f"extrap=={VERSION}", ".venv-extrap", "SCALEWATCH_EXTRAP")


def _model(found: Mapping[str, Any], names: str) -> Model:
    return Model(
        found["constant"],
        tuple(
            Term(term["coefficient"], _growth(term["exponents"], names))
            for term in found["terms"]
        ),
    )


def _growth(exponents: Mapping[str, tuple[str, str]], names: str) -> Growth:
    growth = Growth()
    for parameter, (power, log) in exponents.items():
        factor = Growth.of(names[int(parameter)], Fraction(power), Fraction(log))
        growth = growth * factor
    return growth
