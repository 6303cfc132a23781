"""Model series with Extra-P; run by `peer.py` in an environment of its own.

Reads from standard input a JSON object: `x`, one list of settings per point, and
`values`, shape (S, n, R). Prints one with `seconds` of processor time and, per series,
the `constant`, the `terms` (coefficient, and exponents [i, j] per parameter) and the
reported `smape`.
"""

import json
import sys
import time
import warnings
from fractions import Fraction

import numpy as np
from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.modelers import multi_parameter, single_parameter

CALLPATH, METRIC = Callpath("main"), Metric("time")


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    coordinates = [Coordinate(*setting) for setting in request["x"]]
    several = len(request["x"][0]) > 1
    modelers = multi_parameter if several else single_parameter
    modeler = modelers.Default()
    batch = [
        [
            Measurement(coordinate, CALLPATH, METRIC, np.array(repetitions))
            for coordinate, repetitions in zip(coordinates, series, strict=True)
        ]
        for series in request["values"]
    ]
    started = time.process_time()
    models = modeler.model(batch)
    seconds = time.process_time() - started
    print(
        json.dumps(
            {
                "seconds": seconds,
                "models": [
                    _described(each.hypothesis, several=several) for each in models
                ],
            }
        )
    )


def _described(hypothesis, *, several: bool) -> dict[str, object]:
    terms = getattr(hypothesis.function, "compound_terms", [])
    return {
        "constant": float(hypothesis.function.constant_coefficient),
        "smape": float(hypothesis.SMAPE),
        "terms": [
            {
                "coefficient": float(term.coefficient),
                "exponents": {
                    str(parameter): _exponents(part)
                    for parameter, part in (
                        term.parameter_term_pairs if several else [(0, term)]
                    )
                },
            }
            for term in terms
        ],
    }


def _exponents(term) -> list[str]:
    """Return i and j of x^i · log₂(x)^j."""
    found = {"polynomial": "0", "logarithm": "0"}
    for simple in term.simple_terms:
        exponent = simple.exponent
        found[simple.term_type] = str(Fraction(str(exponent)))
    return [found["polynomial"], found["logarithm"]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    main()
