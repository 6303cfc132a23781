"""`python -m benchmarks [--quick | SERIES] [NAME …]`: print tables of the README."""

import sys
from importlib import import_module
from typing import Final

BENCHMARKS: Final = (
    "throughput",
    "analysis",
    "accuracy",
    "calibration",
    "other_classes",
    "agreement",
    "two_parameters",
    "several_terms",
    "versions",
    "scaling",
    "agent",
    "delivery",
    "history",
    "history_speed",
    "server",
    "reads",
    "pages",
)


def main() -> None:
    """Run what is named, or everything."""
    options = [each for each in sys.argv[1:] if each[:2] == "--" or each.isdigit()]
    names = [each for each in sys.argv[1:] if each not in options] or BENCHMARKS
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    sys.argv[1:] = options
    for name in names:
        print(f"\n## {name.replace('_', ' ')}\n")
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
