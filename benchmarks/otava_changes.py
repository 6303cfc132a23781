"""Find change points with Apache Otava; run in an environment of its own.

Reads from standard input a JSON object: `series`, lists of values, `window_len`,
`max_pvalue` and `min_magnitude`. Prints one with `seconds` of processor time and
`changes`, per series the positions of its change points.
"""

import json
import sys
import time
import warnings

from otava.analysis import compute_change_points


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    started = time.process_time()
    found = [
        compute_change_points(
            values,
            window_len=request["window_len"],
            max_pvalue=request["max_pvalue"],
            min_magnitude=request["min_magnitude"],
        )[0]
        for values in request["series"]
    ]
    print(
        json.dumps(
            {
                "seconds": time.process_time() - started,
                "changes": [[int(each.index) for each in series] for series in found],
            }
        )
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
