"""Summarise a ring's output: `summary.py FILE` prints its slowest round as JSON."""

import json
import sys
from pathlib import Path


def main(path: str) -> None:
    """Print the slowest round."""
    lines = Path(path).read_text().splitlines()
    rounds = [float(line.split()[-2]) for line in lines if "one way around" in line]
    slowest = {"region": "ring (slowest)", "unit": "us", "values": [max(rounds)]}
    print(json.dumps(slowest))


if __name__ == "__main__":
    main(sys.argv[1])
