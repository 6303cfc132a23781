"""`python -m benchmarks [--quick] [NAME …]`: print the tables of the README."""

import sys
from importlib import import_module
from typing import Final

BENCHMARKS: Final = (
    "throughput",
    "accuracy",
    "calibration",
    "agreement",
    "two_parameters",
    "several_terms",
    "scaling",
    "agent",
    "delivery",
    "history",
    "server",
)


def main() -> None:
    """Run what is named, or everything."""
    names = [each for each in sys.argv[1:] if each != "--quick"] or BENCHMARKS
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    sys.argv[1:] = ["--quick"] if "--quick" in sys.argv else []
    for name in names:
        print(f"\n## {name.replace('_', ' ')}\n")
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
