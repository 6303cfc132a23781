"""`python -m benchmarks [NAME …]`: print the tables of the README, all or by name."""

import sys
from importlib import import_module
from typing import Final

BENCHMARKS: Final = ("throughput", "agreement", "two_parameters", "scaling")


def main() -> None:
    """Run what is named, or everything."""
    names = sys.argv[1:] or BENCHMARKS
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    del sys.argv[1:]
    for name in names:
        print(f"\n## {name.replace('_', ' ')}\n")
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
